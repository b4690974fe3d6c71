import Testing

@testable import Varlink

@Suite struct JSONReaderNumbersTests {
    /// The arguments are a number, and its value if it is an integer of 64 bits.
    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("12", 12), ("12e1", 120), ("120e-1", 12), ("1.50e1", 15),
            ("1.5", nil), ("1.05e1", nil), ("0e99999999999999999999", 0),
            ("1e99999999999999999999", nil), ("1e-99999999999999999999", nil),
            ("9223372036854775807", .max), ("9223372036854775808", nil),
            ("-9223372036854775808", .min), ("-9223372036854775809", nil),
            ("1e18", 1_000_000_000_000_000_000),
            ("1e19", nil), ("1000000000000000000000e-3", 1_000_000_000_000_000_000),
        ] as [(String, Int64?)])
    func `a number is an integer if its value is, regardless of its notation`(
        text: String, expected: Int64?
    ) throws {
        var reader = JSONReader(Array(text.utf8))
        let (integer, _) = try reader.readNumber()
        #expect(integer == expected)
    }
}
