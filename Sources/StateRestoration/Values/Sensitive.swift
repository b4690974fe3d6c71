/// A value that is never saved, never printed and never logged (P15).
///
/// A coder that is handed one stores nothing, and gives nil for its key, whatever was saved there.
/// It prints as `<sensitive>`, reflection finds nothing in it, and any encoder, also as a part of a
/// `Codable` value, gets a null in its place. Only ``value`` gives it out.
///
/// ```swift
/// @Restorable("draft") var draft = ""         // comes back
/// var pin = Sensitive("")                     // does not, wherever it is handed to
/// ```
public struct Sensitive<Value> {
    /// The value; nil if there is none, as in one that was decoded.
    public var value: Value?

    /// - Parameter value: what is to be kept secret.
    public init(_ value: Value? = nil) {
        self.value = value
    }
}

extension Sensitive: Sendable where Value: Sendable {}
extension Sensitive: Equatable where Value: Equatable {}
extension Sensitive: Hashable where Value: Hashable {}

extension Sensitive: Codable {
    /// Reads nothing: there is no value.
    public init(from decoder: any Decoder) {
        value = nil
    }

    /// Writes a null.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encodeNil()
    }
}

extension Sensitive: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `<sensitive>`.
    public var description: String { "<sensitive>" }
    /// `<sensitive>`.
    public var debugDescription: String { description }
    /// A mirror that shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Marks a ``Sensitive`` value for a coder, whatever is in it.
protocol NeverSaved {}

extension Sensitive: NeverSaved {}
