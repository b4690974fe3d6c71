import Testing

@testable import reprisectl

/// Keys that the bytes of a terminal represent, regardless of when the bytes arrive.
@Suite struct KeyDecoderTests {
    static let delay = Duration.milliseconds(200)
    static let hour = Duration.seconds(3600)

    /// Returns the keys for bytes that arrive together, followed by a period of silence.
    private func keys(_ bytes: String, silence: Duration = .zero) -> [Key] {
        var decoder = KeyDecoder(escapeDelay: Self.delay)
        return decoder.keys(Array(bytes.utf8), silence: silence)
    }

    static let sequences: [(bytes: String, keys: [Key])] = [
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
        ("\u{1B}]0;title\u{7}x\u{1B}P1$r\u{1B}\\y", [.text("xy")]), ("\u{1B}[?1;2c", []),
        ("\u{1B}[99~x", [.text("x")]),
        ("\u{1B}\u{1B}[A", [.escape, .up]),
        ("\u{1B}q\u{1B}\r", [.escape, .text("q"), .escape, .enter]),
        ("\u{1B}b\u{1B}f", [.wordLeft, .wordRight]), ("é日😀", [.text("é日😀")]),
        (
            "\u{1B}[<0;0;999999M\u{1B}[<64;1;1M",
            [
                .click(line: 999_998, column: -1), .wheel(line: 0, column: 0, by: -1),
            ]
        ),
        // Another format of the modifier, and sequences that do not represent keys.
        ("\u{1B}O5C\u{1B}O1;2C\u{1B}O2Px\u{1B}Ojy", [.wordRight, .shiftRight, .help, .text("xy")]),
        // An incomplete sequence is ignored, and the byte that interrupts it is a key.
        ("\u{1B}[1;\r", [.enter]), ("\u{1B}O\u{7F}", [.backspace]), ("\u{1B}[é", [.text("é")]),
        ("\u{1B}[M!\u{3}", [.control("c")]), ("\u{1B}]0;a\u{3}", [.control("c")]),
        ("\u{1B}]0;a\u{1B}[Ax", [.up, .text("x")]),
        // A modifier that is not a number, and a number of another sequence.
        ("\u{1B}[1;2:1C", [.right]), ("\u{1B}[200Ax", [.up, .text("x")]),
        // Up to 64 bytes of a sequence are decoded, and one more after ESC O.
        ("\u{1B}O\(String(repeating: "1;", count: 32))2A", [.shiftUp]),
        ("\u{1B}[\(String(repeating: "1;", count: 32))Ax", [.up, .text("x")]),
        ("\u{1B}[\(String(repeating: "1;", count: 32))1Ax", [.text("x")]),
        // Numbers that are too large, or missing.
        ("\u{1B}[<0;-9223372036854775808;1M", [.click(line: 0, column: -1)]),
        ("\u{1B}[1;-9223372036854775808A", [.up]), ("\u{1B}[9999999999999999999999~", []),
        ("\u{1B}[\(String(repeating: "1;", count: 99))5Ax", [.text("x")]),
        ("\u{1B}[200~a\u{1B}[20\u{1B}[201~", [.paste("a\u{1B}[20")]),
    ]

    @Test(arguments: sequences)
    func `escape sequences and text are decoded into keys`(bytes: String, expected: [Key]) {
        #expect(keys(bytes) == expected)
    }

    @Test func `a lone escape becomes the Escape key only after the delay`() {
        #expect(keys("\u{1B}") == [])
        #expect(keys("\u{1B}", silence: Self.delay - .nanoseconds(1)) == [])
        #expect(keys("\u{1B}", silence: Self.delay) == [.escape])
        var decoder = KeyDecoder(escapeDelay: .zero)
        #expect(decoder.keys([0x1B]) == [.escape])
    }

    @Test(arguments: ["\u{1B}[", "\u{1B}O", "\u{1B}[<0;3", "\u{1B}[M!", "\u{1B}[[", "\u{1B}]0;a"])
    func `an incomplete sequence produces no key`(bytes: String) {
        var decoder = KeyDecoder(escapeDelay: Self.delay)
        #expect(decoder.keys(Array(bytes.utf8), silence: Self.hour) == [])
        #expect(decoder.timeout == nil)
        // The following key is decoded normally.
        #expect(decoder.keys([0x0D]) == [.enter])
    }

    @Test func `Alt with a character that starts a terminal message is ignored after the delay`() {
        var decoder = KeyDecoder(escapeDelay: Self.delay)
        #expect(decoder.keys(Array("\u{1B}]".utf8), silence: Self.delay) == [])
        #expect(decoder.keys(Array("a".utf8)) == [.text("a")])
    }

    @Test func `a message from the terminal is never typed, regardless of its length`() {
        let message = "\u{1B}]52;" + String(repeating: "a", count: 10_000)
        #expect(keys(message + "\u{7}x") == [.text("x")])
        #expect(keys(message + "\u{1B}\\x") == [.text("x")])
    }

