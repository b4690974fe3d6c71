/// The three kinds of names in an interface definition. Source: varlink.org, "Interface
/// Definition".
enum InterfaceNames {
    /// `org.example.Name`: at least two labels of letters, digits and inner hyphens; the first
    /// starts with a letter.
    static func isInterface(_ name: String) -> Bool {
        let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard labels.count >= 2, name.utf8.count <= 255, let first = name.utf8.first,
            isLetter(first)
        else { return false }
        return labels.allSatisfy { label in
            guard let first = label.first, let last = label.last else { return false }
            return isAlphanumeric(first) && isAlphanumeric(last)
                && label.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
        }
    }

    /// A type's, method's or error's name: a capital, then letters and digits.
    static func isType(_ name: String) -> Bool {
        guard let first = name.utf8.first,
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first)
        else { return false }
        return name.utf8.allSatisfy(isAlphanumeric)
    }

    /// A field's or word's name: a letter, then letters, digits and single inner underscores.
    static func isField(_ name: String) -> Bool {
        guard let first = name.utf8.first, isLetter(first) else { return false }
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
