import Testing

@testable import StateRestoration

@Suite struct ExactNumberTextTests {
    @Test(arguments: [
        (0.0, "2001-01-01T00:00:00Z"), (0.5, "2001-01-01T00:00:00.5Z"),
        (-0.1, "2000-12-31T23:59:59.9Z"), (-86_400, "2000-12-31T00:00:00Z"),
        (-0.0, "-0.0 seconds after 2001-01-01T00:00:00Z"),
        (0.000001, "1e-06 seconds after 2001-01-01T00:00:00Z"),
        (123.000001, "2001-01-01T00:02:03.000001Z"),
        (97_934_400, "2004-02-08T12:00:00Z"), (252_423_993_599.5, "9999-12-31T23:59:59.5Z"),
        (252_423_993_600, "252423993600 seconds after 2001-01-01T00:00:00Z"),
        (-13_197_600_000, "1582-10-15T00:00:00Z"),
        (-13_197_600_001, "-13197600001 seconds after 2001-01-01T00:00:00Z"),
        (-978_307_200, "1970-01-01T00:00:00Z"), (-31_622_400, "2000-01-01T00:00:00Z"),
        (.nan, "nan seconds after 2001-01-01T00:00:00Z"),
        (.infinity, "inf seconds after 2001-01-01T00:00:00Z"),
        (-.infinity, "-inf seconds after 2001-01-01T00:00:00Z"),
        (1e300, "1e+300 seconds after 2001-01-01T00:00:00Z"),
    ])
    func `a date is shown exactly, as a timestamp or in seconds`(seconds: Double, text: String) {
        #expect(dateText(seconds) == text)
    }

    @Test func `every date from 1582 to 2499 is formatted correctly`() {
        var (year, month, day) = (1582, 10, 15)
        let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        func padded(_ number: Int, _ count: Int) -> String {
            String(repeating: "0", count: max(0, count - "\(number)".count)) + "\(number)"
        }
        var seconds = -13_197_600_000.0
        while year < 2500 {
            let expected = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T00:00:00Z"
            guard dateText(seconds) == expected else {
                Issue.record("\(dateText(seconds)) is not \(expected)")
                return
            }
            seconds += 86_400
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            day += 1
            if day > lengths[month - 1] + (month == 2 && isLeap ? 1 : 0) {
                (month, day) = (month + 1, 1)
            }
            if month > 12 { (year, month) = (year + 1, 1) }
        }
    }

    @Test(arguments: [
        (3.0, "3"), (-0.0, "-0.0"), (0.1, "0.1"), (1e300, "1e+300"),
        (.leastNonzeroMagnitude, "5e-324"),
        (0x1p60, "1152921504606846976"), (-0x1p63, "-9223372036854775808"),
        (0x1p63, "9.223372036854776e+18"), (.infinity, "inf"), (.nan, "nan"),
        (-.nan, "-nan"), (Double(nan: 1, signaling: false), "nan(0x1)"),
    ])
    func `a number is shown with digits that read back to the same bits`(
        number: Double, text: String
    ) {
        #expect(number.exactText == text)
    }

    @Test(
        arguments: [
            ("3", 3), ("-0", -0.0), ("1e3", 1000), ("0.1", 0.1), ("1.152921504606847e+18", 0x1p60),
            ("3.3554432e+07", 33_554_432), ("0.00", 0), ("-12.50E+1", -125),
            ("18446744073709551615", nil), ("9007199254740993", nil), ("1e999", nil),
            ("1.0000000000000000000000001", nil), ("0.1234567890123456789012345678", nil),
            ("1e-999999999999999999999", nil), ("1e9223372036854775807", nil),
            ("0.1e-9223372036854775808", nil),
        ] as [(String, Double?)])
    func `decimal text is read only if no digits are lost`(text: String, number: Double?) {
        #expect(Double(exactly: text)?.bitPattern == number?.bitPattern)
    }
}
