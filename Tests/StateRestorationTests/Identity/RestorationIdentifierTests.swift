import StateRestoration
import Testing

@Suite struct RestorationIdentifierTests {
    typealias Problem = RestorationIdentifierError.Problem

    static let refused: [(String, Problem)] = [
        ("", .empty),
        ("/", .slash), ("a/b", .slash),
        ("@", .beginsWithAt), ("@nav", .beginsWithAt),
        ("a\nb", .controlCharacter), ("\u{0}", .controlCharacter), ("a\u{7F}", .controlCharacter),
        ("a\u{85}", .controlCharacter),
        ("a~2", .endsInOrdinal), ("~0", .endsInOrdinal), ("a~1~22", .endsInOrdinal),
        (String(repeating: "é", count: 128), .tooLong(bytes: 256)),
    ]

    @Test(arguments: refused)
    func `I5: an invalid identifier is refused, and the error contains its text`(
        text: String, problem: Problem
    ) {
        let error = #expect(throws: RestorationIdentifierError.self) {
            try RestorationIdentifier(validating: text)
        }
        #expect(error?.text == text)
        #expect(error?.problem == problem)
        #expect(error?.description.contains("\n") == false)
        #expect(error?.description.contains("restoration identifier") == true)
    }

    @Test(arguments: [
        "a", "a b", "a@b", "a~", "~", "a~2b", "2", "~2~", "ä", "😀", "1~a",
        String(repeating: "é", count: 127) + "x",
    ])
    func `I5: any other text of 1 to 255 bytes is a valid identifier`(text: String) throws {
        #expect(try RestorationIdentifier(validating: text).text == text)
    }

    @Test func `I5: identifiers are compared byte by byte`() throws {
        let composed = RestorationIdentifier("\u{E9}")
        let decomposed = RestorationIdentifier("e\u{301}")
        #expect(composed.text == decomposed.text)
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed, RestorationIdentifier("\u{E9}")]).count == 2)
    }

    @Test func `I3: an ordinal can be added to an identifier and removed again`() {
        let base: RestorationIdentifier = "row"
        #expect(RestorationIdentifier(base, ordinal: 1) == base)
        let second = RestorationIdentifier(base, ordinal: 2)
        #expect(second.text == "row~2")
        #expect(second.withoutOrdinal == base)
        #expect(RestorationIdentifier(recorded: "a~b").withoutOrdinal.text == "a~b")
        #expect(RestorationIdentifier(recorded: "a~").withoutOrdinal.text == "a~")
    }

    @Test func `the error about an invalid identifier escapes control characters`() {
        let error = #expect(throws: RestorationIdentifierError.self) {
            try RestorationIdentifier(validating: "a\nb" as String)
        }
        #expect(
            error?.description
                == "the restoration identifier \"a\\nb\" contains a control character: remove it")
    }

    @Test func `I5: an invalid identifier literal traps`() async {
        await #expect(processExitsWith: .failure) {
            let identifier: RestorationIdentifier = "a/b"
            _ = identifier
        }
    }
}
