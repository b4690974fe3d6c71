/// What a person goes back in: a stack of controllers, pages, a history.
public protocol BackGoing: AnyObject {
    /// A person goes back by one.
    ///
    /// - Throws: ``OperationError/notPossible(_:)`` if nothing is before.
    func goBack() throws(OperationError)
}
