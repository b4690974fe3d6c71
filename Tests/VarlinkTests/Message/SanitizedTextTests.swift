import Testing

@testable import Varlink

struct SanitizedTextTests {
    @Test(arguments: [
        ("org.example.Échó", "org.example.Échó"), ("a\nb\u{1B}[m", #"a\nb\u{1B}[m"#),
        ("\u{202E}x\u{2028}\u{0}", #"\u{202E}x\u{2028}\0"#),
    ])
    func `characters that affect a terminal or a log are escaped`(text: String, shown: String) {
        #expect(SanitizedText(text).description == shown)
    }

    @Test func `long text is truncated after escaping`() {
        #expect(SanitizedText(String(repeating: "x", count: 200)).description.utf8.count == 200)
        let long = SanitizedText(String(repeating: "ä", count: 1 << 20)).description
        #expect(long == String(repeating: "ä", count: 100) + "…")
        // The limit applies to the escaped text.
        let escapes = SanitizedText(String(repeating: "\u{1B}", count: 1 << 20)).description
        #expect(escapes == String(repeating: #"\u{1B}"#, count: 33) + #"\u…"#)
    }
}
