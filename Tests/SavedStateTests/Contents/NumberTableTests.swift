import TestSupport
import Testing

@testable import SavedState

@Suite struct NumberTableTests {
    @Test func `a table returns the same values as a dictionary`() {
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

    @Test func `a table with few numbers that are often removed returns the same values`() {
        // Numbers at the ends of the array as it grows, and numbers that are always stored outside it.
        let near: [UInt32] = [
            0, 1, 2, 3, 63, 64, 65, 127, 128, 255, 256, 511, 512, 600, 1023, 1024, 1300, 1301,
        ]
        let all = near + (0..<12 as Range<UInt32>).map { 0xF000_0000 + $0 }
        for seed in 0..<100 as Range<UInt64> {
            var numbers = SeededNumbers(seed: seed)
            var table = NumberTable()
            var expected: [UInt32: UInt32] = [:]
            for _ in 0..<300 {
                let number = all[numbers.below(all.count)]
                let value = numbers.happens(percent: 40) ? nil : UInt32(numbers.below(9))
                table[number] = value
                expected[number] = value
            }
            #expect(all.map { table[$0] } == all.map { expected[$0] }, "seed \(seed)")
            #expect(table.count == expected.count, "seed \(seed)")
        }
    }

    @Test func `the number just after the array keeps its value when the array grows`() {
        var table = NumberTable()
        // Numbers that are stored outside the array. With them, the array can grow to 1100 numbers.
        let far = (0..<17 as Range<UInt32>).map { 0xF000_0000 + $0 }
        for number in far.prefix(9) { table[number] = 1 }
        table[1100] = 2
        for number in far.dropFirst(9) { table[number] = 1 }
        table[1099] = 3
        #expect(table.count == 19)
        #expect([1098, 1099, 1100, 1101].map { table[$0] } == [nil, 3, 2, nil])
        #expect(far.allSatisfy { table[$0] == 1 })
    }
}
