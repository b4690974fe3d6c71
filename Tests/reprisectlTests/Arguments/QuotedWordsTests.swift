import Testing

@testable import reprisectl

@Suite struct QuotedWordsTests {
    @Test(
        arguments: [
            ("", []), (" \t\r ", []), ("a b", ["a", "b"]), (" a\tb\r", ["a", "b"]),
            ("# a", []), ("a # b", ["a"]), ("a#b", ["a#b"]), ("'#' b", ["#", "b"]),
            ("''", [""]), (#""""#, [""]), ("a '' b", ["a", "", "b"]), ("'a b'c", ["a bc"]),
            (#"a"b c"d"#, ["ab cd"]), (#"'a\'"#, [#"a\"#]), (#"'a"b'"#, [#"a"b"#]),
            (#""a'b""#, ["a'b"]), (#""\"\\\$\`""#, [#""\$`"#]), (#""\a\ ""#, [#"\a\ "#]),
            (#"\a\ \"\'"#, [#"a "'"#]), (#"a\\ b"#, [#"a\"#, "b"]), ("\\#", ["#"]),
            (#""a"'b'c"#, ["abc"]),
        ] as [(String, [String])])
    func `words are split and quoted as in a shell`(line: String, words: [String]) throws {
        #expect(try QuotedWords(line).words == words)
    }

    @Test(
        arguments: [
            ("a 'b", "a single quote is not closed: add the closing ' on the same line."),
            (#"a "b"#, "a double quote is not closed: add the closing \" on the same line."),
            (#""a\"#, "a double quote is not closed: add the closing \" on the same line."),
            (#""a\""#, "a double quote is not closed: add the closing \" on the same line."),
            (#"a \"#, "the line ends with a backslash"),
        ])
    func `an unclosed quote and a trailing backslash are errors`(line: String, phrase: String) {
        let failure = #expect(throws: Failure.self) { try QuotedWords(line) }
        #expect(failure?.description.hasPrefix(phrase) == true)
        #expect(failure?.status == .usage)
    }
}
