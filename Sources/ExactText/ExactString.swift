/// Wrapper that compares and hashes a string by its UTF-8 bytes, for use as a key (rule I5).
///
/// `String` itself uses canonical equivalence: `é` as one scalar and `é` as two scalars are the same key in a
/// dictionary or set.
@usableFromInline package struct ExactString: Sendable {
    /// The wrapped string.
    @usableFromInline package let text: String

    /// Creates a key from a string.
    @inlinable package init(_ text: String) { self.text = text }
}

extension ExactString: Hashable, Comparable {
    @inlinable package static func == (left: Self, right: Self) -> Bool { left.text == right.text }

    @inlinable package static func < (left: Self, right: Self) -> Bool { left.text < right.text }

    @inlinable package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension Dictionary where Key == ExactString {
    /// All keys as strings, sorted by UTF-8 bytes.
    @inlinable package var sortedKeys: [String] { keys.sorted().map(\.text) }

    /// The value for the key with the same UTF-8 bytes as the given string, or `nil` if there is no such key.
    @inlinable package subscript(text: String) -> Value? {
        get { self[ExactString(text)] }
        set { self[ExactString(text)] = newValue }
        _modify { yield &self[ExactString(text)] }
    }

    /// The value for the key with the same UTF-8 bytes as the given string, or the default value if there is no such
    /// key.
    @inlinable package subscript(text: String, default value: @autoclosure () -> Value) -> Value {
        get { self[ExactString(text), default: value()] }
        _modify { yield &self[ExactString(text), default: value()] }
    }
}
