import CLibYAML

/// What libyaml finds next in a text.
struct YAMLEvent {
    /// The kinds of events, with what the text says.
    enum Kind {
        /// A single value. An alias is an empty one.
        case scalar(PositionedScalar)
        /// A list begins.
        case sequence
        /// A mapping begins; keys and values follow by turns.
        case mapping
        /// The whole text begins.
        case start
        /// A document begins.
        case document
        /// A list, a mapping, a document or the whole text ends.
        case end
    }

    /// What was found.
    let kind: Kind
    /// Where it begins, at its anchor or tag if it has one.
    let position: SourcePosition
    /// The tag that was written, as libyaml resolves it.
    let tag: String?
    /// Whether it has an anchor or is an alias.
    let hasAnchor: Bool
}

/// The events of a text, one after the other, from libyaml's parser.
struct YAMLEvents: ~Copyable {
    // Neither may move while the parser points to them.
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let bytes: UnsafeMutableBufferPointer<UInt8>
    private let source: YAMLText

    /// Begins at the start of a text.
    init(_ source: YAMLText) {
        self.source = source
        bytes = .allocate(capacity: source.text.utf8.count)
        _ = bytes.initialize(from: source.text.utf8)
        parser = .allocate(capacity: 1)
        precondition(yaml_parser_initialize(parser) == 1, "libyaml has no memory for a parser")
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
        bytes.deallocate()
    }

    /// Returns the next event: the start of the text, its documents, and the end of the text.
    ///
    /// - Throws: What the parser refuses, where it stands; nothing can be read after it.
    func next() throws(PositionedErrors) -> YAMLEvent {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else {
            throw PositionedErrors([PositionedError(syntax: parser.pointee, in: source)])
        }
        defer { yaml_event_delete(&event) }
        switch event.type {
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
            let text = String(decoding: bytes, as: UTF8.self)
            let isQuoted = scalar.style != YAML_PLAIN_SCALAR_STYLE
            let content = PositionedScalar(text: text, isQuoted: isQuoted)
            return self.event(.scalar(content), event, tag: scalar.tag, anchor: scalar.anchor)
        case YAML_SEQUENCE_START_EVENT:
            let start = event.data.sequence_start
            return self.event(.sequence, event, tag: start.tag, anchor: start.anchor)
        case YAML_MAPPING_START_EVENT:
            let start = event.data.mapping_start
            return self.event(.mapping, event, tag: start.tag, anchor: start.anchor)
        case YAML_ALIAS_EVENT:
            let content = PositionedScalar(text: "", isQuoted: false)
            return self.event(.scalar(content), event, anchor: event.data.alias.anchor)
        case YAML_DOCUMENT_START_EVENT:
            return self.event(.document, event)
        case YAML_STREAM_START_EVENT:
            return self.event(.start, event)
        default:
            return self.event(.end, event)
        }
    }

    private func event(
        _ kind: YAMLEvent.Kind, _ event: yaml_event_t, tag: UnsafeMutablePointer<UInt8>? = nil,
        anchor: UnsafeMutablePointer<UInt8>? = nil
    ) -> YAMLEvent {
        YAMLEvent(
            kind: kind, position: SourcePosition(event.start_mark, in: source.file),
            tag: tag.map { String(cString: $0) }, hasAnchor: anchor != nil)
    }
}

extension SourcePosition {
    /// A place as libyaml counts it, from 0.
    init(_ mark: yaml_mark_t, in file: String) {
        self.init(file: file, line: mark.line + 1, column: mark.column + 1)
    }
}
