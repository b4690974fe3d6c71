extension ScalarFormat where Value == Duration {
    /// A whole number with a unit: `500ms`, `5s`, `2m`, `1h`.
    package static var duration: Self {
        let expectation = "a duration such as 500ms, 5s, 2m or 1h"
        return ScalarFormat(expectation, formatValue: { $0.textWithUnit }) {
            scalar throws(ScalarRefusal) in
            let units: KeyValuePairs = ["h": 3_600_000, "m": 60_000, "s": 1000, "ms": 1]
            let milliseconds = try scalar.parseQuantity(units, expectation)
            return .milliseconds(milliseconds)
        }
    }
}

extension ScalarFormat where Value == Int {
    /// A number of bytes, with an optional binary unit: `4096`, `64KiB`, `1MiB`, `2GiB`.
    package static var byteSize: Self {
        let expectation = "a size such as 4096, 64KiB, 1MiB or 2GiB"
        return ScalarFormat(expectation, formatValue: { $0.byteSizeText }) {
            scalar throws(ScalarRefusal) in
            let units: KeyValuePairs = ["GiB": 1 << 30, "MiB": 1 << 20, "KiB": 1 << 10, "": 1]
            return try scalar.parseQuantity(units, expectation)
        }
    }
}

extension PositionedScalar {
    fileprivate func parseQuantity(
        _ units: KeyValuePairs<String, Int>, _ expectation: String
    ) throws(ScalarRefusal) -> Int {
        let digits = text.prefix { "0"..."9" ~= $0 && $0.isASCII }
        guard digits.isDigits, let unit = units.first(where: { $0.key == text[digits.endIndex...] })
        else { throw ScalarRefusal("write \(expectation)") }
        guard let number = Int(digits) else { throw ScalarRefusal("write a smaller number") }
        let (value, overflow) = number.multipliedReportingOverflow(by: unit.value)
        guard !overflow else { throw ScalarRefusal("write a smaller number") }
        return value
    }
}

extension Duration {
    /// The duration in the syntax of configuration files, in the largest unit that yields a whole number.
    ///
    /// Fractions of a millisecond are dropped.
    package var textWithUnit: String {
        let (seconds, attoseconds) = components
        let milliseconds = attoseconds / 1_000_000_000_000_000
        if milliseconds != 0 {
            return seconds == 0 ? "\(milliseconds)ms" : "\(seconds * 1000 + milliseconds)ms"
        }
        if seconds != 0, seconds % 3600 == 0 { return "\(seconds / 3600)h" }
        if seconds != 0, seconds % 60 == 0 { return "\(seconds / 60)m" }
        return "\(seconds)s"
    }
}

extension Int {
    /// The number of bytes in the syntax of configuration files, in the largest unit that yields a whole number.
    package var byteSizeText: String {
        for (unit, bytes) in [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)]
        where self != 0 && self % bytes == 0 {
            return "\(self / bytes)\(unit)"
        }
        return "\(self)"
    }
}
