import ExactText

/// The storyboard that created an object, with the object's identifier in the storyboard (P13).
public struct StoryboardOrigin: Sendable, Hashable {
    /// Name of the storyboard.
    public var name: String
    /// Identifier of the object in the storyboard.
    public var identifier: String

    /// Creates an origin from a storyboard's name and an identifier in the storyboard.
    public init(name: String, identifier: String) {
        self.name = name
        self.identifier = identifier
    }
}
