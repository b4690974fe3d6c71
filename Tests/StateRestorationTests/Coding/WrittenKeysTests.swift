import Testing

@testable import StateRestoration

@Suite struct WrittenKeysTests {
    @Test(arguments: [1, 15, 16, 17, 18, 1000, 10_000] as [UInt32])
    func `each of many keys is taken once`(count: UInt32) {
        var keys = WrittenKeys()
        let first = (0..<count).filter { keys.insert($0) }
        #expect(first == Array(0..<count))
        let again = (0..<count).filter { keys.insert($0) }
        #expect(again == [])
        keys.removeLast()
        let last = (0..<count).filter { keys.insert($0) }
        #expect(last == [count - 1])
        keys.removeAll()
        let anew = (0..<count).filter { keys.insert($0) }
        #expect(anew == first)
    }
}
