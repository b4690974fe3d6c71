import CLibYAML

/// An event from the libyaml parser.
struct YAMLEvent {
    /// The kind of an event, with its content.
    enum Kind {
        /// A single value.
        ///
        /// An alias is represented by an empty value.
        case scalar(PositionedScalar)
        /// The beginning of a list.
        case sequenceStart
        /// The beginning of a mapping.
        ///
        /// The events for its keys and values alternate.
        case mappingStart
        /// The beginning of the text.
        case streamStart
        /// The beginning of a document.
        case documentStart
        /// The end of a list, a mapping, a document or the text.
        case end
    }

    /// The kind of the event.
    let kind: Kind
    /// The position at which the node, including its anchor or tag, begins.
    let position: SourcePosition
    /// The explicit tag, resolved by libyaml, or `nil` if the node has no explicit tag.
    let tag: String?
    /// Whether the node has an anchor or is an alias.
    let usesAnchor: Bool
}

/// A parser that returns libyaml's events for a text, one at a time.
struct YAMLEventParser: ~Copyable {
    // libyaml stores pointers to the parser and the bytes, so both need stable addresses.
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let bytes: UnsafeMutableBufferPointer<UInt8>
    private let source: ValidatedYAML

    /// Creates a parser for the given text.
    init(_ source: ValidatedYAML) {
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

    /// Returns the next event.
    ///
    /// The first event is the beginning of the text, and the last event is its end.
    ///
    /// - Throws: A syntax error with its position. After this error, no more events can be read.
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
            return self.makeEvent(.scalar(content), event, tag: scalar.tag, anchor: scalar.anchor)
        case YAML_SEQUENCE_START_EVENT:
            let start = event.data.sequence_start
            return self.makeEvent(.sequenceStart, event, tag: start.tag, anchor: start.anchor)
        case YAML_MAPPING_START_EVENT:
            let start = event.data.mapping_start
            return self.makeEvent(.mappingStart, event, tag: start.tag, anchor: start.anchor)
        case YAML_ALIAS_EVENT:
            let content = PositionedScalar(text: "", isQuoted: false)
            return self.makeEvent(.scalar(content), event, anchor: event.data.alias.anchor)
        case YAML_DOCUMENT_START_EVENT:
            return self.makeEvent(.documentStart, event)
        case YAML_STREAM_START_EVENT:
            return self.makeEvent(.streamStart, event)
        default:
            return self.makeEvent(.end, event)
        }
    }

    private func makeEvent(
        _ kind: YAMLEvent.Kind, _ event: yaml_event_t, tag: UnsafeMutablePointer<UInt8>? = nil,
        anchor: UnsafeMutablePointer<UInt8>? = nil
    ) -> YAMLEvent {
        YAMLEvent(
            kind: kind, position: SourcePosition(event.start_mark, in: source.file),
            tag: tag.map { String(cString: $0) }, usesAnchor: anchor != nil)
    }
}

extension SourcePosition {
    /// Creates a position from a zero-based libyaml mark.
    init(_ mark: yaml_mark_t, in file: String) {
        self.init(file: file, line: mark.line + 1, column: mark.column + 1)
    }
}
