extension ScalarFormat where Value == String {
    /// Text in quotes, or plain text that cannot be taken for a number, a truth value or null.
    ///
    /// `bundleVersion: 1` is refused, because `1.10` would silently become `1.1` elsewhere.
    package static var string: Self {
        ScalarFormat("a text", show: { $0 }) { scalar throws(ScalarRefusal) in
            guard scalar.isQuoted || !scalar.looksLikeOtherType else {
                throw ScalarRefusal("write it in quotes, \"\(scalar.text)\"")
            }
            return scalar.text
        }
    }
}

extension ScalarFormat where Value == Int {
    /// A whole number in decimal digits, with a sign or without, not in quotes.
    package static var integer: Self {
        ScalarFormat("a whole number such as 16", show: { "\($0)" }) {
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

extension ScalarFormat where Value == Double {
    /// A finite decimal number, `2`, `0.5` or `1e-3`, not in quotes.
    package static var double: Self {
        ScalarFormat("a number such as 0.5", show: { "\($0)" }) { scalar throws(ScalarRefusal) in
            guard scalar.isDecimal, let number = Double(scalar.text), number.isFinite else {
                throw ScalarRefusal("write a number such as 0.5")
            }
            guard !scalar.isQuoted else {
                throw ScalarRefusal("write it without quotes, \(scalar.text)")
            }
            return number
        }
    }
}

extension ScalarFormat where Value == Bool {
    /// `true` or `false`, not in quotes; no `yes`, `no`, `on`, `off`.
    package static var boolean: Self {
        ScalarFormat("true or false", show: { "\($0)" }) { scalar throws(ScalarRefusal) in
            guard !scalar.isQuoted, let value = Bool(scalar.text) else {
                throw ScalarRefusal("write true or false, without quotes")
            }
            return value
        }
    }
}

extension ScalarFormat
where Value: CaseIterable & RawRepresentable & Sendable, Value.RawValue == String {
    /// One of the words that are the raw values of an enumeration.
    package static var word: Self {
        let words = Value.allCases.map(\.rawValue)
        let expectation = "one of " + words.joined(separator: ", ")
        return ScalarFormat(expectation, show: \.rawValue) { scalar throws(ScalarRefusal) in
            if let value = Value(rawValue: scalar.text) { return value }
            let meant = Spelling.closest(to: scalar.text, among: words)
            throw ScalarRefusal(
                "write \(expectation)" + (meant.map { "; did you mean \(Quotation($0))?" } ?? ""))
        }
    }
}
