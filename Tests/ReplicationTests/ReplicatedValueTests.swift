import Encryption
import ExactText
import Testing

@testable import Replication

@Suite struct ReplicatedValueTests {
    private static let maximumBytes = ReplicatedValue.maximumBytes
    private let header = ReplicatedValue.Header(host: "a", epoch: 0x1F, turn: 2, number: 11)

    @Test(arguments: [
        (0, 0), (1, 0), (maximumBytes - 1, 0), (maximumBytes, 0), (maximumBytes + 1, 1),
        (2 * maximumBytes, 1), (2 * maximumBytes + 1, 2),
    ])
    func `a long value is split into pieces of the maximum length`(count: Int, parts: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 / 1000) }
        let values = ReplicatedValue.makeEntries("key", bytes, by: header, sealedBy: .none)
        #expect(
            values.map(\.key)
                == (0..<parts).map { "key/000000000000001f-0000000b/0000000\($0)" } + ["key"])
        let read = try values.map { try ReplicatedValue($0.value, at: $0.key, sealedBy: .none) }
        #expect(read.dropLast().allSatisfy { $0.bytes.count == Self.maximumBytes })
        #expect(read.flatMap { Array($0.bytes) } == bytes)
        var expected = header
        expected.parts = parts
        #expect(read.allSatisfy { $0.header == expected })
    }

    @Test
    func `an encrypted value can be read only under its own key name and with its encryption key`()
        throws
    {
        let key = try EncryptionKey(Array(0..<32)), other = try EncryptionKey(Array(1...32))
        let keys = EncryptionKeys(sealing: key)
        let values = ReplicatedValue.makeEntries("key", [1, 2, 3], by: header, sealedBy: keys)
        let value = values[0].value
        let read = try ReplicatedValue(value, at: "key", sealedBy: keys)
        #expect(Array(read.bytes) == [1, 2, 3])
        #expect(read.header.sealed == key.id)
        let moved = #expect(throws: ReplicatedValue.UnreadableValue.self) {
            try ReplicatedValue(value, at: "other", sealedBy: keys)
        }
        #expect(moved?.reason == "it was changed or moved after it was encrypted")
        let foreign = #expect(throws: ReplicatedValue.UnreadableValue.self) {
            try ReplicatedValue(value, at: "key", sealedBy: EncryptionKeys(sealing: other))
        }
        #expect(foreign?.reason.hasPrefix("it is encrypted with the key \(key.id), which") == true)
    }

    @Test(arguments: [(1023, true), (1024, false)])
    func `the header line of a value has at most 1024 bytes`(length: Int, isRead: Bool) {
        let start = #"{"host":"a","term":1,"turn":2,"number":3,"parts":0"#
        let text = start + String(repeating: " ", count: length - start.utf8.count - 1) + "}\nbytes"
        #expect(
            ((try? ReplicatedValue(Array(text.utf8), at: "key", sealedBy: .none)) != nil) == isRead)
    }

    @Test(arguments: [
        ((1 << 62) - 1, 0, true), (1 << 62, 0, false), (0, 1 << 20, true),
        (0, (1 << 20) + 1, false),
        (-1, 0, false), (0, -1, false),
    ])
    func `numbers in a header line are limited`(number: Int, parts: Int, isValid: Bool) {
        let header = ReplicatedValue.Header(
            host: "a", epoch: 1, turn: 2, number: number, parts: parts)
        #expect(header.isValid == isValid)
    }

    @Test func `a reference to the current state is stored with all its fields`() {
        let state = CurrentState(id: "x", host: "a", epoch: 1, writer: 2)
        let text = #"{"format":2,"id":"x","host":"a","term":1,"writer":2}"#
        #expect(state.bytes == Array(text.utf8))
        #expect(CurrentState(state.bytes) == state)
        let numbered = state.withNumber(3)
        #expect(
            numbered.bytes
                == Array(#"{"format":2,"id":"x","host":"a","term":1,"writer":2,"number":3}"#.utf8))
        #expect(CurrentState(numbered.bytes) == numbered)
        #expect(CurrentState(Array("{}".utf8)) == nil)
    }
}
