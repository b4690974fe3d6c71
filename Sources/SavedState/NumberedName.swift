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
