import ExactText

/// Name that identifies an object among its siblings and does not change between launches.
///
/// An identifier has 1 to 255 bytes of UTF-8. It contains neither `/` nor control characters, does not begin
/// with `@`, and does not end in `~` followed by digits (I5). Two identifiers are equal if their bytes are
/// equal.
public struct RestorationIdentifier: Sendable {
    /// Text of the identifier.
    public let text: String

    /// Creates an identifier from text that a user or a storyboard provided.
    ///
    /// - Parameter text: The text to validate.
    /// - Throws: ``RestorationIdentifierError`` with the text and its problem (I5).
    public init(validating text: String) throws(RestorationIdentifierError) {
        if let problem = Self.problem(in: text) {
            throw RestorationIdentifierError(text: text, problem: problem)
        }
        self.text = text
    }

    /// Creates the recorded identifier of one of several siblings with equal identifiers (I3).
    ///
    /// The siblings in a navigation or split controller are recorded as `id`, `id~2` and so on. Only records
    /// contain identifiers with ordinals.
    package init(_ base: RestorationIdentifier, ordinal: Int) {
        text = ordinal < 2 ? base.text : "\(base.text)~\(ordinal)"
    }

    /// The identifier without its ordinal, if it has one.
    package var withoutOrdinal: RestorationIdentifier {
        let bytes = text.utf8
        guard let tildeIndex = bytes.lastIndex(of: UInt8(ascii: "~")) else { return self }
        let digits = bytes[bytes.index(after: tildeIndex)...]
        guard !digits.isEmpty, digits.allSatisfy(Self.isDigit) else { return self }
        return RestorationIdentifier(recorded: String(text[..<tildeIndex]))
    }

    /// Creates an identifier from a record, without validation.
    ///
    /// The identifier might have an ordinal. It was validated before it was recorded.
    package init(recorded text: String) {
        self.text = text
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }

    private static func problem(in text: String) -> RestorationIdentifierError.Problem? {
        let bytes = text.utf8
        if bytes.isEmpty { return .empty }
        if bytes.count > 255 { return .tooLong(bytes: bytes.count) }
        if bytes.first == UInt8(ascii: "@") { return .beginsWithAt }
        if bytes.contains(UInt8(ascii: "/")) { return .slash }
        if text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
            return .controlCharacter
        }
        let digits = bytes.reversed().prefix(while: isDigit)
        if !digits.isEmpty, bytes.dropLast(digits.count).last == UInt8(ascii: "~") {
            return .endsInOrdinal
        }
        return nil
    }
}

extension RestorationIdentifier: Hashable {
    /// Compares two identifiers byte by byte.
    ///
    /// For example, `é` as one Unicode scalar differs from `é` as two scalars (I5).
    public static func == (left: Self, right: Self) -> Bool {
        left.text == right.text
    }

    /// Hashes the bytes of the identifier.
    public func hash(into hasher: inout Hasher) {
        ExactString(text).hash(into: &hasher)
    }
}

extension RestorationIdentifier: CustomStringConvertible {
    /// Text of the identifier.
    public var description: String { text }
}

extension RestorationIdentifier: ExpressibleByStringLiteral {
    /// Creates an identifier from a literal in source code.
    ///
    /// A literal that violates I5 is a programming error and causes a trap.
    public init(stringLiteral text: String) {
        if let problem = Self.problem(in: text) {
            preconditionFailure(
                RestorationIdentifierError(text: text, problem: problem).description)
        }
        self.text = text
    }
}

/// Error for text that is not a valid restoration identifier (I5).
public struct RestorationIdentifierError: Error, Equatable, CustomStringConvertible {
    /// Problem with the text.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Problem: Sendable, Equatable {
        /// The text is empty.
        case empty
        /// The text has more than 255 bytes.
        case tooLong(bytes: Int)
        /// The text begins with `@`, which is reserved for the addresses of objects without identifiers.
        case beginsWithAt
        /// The text contains a `/`, which separates the identifiers in a path.
        case slash
        /// The text contains a control character.
        case controlCharacter
        /// The text ends in `~` followed by digits, a form that is reserved for siblings with equal identifiers.
        case endsInOrdinal
    }

    /// Text that is not a valid identifier.
    public let text: String
    /// Problem with the text.
    public let problem: Problem

    /// Sentence that describes the problem and its remedy.
    public var description: String {
        let escapedText = text.unicodeScalars.map { $0.escaped(asASCII: false) }.joined()
        let subject = "the restoration identifier \"\(escapedText)\""
        return switch problem {
        case .empty: "a restoration identifier cannot be empty: omit it, or use 1 to 255 bytes"
        case .tooLong(let bytes):
            "a restoration identifier of \(bytes) bytes (\"\(escapedText.prefix(32))…\"): "
                + "at most 255 are allowed"
        case .beginsWithAt: "\(subject) begins with @: choose another first character"
        case .slash: "\(subject) contains a /: remove it"
        case .controlCharacter: "\(subject) contains a control character: remove it"
        case .endsInOrdinal: "\(subject) ends in ~ and digits: choose another ending"
        }
    }
}

/// A sequence of identifiers from a root to an object, written as `nav/parent/child1/textField` (I2).
public struct RestorationPath: Hashable, Sendable {
    /// Maximum length of a path in its written form, in bytes (I2).
    public static let maximumBytes = 4096

    /// Identifiers from the root to the object. An object's path is never empty.
    public let components: [RestorationIdentifier]

    /// Creates a path from identifiers, beginning with the identifier of the root.
    public init(_ components: [RestorationIdentifier]) {
        self.components = components
    }

    /// Creates a path from its written form.
    package init(recorded text: String) {
        self.init(text.parts(separatedBy: "/").map { RestorationIdentifier(recorded: $0) })
    }

    /// Returns the path of an object directly below the object with this path.
    public func appending(_ identifier: RestorationIdentifier) -> RestorationPath {
        RestorationPath(components + [identifier])
    }
}

extension RestorationPath: CustomStringConvertible {
    /// The identifiers, separated by `/`.
    public var description: String {
        components.map(\.text).joined(separator: "/")
    }
}
