import PositionedYAML
import Testing

@Suite struct QuotationTests {
    @Test func `printable text is quoted unchanged`() {
        #expect(Quotation("größe 🌍").description == "\"größe 🌍\"")
    }

    @Test func `characters that could affect a terminal are escaped`() {
        #expect(
            Quotation("a\u{1B}[31m\n\u{202E}b").description
                == "\"a\\u{1B}[31m\\n\\u{202E}b\"")
    }

    @Test func `a long text is truncated`() {
        let text = String(repeating: "x", count: 65)
        #expect(Quotation(text).description == "\"\(text.dropLast())…\"")
        #expect(Quotation(String(text.dropLast())).description == "\"\(text.dropLast())\"")
    }
}
