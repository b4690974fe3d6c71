/// What has elements in an order of which a person chooses: segments, tabs, pages, rows.
public protocol ElementChoosing: AnyObject {
    /// A person chooses elements; those chosen before are chosen no more.
    ///
    /// - Parameter indexes: the elements' places, counted from 0.
    /// - Throws: ``OperationError`` if there is no such element, or not so many can be chosen.
    func choose(_ indexes: [Int]) throws(OperationError)
}
