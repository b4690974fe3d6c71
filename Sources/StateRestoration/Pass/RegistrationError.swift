import ExactText

/// Error thrown if an object cannot be registered under its identifier (P12).
public struct RegistrationError: Error, CustomStringConvertible {
    /// Identifier under which the object could not be registered.
    public let identifier: RestorationIdentifier
    /// Whether the object is registered in another scene. Otherwise, another object has its path.
    public let isRegisteredElsewhere: Bool

    package init(identifier: RestorationIdentifier, isRegisteredElsewhere: Bool = false) {
        self.identifier = identifier
        self.isRegisteredElsewhere = isRegisteredElsewhere
    }

    /// Sentence that describes the error, with the identifier and the remedy.
    public var description: String {
        isRegisteredElsewhere
            ? "the object to be registered as \"\(identifier)\" is registered with another scene: "
                + "register a separate object with each scene"
            : "another object is registered as \"\(identifier)\": register this one under another identifier"
    }
}
