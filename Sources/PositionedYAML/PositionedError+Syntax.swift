import CLibYAML
import ExactText

extension PositionedError {
    /// Creates an error that explains the parser's syntax error and how to correct it.
    init(syntax parser: yaml_parser_t, in source: ValidatedYAML) {
        let file = source.file
        let problem = parser.problem.map { String(cString: $0) } ?? "no memory"
        let context = parser.context.map { String(cString: $0) }
        let problemPosition = SourcePosition(parser.problem_mark, in: file)
        let contextPosition =
            context == nil ? problemPosition : SourcePosition(parser.context_mark, in: file)
        let (sentence, position) =
            switch (context, problem) {
            case ("while scanning a quoted scalar"?, "found unexpected end of stream"):
                (
                    "the quote that opens here is never closed: write the closing quote.",
                    contextPosition
                )
            case ("while parsing a flow sequence"?, _):
                (
                    "the list that begins here is not closed or lacks a comma: "
                        + "separate its elements with \",\" and close it with \"]\".",
                    contextPosition
                )
            case ("while parsing a flow mapping"?, _):
                (
                    "the mapping that begins here is not closed or lacks a comma: "
                        + "separate its entries with \",\" and close it with \"}\".",
                    contextPosition
                )
            case (_, "mapping values are not allowed in this context"):
                (
                    "a \":\" is not allowed here: correct the indentation, "
                        + "or write text that contains \": \" in quotes.", problemPosition
                )
            case (_, "could not find expected ':'"):
                (
                    "there is no \":\" after the key that begins here: write \"key: value\".",
                    contextPosition
                )
            case (_, "did not find expected node content"):
                (
                    "a value is expected here: write it, and close any open \"[\" or \"{\".",
                    problemPosition
                )
            case (_, "did not find expected key"):
                ("a key is expected here: indent it like the keys above it.", problemPosition)
            case (_, "found character that cannot start any token"):
                (
                    Self.reservedCharacterMessage(
                        source.text.unicodeScalars.dropFirst(parser.problem_mark.index).first),
                    problemPosition
                )
            default:
                (
                    "this is not YAML (\(problem)\(context.map { " \($0)" } ?? "")): correct it.",
                    problemPosition
                )
            }
        self.init(sentence, at: position)
    }

    private static func reservedCharacterMessage(_ firstCharacter: Unicode.Scalar?) -> String {
        guard let firstCharacter, firstCharacter != "\t" else {
            return "there is a tab here: indent with spaces."
        }
        return
            "text cannot begin with \(Quotation(String(firstCharacter))) here: write it in quotes."
    }
}
