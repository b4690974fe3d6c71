// Text for stored numbers and dates, without rounding. Values with different bits have different text.

extension Double {
    /// Decimal representation that can be parsed back to this number without loss.
    ///
    /// A whole number that fits into 64 bits has no decimal point, negative zero is `-0.0`, and a NaN includes its
    /// payload.
    package var exactText: String {
        if isNaN { return debugDescription }
        if let wholeNumber = exactInteger { return "\(wholeNumber)" }
        return description
    }

    /// The number as an integer, or `nil` if the number has a fraction, is negative zero, or does not fit into 64 bits.
    package var exactInteger: Int64? {
        self == 0 && sign == .minus ? nil : Int64(exactly: self)
    }

    /// Creates a number from decimal text, or returns `nil` if reading the text would round the number.
    ///
    /// The text counts as exact if it has the same decimal digits as the number's description.
    package init?(exactly text: String) {
        guard let value = Double(text), value.isFinite,
            let digits = DecimalDigits(text), digits == DecimalDigits(value.description)
        else { return nil }
        self = value
    }
}

/// The digits of a decimal number, for comparison without rounding.
private struct DecimalDigits: Equatable {
    var isNegative: Bool
    /// ASCII digits without leading or trailing zeros.
    var digits: [UInt8]
    /// Exponent of ten: the number is the integer formed by ``digits``, times ten to this power.
    var exponent: Int

    /// Creates the digits of a number in JSON syntax, such as `-12.50e+3`.
    ///
    /// - Returns: `nil` if the exponent does not fit into an `Int`.
    init?(_ text: String) {
        let zero = UInt8(ascii: "0")
        var remainingBytes = Array(text.utf8)[...]
        isNegative = remainingBytes.first == UInt8(ascii: "-")
        if isNegative { remainingBytes.removeFirst() }
        let parts = remainingBytes.split(maxSplits: 1) {
            $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E")
        }
        guard let mantissa = parts.first,
            var exponent = parts.count == 1 ? 0 : Int(String(decoding: parts[1], as: UTF8.self))
        else { return nil }
        var digits = mantissa.filter { $0 != UInt8(ascii: ".") }[...]
        if let pointIndex = mantissa.firstIndex(of: UInt8(ascii: ".")) {
            let (shiftedExponent, overflows) = exponent.subtractingReportingOverflow(
                mantissa.endIndex - pointIndex - 1)
            if overflows { return nil }
            exponent = shiftedExponent
        }
        while digits.last == zero {
            digits.removeLast()
            exponent &+= 1
        }
        digits = digits.drop { $0 == zero }
        self.digits = Array(digits)
        self.exponent = digits.isEmpty ? 0 : exponent
    }
}

/// Returns the text of a stored date in UTC, in RFC 3339 format with all fractional digits.
///
/// If the Gregorian calendar or RFC 3339 cannot represent the date, the text contains the number of seconds since
/// 2001-01-01.
///
/// - Parameter seconds: The stored date, in seconds since 2001-01-01 UTC.
package func dateText(_ seconds: Double) -> String {
    GregorianDate(seconds)?.description ?? "\(seconds.exactText) seconds after 2001-01-01T00:00:00Z"
}

/// A date from the introduction of the Gregorian calendar to the end of the year 9999.
private struct GregorianDate: CustomStringConvertible {
    /// Supported range, from 1582-10-15 to the end of 9999, in seconds since 2001.
    private static let supportedRange = -13_197_600_000.0..<252_423_993_600.0

    /// Whole seconds since 2001, rounded down.
    private let seconds: Int
    /// Decimal point and digits of the fraction of a second, or an empty string.
    private let fractionText: String

    init?(_ seconds: Double) {
        guard Self.supportedRange.contains(seconds), seconds != 0 || seconds.sign == .plus else {
            return nil
        }
        // The fraction is always added to the whole seconds: -0.1 consists of second -1 and the fraction 0.9.
        let parts = seconds.magnitude.description.split(separator: ".")
        guard parts.count == 2, let wholeSeconds = Int(parts[0]), let digits = UInt64(parts[1])
        else {
            return nil
        }
        if digits == 0 {
            self.seconds = seconds < 0 ? -wholeSeconds : wholeSeconds
            fractionText = ""
        } else if seconds < 0 {
            let fractionScale = repeatElement(UInt64(10), count: parts[1].count).reduce(1, *)
            self.seconds = -wholeSeconds - 1
            fractionText = ".\(Self.paddedDigits(Int(fractionScale - digits), to: parts[1].count))"
        } else {
            self.seconds = wholeSeconds
            fractionText = ".\(parts[1])"
        }
    }

    var description: String {
        let (days, secondOfDay) = Self.quotientAndRemainder(seconds, by: 86_400)
        let (year, month, day) = Self.date(daysSince2001: days)
        let timeComponents = [secondOfDay / 3600, secondOfDay / 60 % 60, secondOfDay % 60].map {
            Self.paddedDigits($0, to: 2)
        }
        return
            "\(Self.paddedDigits(year, to: 4))-\(Self.paddedDigits(month, to: 2))-\(Self.paddedDigits(day, to: 2))"
            + "T\(timeComponents.joined(separator: ":"))\(fractionText)Z"
    }

    /// Returns the date of the day that is the given number of days after 2001-01-01.
    private static func date(daysSince2001: Int) -> (year: Int, month: Int, day: Int) {
        // The calculation uses years that begin on March 1, so that the leap day comes last, and eras of 400 years.
        let (era, dayOfEra) = quotientAndRemainder(daysSince2001 + 730_791, by: 146_097)
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month,
            dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        )
    }

    /// Returns the quotient, rounded down, and the remainder, which is not negative.
    private static func quotientAndRemainder(_ number: Int, by divisor: Int) -> (Int, Int) {
        let quotient = (number - (number < 0 ? divisor - 1 : 0)) / divisor
        return (quotient, number - quotient * divisor)
    }

    /// Returns a number with at least `count` digits, padded with leading zeros.
    private static func paddedDigits(_ number: Int, to count: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}
