import Testing

@testable import Varlink

struct MessageFramesTests {
    private func append(_ text: String, to frames: inout MessageFrames) {
        Array(text.utf8).withUnsafeBytes { frames.append($0) }
    }

    private func next(_ frames: inout MessageFrames) throws -> String? {
        try frames.next().map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `messages are split at NUL bytes, regardless of how they arrive`() throws {
        let text = "one\0\0two🌍\0" + String(repeating: "x", count: 70) + "\0rest"
        for size in 1...text.utf8.count {
            var frames = MessageFrames(limit: 100)
            var messages: [String] = []
            let bytes = Array(text.utf8)
            for start in stride(from: 0, to: bytes.count, by: size) {
                bytes[start..<min(start + size, bytes.count)].withUnsafeBytes { frames.append($0) }
                while let message = try next(&frames) { messages.append(message) }
            }
            #expect(messages == ["one", "", "two🌍", String(repeating: "x", count: 70)])
            #expect(frames.byteCount == 4)
            #expect(!frames.hasMessage)
        }
    }

    @Test func `a message may be as long as the limit, but not longer`() throws {
        var frames = MessageFrames(limit: 4)
        append("abcd\0abcd", to: &frames)
        #expect(try next(&frames) == "abcd")
        #expect(try next(&frames) == nil)
        #expect(!frames.hasMessage)
        append("e", to: &frames)
        #expect(frames.hasMessage)
        #expect(throws: MessageError.tooLarge(limit: 4)) { try frames.next() }
        append("\0ok\0", to: &frames)
        #expect(throws: MessageError.tooLarge(limit: 4)) { try frames.next() }
    }

    @Test func `an oversized message is reported after the messages before it`() throws {
        var frames = MessageFrames(limit: 4)
        append("a\0b\0toolong\0c\0", to: &frames)
        #expect(try next(&frames) == "a")
        #expect(try next(&frames) == "b")
        #expect(throws: MessageError.tooLarge(limit: 4)) { try frames.next() }
    }

    @Test func `the bytes of consumed messages are released`() throws {
        var frames = MessageFrames(limit: 100)
        for _ in 0..<10_000 {
            append("0123456789\0abc", to: &frames)
            #expect(try frames.next() != nil)
            append("\0", to: &frames)
            #expect(try next(&frames) == "abc")
            #expect(frames.byteCount == 0)
            #expect(frames.headOffset <= 15)
        }
    }

    @Test(arguments: [
        ("0123456789\0ab", 0), ("a\0" + "0123456789", 2), ("abc\0wxyz", 4), ("abcd\0xyz", 0),
        ("abc\0", 0),
    ])
    func `consumed bytes are released once they are more than half of the buffer`(
        text: String, head: Int
    ) throws {
        var frames = MessageFrames(limit: 100)
        append(text, to: &frames)
        let rest = String(text.split(separator: "\0", maxSplits: 1).dropFirst().first ?? "")
        _ = try frames.next()
        append("+\0", to: &frames)
        #expect(frames.headOffset == head)
        #expect(try next(&frames) == rest + "+")
        #expect(try next(&frames) == nil)
    }

    @Test func `removeAll() discards all bytes and returns the number of complete messages`() throws
    {
        var frames = MessageFrames(limit: 100)
        append("taken\0a\0b\0c", to: &frames)
        #expect(try next(&frames) == "taken")
        #expect(frames.removeAll() == 2)
        #expect(frames.byteCount == 0)
        #expect(!frames.hasMessage)
        #expect(try next(&frames) == nil)
        append("d\0", to: &frames)
        #expect(try next(&frames) == "d")
        #expect(frames.removeAll() == 0)
    }
}
