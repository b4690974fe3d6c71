import ExactText

extension PositionedNode {
    /// Parses a YAML document, which must not be empty.
    ///
    /// - Parameters:
    ///   - yaml: The bytes of the file, at most ``YAMLLimits/maximumBytes``.
    ///   - file: The name of the file, for use in positions.
    /// - Throws: The problems in the text: an empty document, several documents, a syntax error, invalid UTF-8,
    ///   duplicate keys, aliases, tags, or nesting that is too deep. A duplicate key is reported at its second
    ///   occurrence.
    package init(yaml: [UInt8], file: String) throws(PositionedErrors) {
        guard let root = try Self.parseIfPresent(yaml: yaml, file: file) else {
            throw PositionedErrors(
                "the document is empty: write at least one key and its value.",
                at: SourcePosition(file: file))
        }
        self = root
    }

    /// Parses a YAML document, or returns `nil` if the file is empty or contains only comments.
    ///
    /// - Throws: The same problems as ``init(yaml:file:)``.
    package static func parseIfPresent(
        yaml: [UInt8], file: String
    ) throws(PositionedErrors) -> PositionedNode? {
        let validatedYAML: ValidatedYAML
        do throws(PositionedError) {
            validatedYAML = try ValidatedYAML(yaml, file: file)
        } catch {
            throw PositionedErrors([error])
        }
        return try DocumentReader(YAMLEventParser(validatedYAML)).readDocument()
    }
}

/// A reader that builds a tree from the parser's events, and rejects YAML features that Reprise's files do not use.
///
/// A syntax error or a second document is reported as the only problem, because a correction can change the meaning of
/// the preceding text. Every duplicate key, every nonstandard tag and every key that is not a string is reported.
///
/// The reader stops at the first node that has an anchor, is an alias, or is nested too deeply, and reports this node.
/// Therefore, no alias is ever expanded, and neither the reader nor libyaml recurses deeper than the limit.
private struct DocumentReader: ~Copyable {
    private let eventParser: YAMLEventParser
    private let log = ProblemLog()

    init(_ eventParser: consuming YAMLEventParser) {
        self.eventParser = eventParser
    }

    /// Reads the only document in a text, or returns `nil` if the text contains no document or an empty document.
    func readDocument() throws(PositionedErrors) -> PositionedNode? {
        _ = try eventParser.next()  // The start of the text.
        guard case .documentStart = try eventParser.next().kind else { return nil }
        let root = try readNode(eventParser.next(), depth: 1)
        _ = try eventParser.next()  // The end of the document.
        if case .documentStart = try eventParser.next().kind {
            throw PositionedErrors(
                "a second document begins here, but only one is allowed: "
                    + "remove it, and the \"---\" before it.",
                at: try eventParser.next().position)
        }
        try log.throwReportedProblems()
        let emptyScalar = PositionedScalar(text: "", isQuoted: false)
        return root.content == .scalar(emptyScalar) ? nil : root
    }

    private func readNode(_ event: YAMLEvent, depth: Int) throws(PositionedErrors) -> PositionedNode
    {
        if event.usesAnchor {
            throw makeProblems(
                endingWith: "anchors and aliases (\"&name\", \"*name\") are not supported: "
                    + "write the value where it is needed.", at: event.position)
        }
        guard depth <= YAMLLimits.maximumDepth else {
            throw makeProblems(
                endingWith: "the nesting is deeper than \(YAMLLimits.maximumDepth) levels: "
                    + "reduce the nesting.", at: event.position)
        }
        checkTag(of: event)
        let content: PositionedNode.Content
        switch event.kind {
        case .scalar(let scalar):
            content = .scalar(scalar)
        case .sequenceStart:
            var elements: [PositionedNode] = []
            while let element = try readChild(depth: depth) { elements.append(element) }
            content = .sequence(elements)
        case .mappingStart:
            content = .mapping(try readEntries(depth: depth))
        case .streamStart, .documentStart, .end:
            preconditionFailure("libyaml reported an unexpected event instead of a node")
        }
        return PositionedNode(content, at: event.position)
    }

    private func makeProblems(
        endingWith message: String, at position: SourcePosition
    ) -> PositionedErrors {
        log.report(message, at: position)
        return log.problems ?? PositionedErrors(message, at: position)
    }

    /// Reads the next node in a list or mapping, or returns `nil` at the end.
    private func readChild(depth: Int) throws(PositionedErrors) -> PositionedNode? {
        let event = try eventParser.next()
        if case .end = event.kind { return nil }
        return try readNode(event, depth: depth + 1)
    }

    private func readEntries(depth: Int) throws(PositionedErrors) -> [PositionedEntry] {
        var entries: [PositionedEntry] = []
        var keyPositions: [ExactString: SourcePosition] = [:]
        while let key = try readChild(depth: depth), let value = try readChild(depth: depth) {
            guard case .scalar(let keyScalar) = key.content, !keyScalar.isNull else {
                log.report(
                    "a key must be a plain word: write it without brackets, or remove it.",
                    at: key.position)
                continue
            }
            if let firstPosition = keyPositions[keyScalar.text] {
                log.report(
                    "the key \(Quotation(keyScalar.text)) is already in line \(firstPosition.line): "
                        + "keep one of them.", at: key.position)
                continue
            }
            keyPositions[keyScalar.text] = key.position
            entries.append(
                PositionedEntry(key: keyScalar.text, keyPosition: key.position, value: value))
        }
        return entries
    }

    /// Reports a tag, unless it is YAML's standard tag for a string, a list or a mapping.
    private func checkTag(of event: YAMLEvent) {
        let supportedTags = [
            "tag:yaml.org,2002:str", "tag:yaml.org,2002:seq", "tag:yaml.org,2002:map",
        ]
        guard let tag = event.tag, !supportedTags.contains(tag) else { return }
        log.report(
            "tags (\"!name\") are not supported: remove the tag, and write text in quotes.",
            at: event.position)
    }
}
