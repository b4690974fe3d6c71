/// Scanner that splits the text of an interface definition into tokens. Each token has its offset and the comment above
/// it.
struct InterfaceScanner {
    struct Token {
        enum Kind: Equatable {
            case word(String)
            case symbol(String)
            case endOfText
        }

        let kind: Kind
        let offset: Int
        /// Comment lines directly above the token, joined by newlines.
        let documentation: String
        /// Whether a line break separates the token from the previous token.
        let startsLine: Bool
    }

    let bytes: [UInt8]
    private(set) var offset = 0

    /// Returns the next token, or ``Token/Kind/endOfText`` if no token remains.
    mutating func next() -> Token {
        let (documentation, startsLine) = skipSpaceAndComments()
        let start = offset
        func makeToken(_ kind: Token.Kind) -> Token {
            Token(kind: kind, offset: start, documentation: documentation, startsLine: startsLine)
        }
        guard offset < bytes.count else { return makeToken(.endOfText) }
        if Self.isWordByte(bytes[offset]) {
            while offset < bytes.count, Self.isWordByte(bytes[offset]), !isAtArrow { offset += 1 }
            if offset > start { return makeToken(.word(string(in: start..<offset))) }
        }
        for symbol in ["[string]", "[]", "->"] where starts(with: symbol) {
            offset += symbol.utf8.count
            return makeToken(.symbol(symbol))
        }
        offset += 1
        while offset < bytes.count, bytes[offset] & 0xC0 == 0x80 { offset += 1 }
        return makeToken(.symbol(string(in: start..<offset)))
    }

    /// Returns the one-based line and column of a byte in the text.
    func position(of offset: Int) -> (line: Int, column: Int) {
        let precedingBytes = bytes[..<offset]
        let line = precedingBytes.count { $0 == UInt8(ascii: "\n") } + 1
        let lineStart = (precedingBytes.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1
        return (line, offset - lineStart + 1)
    }

    private var isAtArrow: Bool { starts(with: "->") }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
            UInt8(ascii: "."):
            true
        default: false
        }
    }

    private func starts(with symbol: String) -> Bool {
        bytes[offset...].starts(with: symbol.utf8)
    }

    private func string(in range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }

    /// Skips white space and comments. A comment belongs to the next token unless an empty line separates them.
    private mutating func skipSpaceAndComments() -> (documentation: String, startsLine: Bool) {
        var comments: [String] = []
        var lineBreakCount = offset == 0 ? 1 : 0
        var startsLine = offset == 0
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"):
                offset += 1
            case UInt8(ascii: "\n"):
                offset += 1
                lineBreakCount += 1
                startsLine = true
                if lineBreakCount > 1 { comments.removeAll() }
            case UInt8(ascii: "#"):
                let isOnOwnLine = lineBreakCount > 0
                let line = readCommentLine()
                if isOnOwnLine { comments.append(line) }
                lineBreakCount = 0
            default:
                return (comments.joined(separator: "\n"), startsLine)
            }
        }
        return (comments.joined(separator: "\n"), startsLine)
    }

    private mutating func readCommentLine() -> String {
        let end = bytes[offset...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        var line = bytes[(offset + 1)..<end]
        offset = end
        if line.first == UInt8(ascii: " ") { line.removeFirst() }
        while let lastByte = line.last, [0x20, 0x09, 0x0D].contains(lastByte) { line.removeLast() }
        return String(decoding: line, as: UTF8.self)
    }
}

/// Rules for the three kinds of names in an interface definition. Source: varlink.org, "Interface Definition".
enum InterfaceNameRules {
    /// Returns whether a string is a valid interface name, such as `org.example.Name`.
    ///
    /// The name consists of at least two labels, separated by dots. A label contains letters, digits and inner hyphens,
    /// and the first label starts with a letter.
    static func isInterfaceName(_ name: String) -> Bool {
        let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard labels.count >= 2, name.utf8.count <= 255, let firstByte = name.utf8.first,
            isLetter(firstByte)
        else { return false }
        return labels.allSatisfy { label in
            guard let firstByte = label.first, let lastByte = label.last else { return false }
            return isAlphanumeric(firstByte) && isAlphanumeric(lastByte)
                && label.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
        }
    }

    /// Returns whether a string is a valid name for a type, method or error.
    ///
    /// The name starts with a capital letter, followed by letters and digits.
    static func isTypeName(_ name: String) -> Bool {
        guard let firstByte = name.utf8.first,
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(firstByte)
        else { return false }
        return name.utf8.allSatisfy(isAlphanumeric)
    }

    /// Returns whether a string is a valid name for a field or case.
    ///
    /// The name starts with a letter, followed by letters, digits and single inner underscores.
    static func isFieldName(_ name: String) -> Bool {
        guard let firstByte = name.utf8.first, isLetter(firstByte) else { return false }
        let parts = name.utf8.split(separator: UInt8(ascii: "_"), omittingEmptySubsequences: false)
        return parts.allSatisfy { !$0.isEmpty && $0.allSatisfy(isAlphanumeric) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
