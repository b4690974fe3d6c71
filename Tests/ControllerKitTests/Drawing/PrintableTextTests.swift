import TerminalText
import Testing

@Suite struct PrintableTextTests {
    @Test(arguments: [
        ("a\u{200D}b", #"a\u{200D}b"#), ("a\u{FE0F}", #"a\u{FE0F}"#), ("1\u{FE0F}", #"1\u{FE0F}"#),
        ("a\u{34F}", #"a\u{034F}"#), ("a\u{180B}", #"a\u{180B}"#), ("a\u{3164}", #"a\u{3164}"#),
        ("\u{115F}\u{1160}\u{FFA0}", #"\u{115F}\u{1160}\u{FFA0}"#), ("❤\u{FE0F}", "❤\u{FE0F}"),
        ("❤\u{FE0F}\u{FE0F}", "❤\u{FE0F}" + #"\u{FE0F}"#), ("👩\u{200D}🚀", "👩\u{200D}🚀"),
        ("❤\u{FE0F}\u{200D}🔥", "❤\u{FE0F}\u{200D}🔥"), ("e\u{301}世", "e\u{301}世"),
        ("❤\u{202E}\u{FE0F}", "❤" + #"\u{202E}\u{FE0F}"#),
    ])
    func `invisible characters that could make two names look alike are escaped`(
        text: String, shown: String
    ) {
        #expect(text.printable == shown)
    }
}
