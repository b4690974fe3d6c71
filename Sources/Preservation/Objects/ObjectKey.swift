import ExactText
public import StateRestoration

/// Identifier of a registered object or of a list of objects, together with the class of the objects.
///
/// Because the key's type includes the class, looking up an object in a scene does not require a cast.
///
/// ```swift
/// extension ObjectKey<Worker> {
///     static var worker: Self { "worker" }
/// }
/// ```
public struct ObjectKey<Object: StateRestoring & SendableMetatype>: Sendable, Hashable,
    ExpressibleByStringLiteral
{
    /// Text of the identifier. It is validated when an object is added (I5).
    public let text: String

    /// Creates a key from the text of an identifier.
    public init(_ text: String) {
        self.text = text
    }

    /// Creates a key from a string literal.
    public init(stringLiteral text: String) {
        self.text = text
    }
}

extension Scene {
    /// The object that was added with the key, or `nil` if no object with this key and class exists.
    public subscript<Object>(key: ObjectKey<Object>) -> Object? {
        registeredObject(RestorationIdentifier(recorded: key.text))
    }

    /// Returns the list that was added with the key, or `nil` if no list with this key and class exists.
    public func list<Object>(_ key: ObjectKey<Object>) -> ObjectList<Object>? {
        let list: ListObject? = registeredObject(RestorationIdentifier(recorded: key.text))
        return list.flatMap { ObjectList($0) }
    }
}
