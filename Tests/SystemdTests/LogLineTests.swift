import Logging
import Testing

@testable import Systemd

@Suite struct LogLineTests {
    private func line(
        _ message: String, _ metadata: Logger.Metadata = [:], style: LogLine.Style = .priorityPrefix
    ) -> String {
        LogLine(level: .info, message: message, metadata: metadata, style: style).text
    }

    @Test func `a line starts with its priority, or with its level at a terminal`() {
        #expect(line("up") == "<6>up")
        #expect(line("up", style: .levelPrefix) == "info: up")
    }

    @Test func `metadata is sorted by key and quoted where necessary`() {
        let metadata: Logger.Metadata = [
            "b": "two words", "a": "1", "c": "say \"no\"", "d": "", "e": "x\ny", "f": "k=v",
        ]
        #expect(
            line("up", metadata)
                == #"<6>up a=1 b="two words" c="say \"no\"" d="" e="x\ny" f="k=v""#)
    }

    @Test func `the message ID is omitted at a terminal`() {
        let metadata: Logger.Metadata = ["MESSAGE_ID": "5f2c", "REPRISE_SCENE": "main"]
        #expect(line("up", metadata) == "<6>up MESSAGE_ID=5f2c REPRISE_SCENE=main")
        #expect(line("up", metadata, style: .levelPrefix) == "info: up REPRISE_SCENE=main")
    }

    @Test func `values that the message contains are omitted at a terminal, except numbers`() {
        let metadata: Logger.Metadata = [
            "REPRISE_APPLICATION": "org.example.Jobs", "REPRISE_REASON": "disk full", "COUNT": "1",
            "REPRISE_SCENE": "ai",
        ]
        let message = "org.example.Jobs main: restored 1 of 1 objects"
        #expect(
            line(message, metadata, style: .levelPrefix)
                == "info: \(message) COUNT=1 REPRISE_REASON=\"disk full\" REPRISE_SCENE=ai")
        #expect(
            line(message, metadata)
                == "<6>\(message) COUNT=1 REPRISE_APPLICATION=org.example.Jobs "
                + "REPRISE_REASON=\"disk full\" REPRISE_SCENE=ai"
        )
    }

    @Test(arguments: ["\n", "\r\n", "\u{1b}", "\u{0}", "\u{9b}", "\t"])
    func `no control character reaches the line`(character: String) {
        let text = line("a\(character)b", ["k\(character)": "v\(character)"])
        #expect(!text.unicodeScalars.contains { $0.properties.generalCategory == .control })
        #expect(text.hasPrefix("<6>a\\"))
    }

    @Test func `bidirectional and zero-width characters are escaped`() {
        #expect(
            line("a\u{202E}b\u{2028}", ["k": "c\u{200B}d"])
                == "<6>a\\u{202E}b\\u{2028} k=\"c\\u{200B}d\"")
    }

    @Test(arguments: [
        ("abcdef", 6, "abcdef"), ("abcdef", 7, "abcdef"), ("abcdef", 5, "ab…"), ("abcd", 3, "…"),
        ("aöbö", 6, "aöbö"), ("aöbö", 5, "a…"), ("aaaöbb", 6, "aaa…"), ("aaöab", 5, "aa…"),
        ("", 3, ""),
    ])
    func `text above the limit is truncated at the last whole scalar`(
        text: String, limit: Int, result: String
    ) {
        #expect(text.truncated(toUTF8: limit) == result)
    }

    @Test func `a line that is too long is truncated to the size of an atomic pipe write`() {
        let long = String(repeating: "ö\n", count: 10_000)
        let line = LogLine(
            level: .info, message: long, metadata: ["k": .string(long)], style: .levelPrefix)
        #expect(line.bytes.count <= LogLine.maximumBytes)
        #expect(line.bytes.count > LogLine.maximumBytes - 4)
        #expect(line.text.hasSuffix("…"))
        #expect(line.bytes.last == UInt8(ascii: "\n"))
    }

    @Test func `a value that is only a part of a word in the message is shown at a terminal`() {
        let metadata: Logger.Metadata = ["A": "rest", "B": "Jobs", "C": "red", "D": "restored"]
        #expect(
            line("restored Jobs2", metadata, style: .levelPrefix)
                == "info: restored Jobs2 A=rest B=Jobs C=red")
    }
}
