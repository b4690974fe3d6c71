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
        let position = SourcePosition(file: file, line: mark.line, column: mark.column)
        let start = context.map {
            SourcePosition(file: file, line: $0.mark.line, column: $0.mark.column)
        }
        switch (context?.text, problem) {
        case (_, "found character that cannot start any token"):
            return reserved(at: position, yaml)
        case ("while scanning a quoted scalar"?, "found unexpected end of stream"):
            return PositionedError(
                "the quote that opens here is never closed: write the closing quote.",
                at: start ?? position)
        case ("while parsing a flow sequence"?, _):
            return PositionedError(
                "the list that begins here is not closed or lacks a comma: "
                    + "separate its elements with \",\" and close it with \"]\".",
                at: start ?? position)
        case ("while parsing a flow mapping"?, _):
            return PositionedError(
                "the mapping that begins here is not closed or lacks a comma: "
                    + "separate its entries with \",\" and close it with \"}\".",
                at: start ?? position)
        case (_, "mapping values are not allowed in this context"):
            return PositionedError(
                "a \":\" may not stand here: correct the indentation, "
                    + "or write a text with \": \" in quotes.", at: position)
        case (_, "could not find expected ':'"):
            return PositionedError(
                "there is no \":\" after the key that begins here: write \"key: value\".",
                at: start ?? position)
        case (_, "did not find expected node content"):
            return PositionedError(
                "a value is expected here: write it, and close what \"[\" or \"{\" opened.",
                at: position)
        case (_, "did not find expected key"):
            return PositionedError(
                "a key is expected here: indent it like the keys above it.", at: position)
        case (_, "found undefined alias"):
            return .alias(at: position)
        case (_, let problem) where problem.contains("nesting level"):
            return PositionedError(
                "the nesting is deeper than \(YAMLLimits.depth) levels: make it flatter.",
                at: position)
        default:
            let during = context.map { " \($0.text)" } ?? ""
            return PositionedError(
                "this is not YAML (\(problem)\(during)): correct it.", at: position)
        }
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
