extension JSONReader {
    /// Consumes a number. Returns its byte range.
    mutating func skipNumber() throws(JSONReadingError) -> Range<Int> {
        let start = offset
        skip("-")
        if !skip("0") { try skipDigits() }
        if skip(".") { try skipDigits() }
        if skip("e") || skip("E") {
            if !skip("+") { skip("-") }
            try skipDigits()
        }
        return start..<offset
    }

    private mutating func skipDigits() throws(JSONReadingError) {
        let start = offset
        while offset < bytes.count, (0x30...0x39).contains(bytes[offset]) { offset += 1 }
        guard offset > start else { throw malformedError }
    }

    /// Returns the value of a number as a 64-bit integer, or `nil` if the number is not a 64-bit integer. An integer
    /// may be written as `1.0` or `1e2`.
    func integer(_ numberRange: Range<Int>) -> Int64? {
        bytes.withUnsafeBufferPointer { shortInteger($0[numberRange]) }
            ?? DecimalNumber(bytes[numberRange]).integer
    }

    /// Returns the value of a number that consists of an optional sign and at most 18 digits, or `nil` for any other
    /// number.
    private func shortInteger(_ number: Slice<UnsafeBufferPointer<UInt8>>) -> Int64? {
        let isNegative = number.first == UInt8(ascii: "-")
        let digits = isNegative ? number.dropFirst() : number
        guard digits.count <= 18 else { return nil }
        var value: Int64 = 0
        for byte in digits {
            guard (0x30...0x39).contains(byte) else { return nil }
            value = value * 10 + Int64(byte - 0x30)
        }
        return isNegative ? -value : value
    }

    /// Returns the value of a number as a `Double`, or `nil` if the number is too large or too small for this type.
    func double(_ numberRange: Range<Int>) -> Double? {
        let text = String(decoding: bytes[numberRange], as: UTF8.self)
        guard let value = Double(text), value.isFinite else { return nil }
        if value == 0, !DecimalNumber(bytes[numberRange]).isZero { return nil }
        return value
    }
}

/// Exact value of a JSON number. Its absolute value is `magnitude * 10 ** exponent`.
struct DecimalNumber {
    private var isNegative = false
    /// Integer formed by the digits without trailing zeros, or `nil` if it exceeds 64 bits.
    private var magnitude: UInt64? = 0
    private var exponent = 0

    /// Limit for exponents read from text. It is larger than the number of digits in any text.
    private static let maximumExponent = 1 << 40

    /// Parses a number.
    /// - Parameter text: A number in JSON syntax.
    init(_ text: ArraySlice<UInt8>) {
        var isFraction = false
        var zeroCount = 0
        for index in text.indices {
            switch text[index] {
            case UInt8(ascii: "-"): isNegative = true
            case UInt8(ascii: "."): isFraction = true
            case UInt8(ascii: "0"):
                zeroCount += 1
                if isFraction { exponent -= 1 }
            case let digit where (0x31...0x39).contains(digit):
                append(digit - 0x30, after: zeroCount)
                zeroCount = 0
                if isFraction { exponent -= 1 }
            default:
                exponent += zeroCount + Self.parseExponent(text[(index + 1)...])
                return
            }
        }
        exponent += zeroCount
    }

    private mutating func append(_ digit: UInt8, after zeroCount: Int) {
        guard let oldMagnitude = magnitude else { return }
        var newMagnitude = oldMagnitude
        var overflows = false
        // Leading zeros have no effect on the value.
        for _ in 0..<(newMagnitude == 0 ? 1 : zeroCount + 1) where !overflows {
            (newMagnitude, overflows) = newMagnitude.multipliedReportingOverflow(by: 10)
        }
        if !overflows {
            (newMagnitude, overflows) = newMagnitude.addingReportingOverflow(UInt64(digit))
        }
        magnitude = overflows ? nil : newMagnitude
    }

    private static func parseExponent(_ text: ArraySlice<UInt8>) -> Int {
        var value = 0
        for byte in text where (0x30...0x39).contains(byte) {
            value = min(value * 10 + Int(byte - 0x30), maximumExponent)
        }
        return text.first == UInt8(ascii: "-") ? -value : value
    }

    /// Whether every digit is 0.
    var isZero: Bool { magnitude == 0 }

    /// Value as a 64-bit integer, or `nil` if the number is not a 64-bit integer.
    var integer: Int64? {
        guard var value = magnitude else { return nil }
        if value == 0 { return 0 }
        guard (0...19).contains(exponent) else { return nil }
        for _ in 0..<exponent {
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            if overflow { return nil }
            value = product
        }
        if isNegative {
            return value <= UInt64(Int64.max) + 1 ? Int64(truncatingIfNeeded: 0 &- value) : nil
        }
        return Int64(exactly: value)
    }
}
