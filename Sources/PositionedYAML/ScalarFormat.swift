import ExactText

/// The syntax and meaning of a single value in a file.
///
/// A format reads a scalar and either returns the value or throws a description of what to write instead.
package struct ScalarFormat<Value: Sendable>: Sendable {
    /// The phrase that completes "write …", for example `a duration such as 500ms`.
    package let expectation: String
    /// A closure that converts a value to its written form, for messages about ranges.
    package let formatValue: @Sendable (Value) -> String
    /// A closure that parses a scalar.
    ///
    /// The scalar is never null.
    package let read: @Sendable (PositionedScalar) throws(ScalarRefusal) -> Value

    /// Creates a format.
    package init(
        _ expectation: String, formatValue: @escaping @Sendable (Value) -> String,
        read: @escaping @Sendable (PositionedScalar) throws(ScalarRefusal) -> Value
    ) {
        self.expectation = expectation
        self.formatValue = formatValue
        self.read = read
    }

    /// Returns this format with an additional condition.
    ///
    /// - Parameter problem: A closure that returns `nil` if a value is allowed. Otherwise, it returns a phrase that
    ///   states what to do. The phrase follows a colon and has no period.
    package func refusing(
        _ problem: @escaping @Sendable (Value) -> String?
    ) -> ScalarFormat {
        let read = read
        return ScalarFormat(expectation, formatValue: formatValue) { scalar throws(ScalarRefusal) in
            let value = try read(scalar)
            if let problem = problem(value) { throw ScalarRefusal(problem) }
            return value
        }
    }
}

extension ScalarFormat where Value: Comparable {
    /// Returns this format, limited to a closed range.
    package func within(_ range: ClosedRange<Value>) -> ScalarFormat {
        let formatValue = formatValue
        let (low, high) = (range.lowerBound, range.upperBound)
        return refusing { value in
            range.contains(value)
                ? nil : "write a value from \(formatValue(low)) to \(formatValue(high))"
        }
    }
}

/// An error that rejects a scalar and describes what to write instead.
package struct ScalarRefusal: Error, Sendable, Hashable {
    /// A phrase that says what to write instead of the rejected value, without a period.
    package let remedy: String

    /// Creates a refusal.
    package init(_ remedy: String) { self.remedy = remedy }
}

extension ScalarFormat where Value == String {
    /// A string: quoted text, or unquoted text that cannot be mistaken for a number, a Boolean or null.
    ///
    /// For example, `bundleVersion: 1.10` is rejected, because other parsers would silently read it as `1.1`.
    package static var string: Self {
        ScalarFormat("a string", formatValue: { $0 }) { scalar throws(ScalarRefusal) in
            guard scalar.isQuoted || !scalar.looksLikeOtherType else {
                throw ScalarRefusal("write it in quotes, \"\(scalar.text)\"")
            }
            return scalar.text
        }
    }
}

extension ScalarFormat where Value == Int {
    /// An unquoted integer in decimal digits, with or without a sign.
    package static var integer: Self {
        ScalarFormat("a whole number such as 16", formatValue: { "\($0)" }) {
            scalar throws(ScalarRefusal) in
            guard let number = Int(scalar.text) else {
                if scalar.text.isDigits { throw ScalarRefusal("write a smaller number") }
                throw ScalarRefusal("write a whole number such as 16")
            }
            guard !scalar.isQuoted else {
                throw ScalarRefusal("write it without quotes, \(number)")
            }
            return number
        }
    }
}

extension ScalarFormat where Value == Bool {
    /// An unquoted `true` or `false`.
    ///
    /// `yes`, `no`, `on` and `off` are not allowed.
    package static var boolean: Self {
        ScalarFormat("true or false", formatValue: { "\($0)" }) { scalar throws(ScalarRefusal) in
            guard !scalar.isQuoted, let value = Bool(scalar.text) else {
                throw ScalarRefusal("write true or false, without quotes")
            }
            return value
        }
    }
}

extension ScalarFormat
where Value: CaseIterable & RawRepresentable & Sendable, Value.RawValue == String {
    /// One of the raw values of an enumeration.
    package static var enumeration: Self {
        let words = Value.allCases.map(\.rawValue)
        let expectation = "one of " + words.joined(separator: ", ")
        return ScalarFormat(expectation, formatValue: \.rawValue) { scalar throws(ScalarRefusal) in
            if let value = Value(rawValue: scalar.text) { return value }
            let closestWord = SpellingSuggestions.closestWord(to: scalar.text, among: words)
            throw ScalarRefusal(
                "write \(expectation)"
                    + (closestWord.map { "; did you mean \(Quotation($0))?" } ?? ""))
        }
    }
}

extension PositionedScalar {
    /// Whether other YAML parsers would interpret the unquoted text as a number, a Boolean or null.
    ///
    /// Examples are integers in base 10, 8 and 16, decimal numbers, infinities, NaN, `true`, `false` and `null`.
    var looksLikeOtherType: Bool {
        if isNull || isDecimal { return true }
        if ["true", "false"].contains(text.lowercased()) { return true }
        let unsignedText = text.hasPrefix("-") || text.hasPrefix("+") ? text.dropFirst() : text[...]
        if [".inf", ".nan"].contains(unsignedText.lowercased()) { return true }
        if unsignedText.hasPrefix("0x") {
            return UInt64(unsignedText.dropFirst(2), radix: 16) != nil
        }
        if unsignedText.hasPrefix("0o") {
            return UInt64(unsignedText.dropFirst(2), radix: 8) != nil
        }
        return false
    }

    /// Whether the text is a decimal number: an optional sign, digits with at most one point, and an optional
    /// exponent.
    var isDecimal: Bool {
        var remainingBytes = text.utf8[...]
        if let first = remainingBytes.first,
            first == UInt8(ascii: "-") || first == UInt8(ascii: "+")
        {
            remainingBytes.removeFirst()
        }
        var digitCount = remainingBytes.removeDigits()
        if remainingBytes.first == UInt8(ascii: ".") {
            remainingBytes.removeFirst()
            digitCount += remainingBytes.removeDigits()
        }
        guard digitCount > 0 else { return false }
        if let first = remainingBytes.first,
            first == UInt8(ascii: "e") || first == UInt8(ascii: "E")
        {
            remainingBytes.removeFirst()
            if let sign = remainingBytes.first,
                sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+")
            {
                remainingBytes.removeFirst()
            }
            guard remainingBytes.removeDigits() > 0 else { return false }
        }
        return remainingBytes.isEmpty
    }
}

extension StringProtocol {
    /// Whether the text is not empty and consists only of ASCII digits.
    var isDigits: Bool {
        !isEmpty && utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}

extension Substring.UTF8View {
    fileprivate mutating func removeDigits() -> Int {
        let digitCount = prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
        removeFirst(digitCount)
        return digitCount
    }
}
