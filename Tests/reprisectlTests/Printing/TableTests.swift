import Testing

@testable import reprisectl

@Suite struct TableTests {
    @Test(arguments: [
        ("abc", 3), ("wörld", 5), ("e\u{301}", 1), ("世界", 4), ("🥕", 2), ("👩‍🚀", 2), ("a\n", 3),
        ("\u{200B}", 8),
    ])
    func `the width of text is the number of columns it occupies when printed`(
        text: String, columns: Int
    ) {
        #expect(text.columns == columns)
        #expect(text.padded(10).columns == 10)
        // A text that is too long is not changed.
        #expect(text.padded(columns - 1) == text)
    }
}
