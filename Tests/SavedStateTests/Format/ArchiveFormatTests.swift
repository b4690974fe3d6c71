import StateRecords
import Testing

@testable import SavedState

/// Tests of the payloads that each type of record may have.
@Suite struct ArchiveFormatTests {
    @Test(
        arguments: [
            (.name, [], false), (.name, [1, 0, 0], false), (.name, [1, 0, 0, 0], true),
            (.name, [1, 0, 0, 0, 0xC3, 0xA9], true), (.name, [1, 0, 0, 0, 0xC3], false),
            (.name, [1, 0, 0, 0, 0xFF, 0x41], false), (.removal, [1, 0, 0], false),
            (.removal, [1, 0, 0, 0], true), (.removal, [1, 0, 0, 0, 0], false),
            (.value, [UInt8](repeating: 1, count: 7), false),
            (.value, [UInt8](repeating: 1, count: 8), true),
            (.patch, [UInt8](repeating: 1, count: 11), false),
            (.patch, [UInt8](repeating: 1, count: 12), true), (.nothing, [], true),
            (.nothing, [0], false), (.closed, [], true), (.closed, [0], false), (.opened, [], true),
            (.opened, [0], false),
        ] as [(RecordType, [UInt8], Bool)])
    func `a payload has the length and the text of its type`(
        type: RecordType, payload: [UInt8], isWellFormed: Bool
    ) {
        #expect(payload.withUnsafeBytes { ArchiveFormat.isWellFormed(type, $0) } == isWellFormed)
    }

    @Test func `a placement is the header of an object without values`() {
        var payload: [UInt8] = []
        payload.append(ObjectHeader(number: 2, parent: 1, kind: 1, identifier: "x"))
        func isWellFormed(_ payload: [UInt8], as type: RecordType) -> Bool {
            payload.withUnsafeBytes { ArchiveFormat.isWellFormed(type, $0) }
        }
        #expect(isWellFormed(payload, as: .placement))
        #expect(!isWellFormed(payload + [7], as: .placement))
        #expect(!isWellFormed(Array(payload.dropLast()), as: .placement))
        #expect(isWellFormed(payload + [7], as: .object))
        #expect(!isWellFormed(Array(payload.dropLast()), as: .object))
    }
}
