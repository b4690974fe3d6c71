/// What a person goes forward in: pages, a history.
public protocol ForwardGoing: AnyObject {
    /// A person goes forward by one.
    ///
    /// - Throws: ``OperationError/notPossible(_:)`` if nothing is behind.
    func goForward() throws(OperationError)
}
