import PositionedYAML
import Testing

@Suite struct QuotationTests {
    @Test func `a text is quoted as it is`() {
        #expect(Quotation("größe 🌍").description == "\"größe 🌍\"")
    }

    @Test func `what could change a terminal is escaped`() {
        #expect(
            Quotation("a\u{1B}[31m\n\u{202E}b").description
                == "\"a\\u{1B}[31m\\n\\u{202E}b\"")
    }

    @Test func `a long text is cut`() {
        let text = String(repeating: "x", count: 65)
        #expect(Quotation(text).description == "\"\(text.dropLast())…\"")
        #expect(Quotation(String(text.dropLast())).description == "\"\(text.dropLast())\"")
    }
}
