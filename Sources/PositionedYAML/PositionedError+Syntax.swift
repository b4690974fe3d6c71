import CLibYAML
import ExactText

extension PositionedError {
    /// Creates an error that explains the parser's syntax error and how to correct it.
    init(syntax parser: yaml_parser_t, in source: ValidatedYAML) {
        let file = source.file
        let problem = parser.problem.map { String(cString: $0) } ?? "no memory"
        let context = parser.context.map { String(cString: $0) }
        let problemPosition = SourcePosition(parser.problem_mark, in: file)
        if let sentence = Self.contextExplanation(of: problem, context) {
            let contextPosition =
                context == nil ? problemPosition : SourcePosition(parser.context_mark, in: file)
            self.init(sentence, at: contextPosition)
        } else {
            let character = source.text.unicodeScalars.dropFirst(parser.problem_mark.index).first
            let sentence = Self.explanation(of: problem, context, at: character)
            self.init(sentence, at: problemPosition)
        }
    }

    /// Returns the explanation of a problem with the element that begins at the context's position, or `nil` if the
    /// cause is at the position of the problem itself.
    private static func contextExplanation(of problem: String, _ context: String?) -> String? {
        switch (context, problem) {
        case ("while scanning a quoted scalar"?, "found unexpected end of stream"):
            "the quote that opens here is never closed: write the closing quote."
        case ("while parsing a flow sequence"?, _):
            "the list that begins here is not closed or lacks a comma: "
                + "separate its elements with \",\" and close it with \"]\"."
        case ("while parsing a flow mapping"?, _):
            "the mapping that begins here is not closed or lacks a comma: "
                + "separate its entries with \",\" and close it with \"}\"."
        case (_, "could not find expected ':'"):
            "there is no \":\" after the key that begins here: write \"key: value\"."
        default: nil
        }
    }

    /// Returns the explanation of a problem whose cause is at the problem's own position.
    ///
    /// - Parameter character: The character at this position, or `nil` at the end of the text.
    private static func explanation(
        of problem: String, _ context: String?, at character: Unicode.Scalar?
    ) -> String {
        switch problem {
        case "mapping values are not allowed in this context":
            "a \":\" is not allowed here: correct the indentation, "
                + "or write text that contains \": \" in quotes."
        case "did not find expected node content":
            "a value is expected here: write it, and close any open \"[\" or \"{\"."
        case "did not find expected key":
            "a key is expected here: indent it like the keys above it."
        case "found character that cannot start any token": reservedCharacterMessage(character)
        default: "this is not YAML (\(problem)\(context.map { " \($0)" } ?? "")): correct it."
        }
    }

    private static func reservedCharacterMessage(_ firstCharacter: Unicode.Scalar?) -> String {
        guard let firstCharacter, firstCharacter != "\t" else {
            return "there is a tab here: indent with spaces."
        }
        return
            "text cannot begin with \(Quotation(String(firstCharacter))) here: write it in quotes."
    }
}
