import Testing

@testable import StateRestoration

/// Edge cases of numbers and dictionaries.
@Suite struct NumberEdgeTests {
    @Test func `only a negative zero is not shown as an integer`() {
        #expect((0.0).exactText == "0")
        #expect((0.0).exactInteger == 0)
        #expect((-0.0).exactInteger == nil)
        #expect((-1.0).exactInteger == -1)
    }

    @Test(arguments: ["inf", "-inf", "infinity", "nan", "-nan"])
    func `text without digits is not a decimal number`(text: String) {
        #expect(Double(exactly: text) == nil)
    }

    @Test(arguments: [(9, true), (10, false), (11, false)])
    func `a number has at most 64 bits, even if its highest bits are zero`(
        zeroByteCount: Int, isValid: Bool
    ) {
        let bytes =
            [ValueTag.integer.rawValue] + [UInt8](repeating: 0x80, count: zeroByteCount) + [1]
        var reader = ValueReader(bytes[...])
        if isValid {
            #expect(throws: Never.self) { try reader.skipValue() }
        } else {
            #expect(throws: ValueError.numberTooLarge) { try reader.skipValue() }
        }
    }

    @Test func `dictionaries are equal only if they have the same keys`() {
        let one = StoredValue.dictionary(["a": .null])
        let two = StoredValue.dictionary(["a": .null, "b": .null])
        #expect(one != two)
        #expect(two != one)
        #expect(two == two)
    }
}
