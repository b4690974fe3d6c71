/// What shows a page at an address and keeps those that it showed before: a web view.
public protocol HistoryBrowsing: BackGoing, ForwardGoing {
    /// A person asks for a page, which comes behind the one that is shown.
    ///
    /// - Parameter address: a URL.
    /// - Throws: ``OperationError/notPossible(_:)`` if the address is none.
    func load(_ address: String) throws(OperationError)
}
