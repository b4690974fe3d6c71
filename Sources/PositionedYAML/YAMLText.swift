/// A text that is fit for the YAML parser: bounded, UTF-8, without control characters, and with
/// so few possible aliases that none can make the parser work without end.
struct YAMLText {
    /// The text, without a byte order mark.
    let text: String
    /// The file it came from.
    let file: String

    /// Checks the bytes of a file.
    ///
    /// - Throws: The first problem, with its place.
    init(_ bytes: [UInt8], file: String) throws(PositionedError) {
        guard bytes.count <= YAMLLimits.size else {
            throw PositionedError(
                "the file has \(bytes.count) bytes and at most \(YAMLLimits.size) are read: "
                    + "make it smaller or split it.",
                at: SourcePosition(file: file))
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Self.encodingError(bytes, file: file)
        }
        let hasMark = text.unicodeScalars.first == "\u{FEFF}"
        self.text = hasMark ? String(text.unicodeScalars.dropFirst()) : text
        self.file = file
        try checkScalars()
    }

    private static func encodingError(_ bytes: [UInt8], file: String) -> PositionedError {
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            return PositionedError(
                "the file is UTF-16: save it as UTF-8.", at: SourcePosition(file: file))
        }
        var counter = ScalarCounter()
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        while case .scalarValue(let scalar) = decoder.decode(&iterator) {
            if scalar != "\u{FEFF}" { counter.advance(over: scalar) }
        }
        return PositionedError(
            "this character is not UTF-8: write it again and save the file as UTF-8.",
            at: counter.position(in: file))
    }

    private func checkScalars() throws(PositionedError) {
        var counter = ScalarCounter()
        var anchors: Set<Substring> = []
        var firstAlias: SourcePosition?
        var aliases = 0
        var index = text.unicodeScalars.startIndex
        while index < text.unicodeScalars.endIndex {
            let scalar = text.unicodeScalars[index]
            let next = text.unicodeScalars.index(after: index)
            if Self.isForbidden(scalar) {
                throw PositionedError(
                    "the control character U+\(String(scalar.value, radix: 16, uppercase: true)) "
                        + "may not stand here: take it out, or write it as an escape in quotes.",
                    at: counter.position(in: file))
            }
            if scalar == "&" {
                anchors.insert(anchorName(from: next))
            } else if scalar == "*", anchors.contains(anchorName(from: next)) {
                aliases += 1
                firstAlias = firstAlias ?? counter.position(in: file)
            }
            counter.advance(over: scalar)
            index = next
        }
        if let firstAlias, aliases > YAMLLimits.possibleAliases {
            throw .alias(at: firstAlias)
        }
    }

    private func anchorName(from start: String.Index) -> Substring {
        let isPart = { (scalar: Unicode.Scalar) in
            switch scalar {
            case "0"..."9", "a"..."z", "A"..."Z", "_", "-": true
            default: false
            }
        }
        return Substring(text.unicodeScalars[start...].prefix(while: isPart))
    }

    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D, 0x20...0x7E, 0x85, 0xA0...0xFFFD, 0x1_0000...0x10_FFFF: false
        default: true
        }
    }
}

extension PositionedError {
    /// Anchors and aliases are refused: they can make a small file expand without end.
    static func alias(at position: SourcePosition) -> PositionedError {
        PositionedError(
            "anchors and aliases (\"&name\", \"*name\") are not read: "
                + "write the value out where it is needed.",
            at: position)
    }

    /// Lists and mappings lie in one another too deep.
    static func tooDeep(at position: SourcePosition) -> PositionedError {
        PositionedError(
            "the nesting is deeper than \(YAMLLimits.depth) levels: make it flatter.", at: position)
    }
}

/// The bounds within which YAML is read.
package enum YAMLLimits {
    /// The largest document, in bytes: 1 MiB.
    package static let size = 1 << 20
    /// The deepest nesting of lists and mappings.
    package static let depth = 32
    /// How many things that look like an alias of a known anchor may reach the parser. True ones
    /// are refused after parsing, but until then each one could multiply the work.
    static let possibleAliases = 4
    /// How many duplicate keys are looked up for their second place.
    static let duplicateKeys = 32
}
