/// A value that is never saved, printed or logged (P15).
///
/// A state encoder stores nothing for a sensitive value, and a state decoder returns `nil`. The value prints as
/// `<sensitive>` and is hidden from reflection. Other encoders write a null, even if the value is part of a larger
/// `Codable` value. Use ``value`` to access the secret.
///
/// ```swift
/// @Restorable("draft") var draft = ""         // restored
/// var pin = Sensitive("")                     // never restored, wherever it is encoded
/// ```
public struct Sensitive<Value> {
    /// The secret, or `nil` if there is none, for example after decoding.
    public var value: Value?

    /// Creates a sensitive value.
    ///
    /// - Parameter value: The secret.
    public init(_ value: Value? = nil) {
        self.value = value
    }
}

extension Sensitive: Sendable where Value: Sendable {}
extension Sensitive: Equatable where Value: Equatable {}
extension Sensitive: Hashable where Value: Hashable {}

extension Sensitive: Codable {
    /// Creates a sensitive value without a secret. Nothing is read from the decoder.
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
    /// The text `<sensitive>`.
    public var description: String { "<sensitive>" }
    /// The text `<sensitive>`.
    public var debugDescription: String { description }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A protocol that identifies ``Sensitive`` values of any type.
protocol SensitiveValue {}

extension Sensitive: SensitiveValue {}
