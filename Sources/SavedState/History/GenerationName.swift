import ExactText

/// Name of a generation: its number, with at least six digits.
package struct GenerationName: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Suffix that follows the number in the file name.
    static let suffix = ".archive"

    /// Number of the generation, starting at 1. Later generations have higher numbers.
    package let number: Int

    /// Creates the name for a number, or returns `nil` if the number is out of range.
    init?(number: Int) {
        guard (1...NumberedName.highestNumber).contains(number) else { return nil }
        self.number = number
    }

    /// Parses a name with or without leading zeros, or returns `nil` if it is not valid.
    package init?(_ text: String) {
        let isDigits = text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard isDigits, let number = Int(text) else { return nil }
        self.init(number: number)
    }

    /// Parses the name of a generation's file, or returns `nil` if the name is not valid, for example because of
    /// additional zeros.
    init?(fileName: String) {
        guard fileName.hasSuffix(Self.suffix) else { return nil }
        self.init(String(fileName.dropLast(Self.suffix.count)))
        guard self.fileName == fileName else { return nil }
    }

    /// Parses the path of a generation's file, or returns `nil` if the file name in the path is not valid.
    package init?(path: String) {
        self.init(fileName: path.split(separator: "/").last.map(String.init) ?? "")
    }

    /// The name, for example `000012`.
    package var description: String { NumberedName.paddedNumber(number) }

    /// Name of the generation's file, for example `000012.archive`.
    var fileName: String { "\(self)\(Self.suffix)" }

    package static func < (left: GenerationName, right: GenerationName) -> Bool {
        left.number < right.number
    }
}

/// File names that begin with a number of at least six digits.
enum NumberedName {
    /// Highest valid number. A number with eighteen digits fits into an `Int` and can still be incremented.
    static let highestNumber = 999_999_999_999_999_999

    /// Returns the digits of a number, padded with zeros to at least six digits.
    static func paddedNumber(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 6 - digits.count)) + digits
    }

    /// Returns the number at the beginning of a name, or `nil` if the name does not begin with a valid number.
    static func number(of name: String) -> Int? {
        let digits = name.utf8.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard digits.count <= 18 else { return nil }
        return Int(String(decoding: digits, as: UTF8.self))
    }

    /// Returns the file name suffix for a file that contains a scene's state.
    ///
    /// The suffix contains the scene's name, which is shortened if necessary.
    static func suffix(for scene: String) -> String {
        // A scene name from a file may contain any characters.
        var sanitized = String(
            scene.unicodeScalars.map {
                $0 != "/" && $0.value >= 0x20 && $0.value != 0x7F ? Character($0) : "_"
            })
        // A file name has at most 255 bytes, including the number and the suffix for the reason.
        while sanitized.utf8.count > 200 { sanitized.removeLast() }
        return "\(sanitized).archive"
    }
}
