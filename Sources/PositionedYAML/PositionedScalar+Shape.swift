extension PositionedScalar {
    /// Whether another reader of YAML would take the plain text for a number, a truth value or
    /// null: integers in base 10, 8 and 16, decimal numbers, infinities, `true`, `false`, `null`.
    var looksLikeOtherType: Bool {
        if isNull || isDecimal { return true }
        if ["true", "false"].contains(text.lowercased()) { return true }
        let unsigned = text.hasPrefix("-") || text.hasPrefix("+") ? text.dropFirst() : text[...]
        if [".inf", ".nan"].contains(unsigned.lowercased()) { return true }
        if unsigned.hasPrefix("0x") {
            return UInt64(unsigned.dropFirst(2), radix: 16) != nil
        }
        if unsigned.hasPrefix("0o") {
            return UInt64(unsigned.dropFirst(2), radix: 8) != nil
        }
        return false
    }

    /// Whether the text is a decimal number: a sign, digits with at most one point, an exponent.
    var isDecimal: Bool {
        var rest = text.utf8[...]
        if let first = rest.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "+") {
            rest.removeFirst()
        }
        var digits = rest.removeDigits()
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            digits += rest.removeDigits()
        }
        guard digits > 0 else { return false }
        if let first = rest.first, first == UInt8(ascii: "e") || first == UInt8(ascii: "E") {
            rest.removeFirst()
            if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
                rest.removeFirst()
            }
            guard rest.removeDigits() > 0 else { return false }
        }
        return rest.isEmpty
    }
}

extension StringProtocol {
    /// Whether there is at least one character and all are ASCII digits.
    var isDigits: Bool {
        !isEmpty && utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}

extension Substring.UTF8View {
    fileprivate mutating func removeDigits() -> Int {
        let digits = prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
        removeFirst(digits)
        return digits
    }
}
