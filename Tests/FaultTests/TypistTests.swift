import Testing

/// Checks that the kill tests can fail.
struct TypistTests {
    private func content(_ text: String, caret: Int) -> TextReply.Values {
        TextReply.Values(text: text, selectedRange: .init(lowerBound: caret, upperBound: caret))
    }

    /// Returns a typist whose second string is acknowledged, and whose third string was sent.
    private func typist() throws -> Typist {
        var typist = Typist(.child1)
        for _ in 1...2 {
            _ = try typist.nextCall()
            try typist.acceptReply(#"{"parameters":{"saved":"written"}}"#)
        }
        _ = try typist.nextCall()
        return typist
    }

    @Test(arguments: [2, 3])
    func `an acknowledged or sent text counts as whole`(number: Int) throws {
        var typist = try typist()
        let field = typist.field
        let outcome = typist.verify(content(field.text(number), caret: field.caret(number)))
        try #require(outcome == .whole)
        try #require(typist.acknowledged == number && typist.sent == number)
    }

    @Test(arguments: [0, 1, 4])
    func `a text that is older or was never sent counts as lost`(number: Int) throws {
        var typist = try typist()
        let field = typist.field
        let outcome = typist.verify(content(field.text(number), caret: field.caret(number)))
        try #require(outcome == .lost)
    }

    @Test func `a partial text or a caret of another text counts as half`() throws {
        var typist = try typist()
        let field = typist.field
        let part = typist.verify(content(String(field.text(2).dropLast()), caret: field.caret(2)))
        try #require(part == .half)
        let mixture = typist.verify(content(field.text(2), caret: field.caret(3)))
        try #require(mixture == .half)
    }

    @Test func `a change that is not saved is a violation`() throws {
        var typist = try typist()
        #expect(throws: Violation.self) {
            try typist.acceptReply(#"{"parameters":{"saved":"no","notSavedReason":"x"}}"#)
        }
    }
}
