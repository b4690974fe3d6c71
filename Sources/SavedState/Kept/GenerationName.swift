/// The name of a generation: its number, written with at least six digits.
package struct GenerationName: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// What follows the number in the name of the file.
    static let suffix = ".archive"

    /// The number, 1 or more; a higher one was made later.
    package let number: Int

    /// The highest number: eighteen digits fit an Int with room to count on.
    private static let highest = 999_999_999_999_999_999

    /// The name of this number; nil if it is none.
    init?(number: Int) {
        guard (1...Self.highest).contains(number) else { return nil }
        self.number = number
    }

    /// The name that somebody wrote, with or without the zeros in front; nil if it is none.
    package init?(_ text: String) {
        let isDigits = text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard isDigits, let number = Int(text) else { return nil }
        self.init(number: number)
    }

    /// The generation whose file has this name; nil if no generation's has, as it has other zeros.
    init?(file: String) {
        guard file.hasSuffix(Self.suffix) else { return nil }
        self.init(String(file.dropLast(Self.suffix.count)))
        guard self.file == file else { return nil }
    }

    /// The name: `000012`.
    package var description: String { NumberedName.text(number) }

    /// The name of its file: `000012.archive`.
    var file: String { "\(self)\(Self.suffix)" }

    package static func < (left: GenerationName, right: GenerationName) -> Bool {
        left.number < right.number
    }
}

/// File names that begin with a number of at least six digits.
enum NumberedName {
    /// A name with a number one higher than the highest of those there, beginning with 1.
    static func next(after names: [String], suffix: String) -> String {
        var highest = 0
        for name in names {
            // Eighteen digits fit an Int with room to count on.
            let digits = name.utf8.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            if digits.count <= 18, let number = Int(String(decoding: digits, as: UTF8.self)) {
                highest = max(highest, number)
            }
        }
        return text(highest + 1) + suffix
    }

    /// A number as such names begin with it.
    static func text(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 6 - digits.count)) + digits
    }
}
