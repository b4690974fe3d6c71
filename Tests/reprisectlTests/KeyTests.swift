import Testing

@testable import reprisectl

/// What the bytes of a terminal mean.
@Suite struct KeyTests {
    private func keys(_ bytes: String, isIdle: Bool = false) -> [Key] {
        var decoder = KeyDecoder()
        decoder.add(bytes.utf8)
        var keys: [Key] = []
        while let key = decoder.next(isIdle: isIdle) { keys.append(key) }
        return keys
    }

    private static let sequences: [(bytes: String, keys: [Key])] = [
        ("abc", [.text("abc")]), ("a\r", [.text("a"), .enter]), ("日本", [.text("日本")]),
        ("\t\u{1B}[Z", [.tab, .backTab]), ("\u{7F}\u{08}", [.backspace, .backspace]),
        ("\u{1}\u{17}", [.control("a"), .control("w")]),
        ("\u{1B}[A\u{1B}OB\u{1B}[1;5C\u{1B}[1;3D", [.up, .down, .wordRight, .wordLeft]),
        ("\u{1B}[1;2A\u{1B}[1;5B", [.shiftUp, .shiftDown]),
        ("\u{1B}[1;2C\u{1B}[1;6D\u{1B}[1;2H", [.shiftRight, .shiftWordLeft, .shiftHome]),
        ("\u{1B}[1;5H\u{1B}[1;6F", [.top, .shiftBottom]),
        ("\u{1B}OP\u{1B}[11~\u{1B}OQ\u{1B}[12~", [.help, .help, .scenes, .scenes]),
        ("\u{1B}OR\u{1B}[13~\u{1B}OS\u{1B}[14~", [.history, .history, .inspector, .inspector]),
        (
            "\u{1B}[H\u{1B}[4~\u{1B}[5~\u{1B}[6~\u{1B}[3~",
            [.home, .end, .pageUp, .pageDown, .delete]
        ),
        (
            "\u{1B}[<0;3;2M\u{1B}[<0;3;2m",
            [.click(line: 1, column: 2), .release(line: 1, column: 2)]
        ),
        ("\u{1B}[<65;1;1M\u{1B}[<2;1;1M", [.wheel(line: 0, column: 0, by: 1)]),
        ("\u{1B}[200~a\rb\u{1B}[A\u{1B}[201~c", [.paste("a\nb\u{1B}[A"), .text("c")]),
        ("\u{1B}[[A\u{1B}[[Dx\u{1B}[[E", [.help, .inspector, .text("x")]),
        ("\u{1B}[12\u{1B}[A", [.up]), ("\u{1B}[M !!x", [.text("x")]),
        ("\u{1B}]0;title\u{7}x\u{1B}P1$r\u{1B}\\y", [.text("x"), .text("y")]), ("\u{1B}[?1;2c", []),
        ("\u{1B}[99~x", [.text("x")]),
        ("\u{1B}\u{1B}[A", [.escape, .up]),
    ]

    @Test(arguments: sequences)
    func `a sequence is a key`(bytes: String, expected: [Key]) {
        #expect(keys(bytes) == expected)
    }

    @Test func `what comes in pieces is the same`() {
        let whole = "é\u{1B}[1;5Cx\u{1B}[200~p日\u{1B}[201~\u{1B}[<0;1;1M"
        var decoder = KeyDecoder()
        var keys: [Key] = []
        for byte in whole.utf8 {
            decoder.add([byte])
            while let key = decoder.next() { keys.append(key) }
        }
        #expect(
            keys == [.text("é"), .wordRight, .text("x"), .paste("p日"), .click(line: 0, column: 0)])
        #expect(decoder.patience == nil)
    }

    @Test func `an escape stands for itself once nothing comes behind it`() {
        #expect(keys("\u{1B}") == [])
        #expect(keys("\u{1B}", isIdle: true) == [.escape])
        #expect(keys("\u{1B}[", isIdle: true) == [])
        #expect(keys("\u{1B}q") == [.escape, .text("q")])
        #expect(keys("\u{1B}[200~a\0b") == [])
        #expect(keys("\u{1B}[200~a\0b", isIdle: true) == [])
        #expect(keys("\u{1B}[200~a\0b\u{1B}[201~", isIdle: true) == [.paste("ab")])
        var decoder = KeyDecoder()
        decoder.add([0xC3])
        #expect(decoder.next() == nil)
        #expect(decoder.next(isIdle: true) == .text("\u{FFFD}"))
    }

    @Test func `a message of the terminal is waited for up to a limit`() {
        func keys(messageOf count: Int) -> [Key] {
            var decoder = KeyDecoder()
            decoder.add(("\u{1B}]" + String(repeating: "a", count: count - 2)).utf8)
            var keys = [decoder.next()]
            decoder.add("b\u{7}x".utf8)
            while let key = decoder.next() { keys.append(key) }
            return keys.compactMap { $0 }
        }
        #expect(keys(messageOf: 4096) == [.text("x")])
        #expect(keys(messageOf: 4097) == [.text("b"), .control("g"), .text("x")])
    }

    @Test func `what is dropped goes up to the end of a paste`() {
        var decoder = KeyDecoder()
        decoder.add("abc".utf8)
        decoder.drop()
        #expect(decoder.next() == nil)
        decoder.add("\u{1B}[200~dq".utf8)
        #expect(decoder.next() == nil)
        decoder.drop()
        decoder.add("more\u{1B}[201~x".utf8)
        #expect(decoder.next() == .text("x"))
        decoder.add("\u{1B}[200~kept\u{1B}[201~".utf8)
        #expect(decoder.next() == .paste("kept"))
    }

    @Test func `a paste is bounded`() {
        let most = String(repeating: "a", count: KeyDecoder.mostPasted)
        #expect(keys("\u{1B}[200~\(most)\u{1B}[201~") == [.paste(most)])
        #expect(keys("\u{1B}[200~\(most)b\u{1B}[201~x") == [.pasteTooLong, .text("x")])
    }
}
