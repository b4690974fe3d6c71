/// What a person can tap as a whole: a button, a switch.
public protocol Tappable: AnyObject {
    /// A person taps it.
    ///
    /// - Throws: ``OperationError/notPossible(_:)`` if it takes no taps now.
    func tap() throws(OperationError)
}
