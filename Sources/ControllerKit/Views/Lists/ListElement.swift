/// What a list shows of one element, on one line.
public struct ListElement: Sendable, Hashable {
    /// What stands on the left.
    public var text: String
    /// What stands at the right edge.
    public var detail: String

    /// An element that shows this.
    public init(text: String, detail: String = "") {
        self.text = text
        self.detail = detail
    }
}
