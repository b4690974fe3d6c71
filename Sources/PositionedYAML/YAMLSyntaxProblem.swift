import Yams

extension PositionedError {
    /// Says in one sentence what the parser refused, where, and what to do.
    init(_ error: YamlError, file: String) {
        switch error {
        case .scanner(let context, let problem, let mark, let yaml),
            .parser(let context, let problem, let mark, let yaml),
            .composer(let context, let problem, let mark, let yaml):
            self = Self.syntax(context, problem, mark, yaml: yaml, file: file)
        case .reader(let problem, let offset, _, let yaml):
            var counter = ScalarCounter()
            for scalar in yaml.prefix(offset ?? 0).unicodeScalars { counter.advance(over: scalar) }
            self.init(
                "\(problem): take the character out and save the file as UTF-8.",
                at: counter.position(in: file))
        default:
            self.init(
                "the file could not be parsed (\(error)): correct it.",
                at: SourcePosition(file: file))
        }
    }

    private static func syntax(
        _ context: YamlError.Context?, _ problem: String, _ mark: Mark, yaml: String, file: String
    ) -> PositionedError {
        let here = SourcePosition(file: file, line: mark.line, column: mark.column)
        if problem == "found character that cannot start any token" {
            return reserved(at: here, yaml)
        }
        let start =
            context.map { SourcePosition(file: file, line: $0.mark.line, column: $0.mark.column) }
            ?? here
        let (sentence, place) =
            switch (context?.text, problem) {
            case ("while scanning a quoted scalar"?, "found unexpected end of stream"):
                ("the quote that opens here is never closed: write the closing quote.", start)
            case ("while parsing a flow sequence"?, _):
                (
                    "the list that begins here is not closed or lacks a comma: "
                        + "separate its elements with \",\" and close it with \"]\".", start
                )
            case ("while parsing a flow mapping"?, _):
                (
                    "the mapping that begins here is not closed or lacks a comma: "
                        + "separate its entries with \",\" and close it with \"}\".", start
                )
            case (_, "mapping values are not allowed in this context"):
                (
                    "a \":\" may not stand here: correct the indentation, "
                        + "or write a text with \": \" in quotes.", here
                )
            case (_, "could not find expected ':'"):
                (
                    "there is no \":\" after the key that begins here: write \"key: value\".", start
                )
            case (_, "did not find expected node content"):
                (
                    "a value is expected here: write it, and close what \"[\" or \"{\" opened.",
                    here
                )
            case (_, "did not find expected key"):
                ("a key is expected here: indent it like the keys above it.", here)
            case (_, "found undefined alias"): (Self.alias(at: here).message, here)
            case (_, let problem) where problem.contains("nesting level"):
                (Self.tooDeep(at: here).message, here)
            default:
                (
                    "this is not YAML (\(problem)\(context.map { " \($0.text)" } ?? "")): correct it.",
                    here
                )
            }
        return PositionedError(sentence, at: place)
    }

    private static func reserved(at position: SourcePosition, _ yaml: String) -> PositionedError {
        var counter = ScalarCounter()
        let found = yaml.unicodeScalars.first { scalar in
            if counter.line == position.line, counter.column == position.column { return true }
            counter.advance(over: scalar)
            return false
        }
        guard let found, found != "\t" else {
            return PositionedError("a tab stands here: indent with spaces.", at: position)
        }
        return PositionedError(
            "no text may begin with \(Quotation(String(found))) here: write it in quotes.",
            at: position)
    }
}
