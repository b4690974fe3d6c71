import Testing

@testable import SavedState

/// Tests of a table that grows while other numbers are stored outside its array.
@Suite struct NumberTableGrowthTests {
    @Test(arguments: 0...17)
    func `every entry keeps its value and can be replaced after the array has grown`(place: Int) {
        var table = NumberTable()
        // With 19 numbers, the array can grow to 1100 numbers.
        var numbers = (0..<17 as Range<UInt32>).map { 0xF000_0000 + $0 }
        numbers.insert(1100, at: place)
        for number in numbers { table[number] = 2 }
        table[1099] = 3
        table[1100] = 4
        #expect([1098, 1099, 1100, 1101].map { table[$0] } == [nil, 3, 4, nil])
        #expect(numbers.allSatisfy { $0 == 1100 || table[$0] == 2 })
        #expect(table.count == 19)
    }

    @Test func `entries that are moved into the array leave no older values outside it`() {
        var table = NumberTable()
        let moved = 1200..<1220 as Range<UInt32>
        for number in moved { table[number] = number }
        for number in 0...1024 as ClosedRange<UInt32> { table[number] = 1 }
        #expect(moved.allSatisfy { table[$0] == $0 })
        for number in moved { table[number] = 7 }
        for number in 1025...2048 as ClosedRange<UInt32> where !moved.contains(number) {
            table[number] = 1
        }
        #expect(moved.allSatisfy { table[$0] == 7 })
        #expect((0...2048).allSatisfy { moved.contains($0) || table[$0] == 1 })
        #expect(table.count == 2049)
    }
}
