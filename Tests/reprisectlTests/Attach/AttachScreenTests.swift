import RepriseControl
import Testing
import Varlink

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

    @Test func `the end of a long typed text is shown, without characters that have no width`() {
        let digits = String(repeating: "0123456789", count: 400)
        let hidden = String(repeating: "\u{200B}", count: 400)
        for (typedText, expected) in [(digits, " …3456789 "), ("/ab" + hidden, "      /ab ")] {
            let bar = AttachScreen.Bar(rightText: typedText, isTyping: true)
            #expect(text(bar, columns: 10) == expected)
        }
    }

    @Test(arguments: [
        (true, false, false, ""), (true, true, false, "\u{1B}[0;7;31m"),
        (true, false, true, "\u{1B}[0;7;32m"), (true, true, true, "\u{1B}[0;7;31m"),
        (false, false, false, ""), (false, true, false, "\u{1B}[0;7;1m"),
        (false, false, true, "\u{1B}[0;7;1m"),
    ])
    func `the bar's right text shows problems and saved changes in a color, or in bold`(
        hasColor: Bool, isError: Bool, isHighlighted: Bool, sequence: String
    ) {
        var screen = AttachScreen(.init(hasColor: hasColor, isUTF8: true))
        let bar = AttachScreen.Bar(
            rightText: "r", isHighlighted: isHighlighted, isError: isError)
        let drawn = screen.draw(
            AttachedScene(), bar: bar, size: TerminalSession.Size(lines: 1, columns: 10))
        #expect(
            drawn == "\u{1B}[0m\u{1B}[2J\u{1B}[1;1H\u{1B}[K"
                + "\u{1B}[0;7m       \(sequence) r \u{1B}[0m")
    }

    @Test func `a scene is drawn from the first row, and again after a change of the size`() {
        var screen = AttachScreen(.init(hasColor: true, isUTF8: true))
        let scene = AttachedScene(height: 2)
        for columns in [16, 20] {
            let drawn = screen.draw(
                scene, bar: AttachScreen.Bar(),
                size: TerminalSession.Size(lines: 6, columns: columns))
            #expect(
                drawn.hasPrefix(
                    "\u{1B}[0m\u{1B}[2J\u{1B}[1;1H\u{1B}[Kline 0\u{1B}[0m"
                        + "\u{1B}[2;1H\u{1B}[Kline 1\u{1B}[0m\u{1B}[6;1H"))
        }
    }

    /// Returns the lines of a scene with two lines, with the sequences for their styles.
    private func drawnLines(_ scene: AttachedScene) -> [String] {
        var screen = AttachScreen(.init(hasColor: true, isUTF8: true))
        let drawn = screen.draw(
            scene, bar: AttachScreen.Bar(), size: TerminalSession.Size(lines: 3, columns: 16))
        // Each line is followed by the sequences that reset the style and move to the next row.
        return drawn.split(separator: "\u{1B}[K").dropFirst().prefix(2).map { line in
            String(line.dropLast("\u{1B}[0m\u{1B}[2;1H".count))
        }
    }

    @Test func `a disabled element is dim, and the focused element is bold and reversed`() {
        let elements: [DrawnElement] = (0..<2).map { line in
            .with {
                ($0.path, $0.kind, $0.enabled) = ("\(line)", .button, line == 1)
                ($0.line, $0.lines, $0.columns) = (line, 1, 4)
            }
        }
        let scene = AttachedScene(height: 2, elements: elements)
        #expect(
            drawnLines(scene) == ["\u{1B}[0;2mline\u{1B}[0m 0", "\u{1B}[0;1;7mline\u{1B}[0m 1"])
    }

    @Test func `each span of a line has its own style`() {
        func span(_ role: DrawnRole, _ column: Int, _ columns: Int) -> DrawnSpan {
            .with { ($0.role, $0.column, $0.columns) = (role, column, columns) }
        }
        let scene = AttachedScene(height: 2) { line in
            line.spans = [span(.bar, 0, 2), span(.position, 2, 1), span(.bar, 4, -3)]
        }
        #expect(
            drawnLines(scene)
                == (0..<2).map { "\u{1B}[0;1mli\u{1B}[0;2mn\u{1B}[0me \($0)" })
    }
}
