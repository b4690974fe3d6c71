import Testing

@testable import StateRestoration

@Suite struct InvalidReferenceTests {
    private static let reference: [UInt8] = [ValueTag.reference.rawValue, 4]

    @Test(arguments: [
        // A key of more than 64 bits.
        [UInt8](repeating: 0xFF, count: 10) + reference,
        // A string that is longer than the remaining bytes, followed by another key.
        [1, ValueTag.string.rawValue, 50, 2] + reference,
    ])
    func `no reference is found after an invalid key or an invalid value`(bytes: [UInt8]) {
        #expect(SavedValues(([2] + Self.reference)[...]).references() == [RecordNumber(4)])
        #expect(SavedValues(bytes[...]).references() == [])
    }
}
