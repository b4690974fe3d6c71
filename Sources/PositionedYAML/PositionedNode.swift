/// A piece of a YAML document that knows where it stands.
///
/// The tree is plain: no aliases, no tags, every key of a mapping a distinct string, at most
/// ``YAMLLimits/depth`` levels. What else YAML allows was refused when the text was parsed.
package struct PositionedNode: Sendable, Hashable {
    /// The three shapes of a node.
    package enum Content: Sendable, Hashable {
        /// A single value as it was written.
        case scalar(PositionedScalar)
        /// A list, in its order.
        case sequence([PositionedNode])
        /// Keys and values in the order of the file.
        case mapping([PositionedEntry])
    }

    /// What the node holds.
    package var content: Content
    /// Where the node begins; for a mapping in block style this is its first key.
    package let position: SourcePosition

    /// Makes a node.
    package init(_ content: Content, at position: SourcePosition) {
        self.content = content
        self.position = position
    }

    /// Whether this is the plain scalar `null`, `~` or nothing at all.
    package var isNull: Bool {
        if case .scalar(let scalar) = content { scalar.isNull } else { false }
    }
}

/// One key of a mapping, with its value.
package struct PositionedEntry: Sendable, Hashable {
    /// The key.
    package let key: String
    /// Where the key stands.
    package let keyPosition: SourcePosition
    /// What stands under the key.
    package var value: PositionedNode

    /// Makes an entry.
    package init(_ key: String, at keyPosition: SourcePosition, _ value: PositionedNode) {
        self.key = key
        self.keyPosition = keyPosition
        self.value = value
    }
}

/// The text of a single value, not yet understood as a number, a duration or a string.
package struct PositionedScalar: Sendable, Hashable {
    /// The text after quotes and escapes were taken away.
    package let text: String
    /// Whether it stood in quotes or in a literal or folded block, so that it can only be text.
    package let isQuoted: Bool

    /// Makes a scalar.
    package init(_ text: String, isQuoted: Bool) {
        self.text = text
        self.isQuoted = isQuoted
    }

    /// Whether this is `null`, `~` or nothing, without quotes.
    package var isNull: Bool {
        !isQuoted && ["", "~", "null", "Null", "NULL"].contains(text)
    }
}
