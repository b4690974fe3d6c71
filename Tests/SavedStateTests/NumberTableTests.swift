import TestSupport
import Testing

@testable import SavedState

@Suite struct NumberTableTests {
    @Test func `it gives what a dictionary gives, whatever the numbers are`() {
        var numbers = SeededNumbers(seed: 7)
        var table = NumberTable()
        var expected: [UInt32: UInt32] = [:]
        for _ in 0..<20_000 {
            let number =
                Bool.random(using: &numbers)
                ? UInt32.random(in: 0...3000, using: &numbers)
                : UInt32.random(in: 0...UInt32.max, using: &numbers) & 0xF000_0FFF
            let value: UInt32? =
                Int.random(in: 0...3, using: &numbers) == 0
                ? nil : UInt32.random(in: 0...9, using: &numbers)
            table[number] = value
            expected[number] = value
            #expect(table[number] == value)
        }
        #expect(table.count == expected.count)
        for (number, value) in expected { #expect(table[number] == value) }
    }
}
