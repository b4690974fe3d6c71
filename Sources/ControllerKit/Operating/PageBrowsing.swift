/// What a person goes through pages with: a web view.
public protocol PageBrowsing: BackGoing {
    /// A person goes to a page.
    ///
    /// - Parameter address: an absolute URL.
    /// - Throws: ``OperationError/notPossible(_:)`` if it is none.
    func load(_ address: String) throws(OperationError)

    /// A person goes to the page before this one.
    ///
    /// - Throws: ``OperationError/notPossible(_:)`` if there is none.
    func goBack() throws(OperationError)

    /// A person goes to the page from which they went back.
    ///
    /// - Throws: ``OperationError/notPossible(_:)`` if there is none.
    func goForward() throws(OperationError)
}
