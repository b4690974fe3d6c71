import Foundation

/// A way to save a tree of objects to disk.
@LoopActor protocol Persister: AnyObject {
    /// Number of objects.
    var count: Int { get }

    /// Opens an empty store.
    ///
    /// This step is not measured.
    func begin() async throws
    /// Sets whether later saves must be durable rather than only written.
    ///
    /// This step is not measured.
    func prepareSaves(durably: Bool) async throws
    /// Saves all objects for the first time.
    func saveAll() async throws
    /// Changes one value of one object, and saves the change.
    func saveChange() async throws
    /// Closes the store.
    ///
    /// This step is not measured.
    func end() async throws
    /// Creates all objects from the saved state.
    ///
    /// - Returns: The time at which all objects had been restored.
    func restore() async throws -> ContinuousClock.Instant
    /// Releases the restored objects, and returns the number of objects that had the saved values.
    ///
    /// This step is not measured.
    func endAndCountRestored() async throws -> Int
}

/// A way to save the objects to one file, which is rewritten for every change.
final class FilePersister<Item: TreeItem>: Persister {
    let count: Int
    private let root: Item
    private let path: String
    private let encode: (Item) throws -> Data
    private let decode: (Data) throws -> Item?
    private var isDurable = false
    private var restored: Item?

    init(
        _ shape: Shape, path: String, make: (ItemValues) -> Item,
        encode: @escaping (Item) throws -> Data, decode: @escaping (Data) throws -> Item?
    ) {
        count = shape.count
        root = shape.tree { number, _ in make(ItemValues(number: number)) }
        self.path = path
        self.encode = encode
        self.decode = decode
    }

    func begin() throws {}

    func prepareSaves(durably: Bool) { isDurable = durably }

    func saveAll() throws {
        let data = try encode(root)
        let file = try BareFile(path: path + ".new")
        try data.withUnsafeBytes(file.append)
        if isDurable { try file.synchronize() }
        try check("rename \(path)", rename(path + ".new", path))
        if isDurable { try BareFile.synchronizeDirectory(of: path) }
    }

    func saveChange() throws {
        root.values.count += 1
        try saveAll()
    }

    func end() throws {}

    func restore() throws -> ContinuousClock.Instant {
        restored = try decode(try Data(contentsOf: URL(filePath: path)))
        return .now
    }

    func endAndCountRestored() throws -> Int {
        defer { restored = nil }
        var number = 0
        return restored?.countCorrect(from: &number) ?? 0
    }
}

extension FilePersister<KeyedItem> {
    static func keyed(_ shape: Shape, directory: String) -> FilePersister {
        FilePersister(
            shape, path: directory + "/items.keyed", make: KeyedItem.init,
            encode: {
                try NSKeyedArchiver.archivedData(withRootObject: $0, requiringSecureCoding: true)
            },
            decode: { try NSKeyedUnarchiver.unarchivedObject(ofClass: KeyedItem.self, from: $0) })
    }
}

extension FilePersister<CodableItem> {
    static func json(_ shape: Shape, directory: String) -> FilePersister {
        FilePersister(
            shape, path: directory + "/items.json", make: CodableItem.init,
            encode: { try JSONEncoder().encode($0) },
            decode: { try JSONDecoder().decode(CodableItem.self, from: $0) })
    }

    static func propertyList(_ shape: Shape, directory: String) -> FilePersister {
        FilePersister(
            shape, path: directory + "/items.plist", make: CodableItem.init,
            encode: {
                let encoder = PropertyListEncoder()
                encoder.outputFormat = .binary
                return try encoder.encode($0)
            },
            decode: { try PropertyListDecoder().decode(CodableItem.self, from: $0) })
    }
}
