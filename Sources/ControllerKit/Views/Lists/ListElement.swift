import ExactText

/// The one-line text that a list shows for an element.
public struct ListElement: Sendable, Hashable {
    /// The text on the left.
    public var text: String
    /// The text at the right edge.
    public var detail: String

    /// Creates an element with text and an optional detail.
    public init(text: String, detail: String = "") {
        self.text = text
        self.detail = detail
    }
}
