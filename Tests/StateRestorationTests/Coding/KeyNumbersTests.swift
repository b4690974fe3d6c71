import Testing

@testable import StateRestoration

@Suite struct KeyNumbersTests {
    @Test func `every address keeps its number while the table grows`() throws {
        let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: 5000)
        defer { bytes.deallocate() }
        var keys = KeyNumbers()
        for offset in 0..<5000 {
            #expect(keys.number(at: bytes + offset) == nil)
            keys.insert(UInt32(offset), at: bytes + offset)
        }
        let isKept = (0..<5000).allSatisfy { keys.number(at: bytes + $0) == UInt32($0) }
        #expect(isKept)
    }
}
