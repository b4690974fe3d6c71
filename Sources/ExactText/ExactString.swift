/// A text as a key. Two keys are equal if their UTF-8 bytes are (rule I5).
///
/// `String` compares by canonical equivalence: to a dictionary or a set, `é` as one scalar and as two are the same key.
package struct ExactString: Sendable {
    /// The text.
    package let text: String

    /// The key of a text.
    package init(_ text: String) { self.text = text }
}

extension ExactString: Hashable, Comparable {
    package static func == (left: Self, right: Self) -> Bool { left.text == right.text }

    package static func < (left: Self, right: Self) -> Bool { left.text < right.text }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
