import StateRestoration
import Testing

@Suite struct TypeNameTests {
    /// Number of more than 64 bits. Its last byte is also a valid value.
    private static let large = [UInt8](repeating: 0xFF, count: 10) + [1]

    @Test(arguments: [
        [2] + large, [8, 1] + large, [14, 1] + large, [9, 1, 2] + large, [10, 1] + large + [1],
        [10, 1, 1, 97, 2] + large, [9, 1, 10, 1] + large + [1],
    ])
    func `a value that contains a number that is too large has no type name`(bytes: [UInt8]) {
        var reader = ValueReader(bytes[...])
        #expect(throws: ValueError.numberTooLarge) { try reader.readTypeName() }
    }
}
