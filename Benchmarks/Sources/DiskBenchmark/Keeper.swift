/// A way to keep a tree of objects on disk.
protocol Keeper: AnyObject {
    /// What it made of the file.
    associatedtype Restored

    /// What it is called where figures are told.
    var name: String { get }
    /// How many objects it keeps.
    var count: Int { get }

    /// Begins anew with no file. Not measured.
    func begin() throws
    /// Saves all objects in a new file, durably.
    func saveAll() throws
    /// Gets ready for changes. Not measured.
    ///
    /// - Parameter durably: whether each has to be durable, and not only written.
    func expectChanges(durably: Bool) throws
    /// Changes one value of one object, and saves that.
    func saveChange() throws
    /// Lets go of the file. Not measured.
    func end() throws
    /// Makes all objects anew of what the file holds.
    func restore() throws -> Restored
    /// How many of them are as they were saved. Not measured.
    func countEqual(_ restored: Restored) -> Int
}
