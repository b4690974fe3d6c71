import ExactText

/// The name under which an object takes part in preservation and restoration.
///
/// 1 to 255 bytes of UTF-8 without `/` or control characters, which neither begin with `@` nor end
/// in `~` and digits (rule I5). Two identifiers are equal when their bytes are.
public struct RestorationIdentifier: Sendable {
    /// The identifier's text.
    public let text: String

    /// Checks and keeps an identifier.
    ///
    /// - Parameter text: what a person or a storyboard wrote.
    /// - Throws: ``RestorationIdentifierError`` naming the text and what is wrong with it (I5).
    public init(validating text: String) throws(RestorationIdentifierError) {
        if let problem = Self.problem(in: text) {
            throw RestorationIdentifierError(text: text, problem: problem)
        }
        self.text = text
    }

    /// The identifier of the `ordinal`th of equal siblings in a navigation or split controller,
    /// `id~2` and so on (I3). Such a name exists in records only.
    package init(_ base: RestorationIdentifier, ordinal: Int) {
        text = ordinal < 2 ? base.text : "\(base.text)~\(ordinal)"
    }

    /// The identifier without the ordinal that it has in a record.
    package var withoutOrdinal: RestorationIdentifier {
        let bytes = text.utf8
        guard let tilde = bytes.lastIndex(of: UInt8(ascii: "~")) else { return self }
        let digits = bytes[bytes.index(after: tilde)...]
        guard !digits.isEmpty, digits.allSatisfy(Self.isDigit) else { return self }
        return RestorationIdentifier(recorded: String(text[..<tilde]))
    }

    /// An identifier read from a record, where ordinals are legal and the check was made earlier.
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
    /// Compares bytes, not characters: `é` as one scalar and as two are different identifiers (I5).
    public static func == (left: Self, right: Self) -> Bool {
        left.text == right.text
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        ExactString(text).hash(into: &hasher)
    }
}

extension RestorationIdentifier: CustomStringConvertible {
    /// The identifier's text.
    public var description: String { text }
}

extension RestorationIdentifier: ExpressibleByStringLiteral {
    /// An identifier written in source code. One that breaks I5 is a programming error and traps.
    public init(stringLiteral text: String) {
        if let problem = Self.problem(in: text) {
            preconditionFailure(
                RestorationIdentifierError(text: text, problem: problem).description)
        }
        self.text = text
    }
}

/// A text that cannot be a restoration identifier (I5).
public struct RestorationIdentifierError: Error, Equatable, CustomStringConvertible {
    /// The problem with the text.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Problem: Sendable, Equatable {
        /// The text has no bytes.
        case empty
        /// The text has more than 255 bytes.
        case tooLong(bytes: Int)
        /// The text begins with `@`, which addresses objects without an identifier.
        case beginsWithAt
        /// The text has a `/`, which separates the identifiers of a path.
        case slash
        /// The text has a control character.
        case controlCharacter
        /// The text ends in `~` and digits, which tells equal siblings apart.
        case endsInOrdinal
    }

    /// The refused text.
    public let text: String
    /// The problem.
    public let problem: Problem

    /// One sentence: what is wrong, and what to write instead.
    public var description: String {
        let shown = text.unicodeScalars.map { $0.escaped(asASCII: false) }.joined()
        let subject = "the restoration identifier \"\(shown)\""
        return switch problem {
        case .empty: "an empty restoration identifier: leave it out, or write 1 to 255 bytes"
        case .tooLong(let bytes):
            "a restoration identifier of \(bytes) bytes (\"\(shown.prefix(32))…\"): "
                + "at most 255 are allowed"
        case .beginsWithAt: "\(subject) begins with @: choose another first letter"
        case .slash: "\(subject) has a / in it: write it without"
        case .controlCharacter: "\(subject) has a control character: write it without"
        case .endsInOrdinal: "\(subject) ends in ~ and digits: choose another end"
        }
    }
}

/// The identifiers from a root to an object, written `nav/parent/child1/textField` (I2).
public struct RestorationPath: Hashable, Sendable {
    /// The most bytes that a written path has (I2).
    public static let maximumBytes = 4096

    /// The identifiers, the root's first. Never empty in a path that belongs to an object.
    public let components: [RestorationIdentifier]

    /// A path of these identifiers, the root's first.
    public init(_ components: [RestorationIdentifier]) {
        self.components = components
    }

    /// A path as it is written.
    package init(recorded text: String) {
        self.init(text.parts(separatedBy: "/").map { RestorationIdentifier(recorded: $0) })
    }

    /// The path of an object below this one.
    public func appending(_ identifier: RestorationIdentifier) -> RestorationPath {
        RestorationPath(components + [identifier])
    }
}

extension RestorationPath: CustomStringConvertible {
    /// The identifiers with a `/` between them.
    public var description: String {
        components.map(\.text).joined(separator: "/")
    }
}
