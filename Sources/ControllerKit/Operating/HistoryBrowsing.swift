/// What shows a page at an address and keeps those that it showed before: a web view.
public protocol HistoryBrowsing: BackGoing {
    /// A person asks for a page, which comes behind the one that is shown.
    ///
    /// - Parameter address: a URL.
    /// - Throws: ``OperationError/notPossible(_:)`` if the address is none.
    func load(_ address: String) throws(OperationError)

    /// A person goes forward by one, after having gone back.
    ///
    /// - Throws: ``OperationError/notPossible(_:)`` if nothing is behind.
    func goForward() throws(OperationError)
}
