/// What a person types into: a text field, a text view.
public protocol TextInput: AnyObject {
    /// A person replaces the whole text, or writes behind it. The caret stands behind it then.
    ///
    /// - Throws: ``OperationError/notPossible(_:)`` if the text cannot be edited.
    func type(_ text: String, appending: Bool) throws(OperationError)

    /// A person selects characters, or places the caret.
    ///
    /// - Parameter range: characters (grapheme clusters) counted from 0; an empty one is the caret.
    /// - Throws: ``OperationError/notPossible(_:)`` if the range does not fit the text.
    func chooseText(_ range: Range<Int>) throws(OperationError)
}