    @Test func `a paste without an end is delivered after a timeout, and typing continues`() {
        for end in ["", "\u{1B}", "\u{1B}[", "\u{1B}[20"] {
            var decoder = KeyDecoder(escapeDelay: Self.delay)
            let begun = Array("\u{1B}[200~a\0b\r\(end)".utf8)
            let timeout = KeyDecoder.pasteTimeout
            #expect(decoder.keys(begun, silence: timeout - .nanoseconds(1)) == [])
            decoder.finishIfTimedOut(silence: timeout)
            #expect(decoder.next() == .paste("ab\n"))
            // The rest of the end sequence is not typed.
            #expect(decoder.keys("\u{1B}[201~".utf8.dropFirst(end.utf8.count)) == [])
            #expect(decoder.keys([0x71]) == [.text("q")])
        }
    }

    @Test func `drop() inside a paste discards input up to the end of the paste`() {
        var decoder = KeyDecoder(escapeDelay: Self.delay)
        decoder.add("abc\rdef".utf8)
        decoder.dropInput()
        #expect(decoder.next() == nil)
        decoder.add("\u{1B}[200~dq".utf8)
        #expect(decoder.next() == nil)
        decoder.dropInput()
        decoder.add("more\u{1B}[201~x".utf8)
        #expect(decoder.next() == .text("x"))
        decoder.add("\u{1B}[200~kept\u{1B}[201~".utf8)
        #expect(decoder.next() == .paste("kept"))
    }

    @Test(arguments: ["\u{1B}[|A", "\u{1B}|[A", "\u{1B}[1;|5D", "\u{1B}[<0;|3;3M", "\u{1B}O|A"])
    func `the rest of a dropped sequence is not decoded`(bytes: String) {
        let parts = bytes.split(separator: "|")
        var decoder = KeyDecoder(escapeDelay: Self.delay)
        decoder.add(parts[0].utf8)
        decoder.dropInput()
        #expect(decoder.keys(Array("\(parts[1])x".utf8)) == [.text("x")])
    }

    @Test func `a key that interrupts a dropped message is decoded`() {
        var decoder = KeyDecoder(escapeDelay: Self.delay)
        decoder.add("\u{1B}]0;a".utf8)
        decoder.dropInput()
        #expect(decoder.keys(Array("\u{1B}[A".utf8)) == [.up])
    }

    @Test func `after a full queue has been dropped, the next key is accepted`() {
        var decoder = KeyDecoder(escapeDelay: Self.delay)
        decoder.add(Array(repeating: 0x61, count: KeyDecoder.maximumQueuedBytes + 1))
        decoder.dropInput()
        decoder.add("b".utf8)
        #expect(decoder.next() == .text("b"))
    }

    @Test func `the rest of a dropped character is not typed`() {
        var decoder = KeyDecoder(escapeDelay: Self.delay)
        decoder.add([0x61, 0xC3])
        decoder.dropInput()
        #expect(decoder.keys([0xA9, 0x62]) == [.text("b")])
    }

    @Test func `Ctrl-C is detected behind keys that are not consumed yet`() {
        var decoder = KeyDecoder(escapeDelay: Self.delay)
        decoder.add("ab\u{1B}[A".utf8)
        #expect(!decoder.containsInterrupt)
        decoder.add("\u{1B}[\u{3}".utf8)
        #expect(decoder.containsInterrupt)
    }

    @Test func `a paste that exceeds the maximum uses no more memory`() {
        var buffer = PasteBuffer()
        for _ in 0..<PasteBuffer.maximumBytes + 100 { _ = buffer.add(0x61) }
        #expect(buffer.bytes.count == PasteBuffer.maximumBytes + 1)
        #expect(buffer.key == .pasteTooLong)
    }

    @Test func `a paste has a maximum length`() {
        let longest = String(repeating: "a", count: PasteBuffer.maximumBytes)
        #expect(keys("\u{1B}[200~\(longest)\u{1B}[201~") == [.paste(longest)])
        #expect(keys("\u{1B}[200~\(longest)b\u{1B}[201~x") == [.pasteTooLong, .text("x")])
    }

    @Test func `a full queue ignores further keys until it is empty, except for Ctrl-C`() {
        var decoder = KeyDecoder(escapeDelay: .seconds(300))
        decoder.add(Array(repeating: 0x61, count: KeyDecoder.maximumQueuedBytes))
        var overflows = [decoder.consumeOverflow()]
        decoder.add("bc\r\u{3}d".utf8)
        #expect(decoder.containsInterrupt)
        overflows += [decoder.consumeOverflow(), decoder.consumeOverflow()]
        #expect(overflows == [false, true, false])
        let text = String(repeating: "a", count: KeyDecoder.maximumQueuedBytes) + "b"
        #expect(decoder.next() == .text(text))
        decoder.add("e".utf8)
        #expect(decoder.next() == .control("c"))
        #expect(decoder.next() == nil)
        decoder.add("f".utf8)
        #expect(decoder.next() == .text("f"))
        let hasOverflowed = decoder.consumeOverflow()
        #expect(hasOverflowed)
    }
}
