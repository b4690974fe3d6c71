import Testing

@testable import SavedState

/// Tests of the longest lineages that can be parsed.
@Suite struct LineageLimitTests {
    @Test func `a lineage of 16 KiB is parsed, and its last 64 ancestors are retained`() throws {
        let ancestors = (0..<4095).map { "\($0 % 10) 2\n" }.joined()
        #expect((ancestors + "abc\n").utf8.count == 16_384)
        let lineage = try #require(Lineage(ancestors + "abc\n"))
        #expect(lineage.writer == 0xABC)
        #expect(lineage.ancestors.count == 64)
        #expect(lineage.ancestors.map(\.writer) == (4031..<4095).map { UInt64($0 % 10) })
        #expect(Lineage(ancestors + "abcd\n") == nil)
    }
}
