import ExactText

/// The name of a generation: its number, written with at least six digits.
package struct GenerationName: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// What follows the number in the name of the file.
    static let suffix = ".archive"

    /// The number, 1 or more; a higher one was made later.
    package let number: Int

    /// The name of this number; nil if it is none.
    init?(number: Int) {
        guard (1...NumberedName.highest).contains(number) else { return nil }
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

    /// The generation whose file has this path; nil if no generation's has.
    package init?(path: String) {
        self.init(file: path.split(separator: "/").last.map(String.init) ?? "")
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
    /// The highest number: eighteen digits fit an Int with room to count on.
    static let highest = 999_999_999_999_999_999

    /// A number as such names begin with it.
    static func text(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 6 - digits.count)) + digits
    }

    /// The number that a name begins with; nil if it begins with none.
    static func number(of name: String) -> Int? {
        let digits = name.utf8.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard digits.count <= 18 else { return nil }
        return Int(String(decoding: digits, as: UTF8.self))
    }

    /// What the name of a scene's state ends in: the scene's name, as far as it fits there.
    static func suffix(for scene: String) -> String {
        // What was read may be anything.
        var shown = String(
            scene.unicodeScalars.map {
                $0 != "/" && $0.value >= 0x20 && $0.value != 0x7F ? Character($0) : "_"
            })
        // A number, and the reason's suffix, have to fit into the 255 bytes of a name.
        while shown.utf8.count > 200 { shown.removeLast() }
        return "\(shown).archive"
    }
}
