import Testing

@testable import StateRestoration

@Suite struct WrittenKeysTests {
    @Test(arguments: [1, 15, 16, 17, 18, 1000, 10_000] as [UInt32])
    func `each of many keys is accepted once per object`(count: UInt32) {
        var keys = WrittenKeys()
        let first = (0..<count).filter { keys.insert($0, "key") }
        #expect(first == Array(0..<count))
        let again = (0..<count).filter { keys.insert($0, "key") }
        #expect(again == [])
        keys.removeLast()
        let last = (0..<count).filter { keys.insert($0, "key") }
        #expect(last == [count - 1])
        keys.beginObject()
        let inserted = (0..<count).filter { keys.insert($0, "key") }
        #expect(inserted == first)
    }

    @Test func `keys are repeated as long as they match the keys of the previous object`() {
        let names: [StaticString] = ["a", "b", "c", "d"]
        var keys = WrittenKeys()
        func write(_ indexes: [Int]) -> [String] {
            keys.beginObject()
            return indexes.map { index in
                if let number = keys.matchNext(names[index]) { return "\(number) again" }
                return keys.insert(UInt32(index), names[index]) ? "\(index)" : "twice"
            }
        }
        #expect(write([0, 1, 2]) == ["0", "1", "2"])
        #expect(write([0, 1, 2]) == ["0 again", "1 again", "2 again"])
        #expect(write([0, 1, 1, 2]) == ["0 again", "1 again", "twice", "2"])
        #expect(write([0, 2, 1, 0]) == ["0 again", "2", "1", "twice"])
        #expect(write([0, 2, 3]) == ["0 again", "2 again", "3"])
        #expect(write([0, 2, 3, 3]) == ["0 again", "2 again", "3 again", "twice"])
        keys.removeLast()
        let count = keys.writtenKeyCount
        #expect(count == 2)
        let isNew = keys.insert(3, names[3])
        #expect(isNew)
        #expect(write([0, 2, 3, 1]) == ["0 again", "2 again", "3 again", "1"])
    }

    @Test(arguments: [15, 16, 17, 40])
    func `a key after many repeated keys is accepted once`(repeated: UInt32) {
        let key: StaticString = "key"
        var keys = WrittenKeys()
        for number in 0..<repeated {
            let isNew = keys.insert(number, key)
            #expect(isNew)
        }
        keys.beginObject()
        let again = (0..<repeated).map { _ in keys.matchNext(key) }
        #expect(again == Array(0..<repeated))
        let insertedLater = (0...repeated).filter { keys.insert($0, "other") }
        #expect(insertedLater == [repeated])
    }
}
