import Testing

@testable import reprisectl

@Suite struct AttachScreenTests {
    /// Letters, each of which occurs once.
    private static let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

    private static func letters(_ count: Int) -> String { String(letters.prefix(count)) }

    /// Returns the text of the bar on a screen that has one line.
    private func text(_ bar: AttachScreen.Bar, columns: Int) -> String {
        var screen = AttachScreen(.init(hasColor: true, isUTF8: true))
        let drawn = screen.draw(
            AttachedScene(), bar: bar, size: TerminalSession.Size(lines: 1, columns: columns))
        return drawn.split(separator: "\u{1B}[0;7m").last.map {
            String($0.dropLast("\u{1B}[0m".count))
        } ?? ""
    }

    @Test(arguments: [
        (30, 29, "", " \(letters(29))"), (30, 30, "", " \(letters(27))… "),
        (30, 26, "r", " \(letters(26)) r "), (30, 27, "r", " \(letters(24))…  r "),
        (18, 17, "", " \(letters(17))"), (18, 18, "", " \(letters(15))… "),
        (17, 16, "", " \(letters(16))"), (17, 17, "", String(repeating: " ", count: 17)),
    ])
    func `the bar's left text is truncated if it does not fit`(
        columns: Int, count: Int, right: String, expected: String
    ) {
        let bar = AttachScreen.Bar(leftText: Self.letters(count), rightText: right)
        #expect(text(bar, columns: columns) == expected)
    }

    @Test(arguments: [
        (8, false, " abcdefgh "), (9, false, " abcdefg… "), (8, true, " abcdefgh "),
        (9, true, " …cdefghi "), (20, true, " …nopqrst "),
    ])
    func `the bar's right text shows its beginning, or its end while the user types it`(
        count: Int, isTyping: Bool, expected: String
    ) {
        let bar = AttachScreen.Bar(
            leftText: "left", rightText: Self.letters(count), isTyping: isTyping)
        #expect(text(bar, columns: 10) == expected)
    }
}
