import Yams

/// Turns the parser's tree into a plain one and refuses what Reprise's files do not use.
struct NodeConversion {
    private let mask: DuplicateKeyMask
    private let file: String
    private let log: ProblemLog

    /// Converts a whole document.
    ///
    /// - Throws: Every duplicate key, tag and key that is no string; the first alias or nesting
    ///   that is too deep, after which nothing more is looked at.
    static func convert(
        _ root: Node, mask: DuplicateKeyMask, file: String
    ) throws(PositionedErrors) -> PositionedNode? {
        let conversion = NodeConversion(mask: mask, file: file, log: ProblemLog())
        var node: PositionedNode?
        do {
            node = try conversion.node(root, depth: 1)
        } catch {
            conversion.log.report(error)
        }
        try conversion.log.throwIfAny()
        // A document of which only the marker was written.
        if case .scalar(PositionedScalar(text: "", isQuoted: false)) = node?.content { return nil }
        return node
    }

    private func node(_ node: Node, depth: Int) throws(PositionedError) -> PositionedNode {
        let position = SourcePosition(node, in: file)
        if node.anchor != nil { throw .alias(at: position) }
        guard depth <= YAMLLimits.depth else { throw .tooDeep(at: position) }
        switch node {
        case .scalar(let scalar):
            return PositionedNode(.scalar(self.scalar(scalar, at: position)), at: position)
        case .sequence(let sequence):
            checkTag(sequence.tag, at: position)
            var elements: [PositionedNode] = []
            for element in sequence { elements.append(try self.node(element, depth: depth + 1)) }
            return PositionedNode(.sequence(elements), at: position)
        case .mapping(let mapping):
            checkTag(mapping.tag, at: position)
            return PositionedNode(.mapping(try entries(mapping, depth: depth)), at: position)
        case .alias:
            throw .alias(at: position)
        }
    }

    private func entries(
        _ mapping: Node.Mapping, depth: Int
    ) throws(PositionedError) -> [PositionedEntry] {
        var entries: [PositionedEntry] = []
        var places: [String: SourcePosition] = [:]
        for (key, value) in mapping {
            let keyNode = try node(key, depth: depth + 1)
            let valueNode = try node(value, depth: depth + 1)
            guard case .scalar(let scalar) = keyNode.content, scalar.isQuoted || !scalar.isNull
            else {
                log.report(
                    "a key must be a plain word: write it without brackets or leave it out.",
                    at: keyNode.position)
                continue
            }
            let name = mask.name(of: scalar.text, at: keyNode.position)
            if let first = places[name] {
                log.report(.duplicate(name, at: keyNode.position, first: first))
                continue
            }
            places[name] = keyNode.position
            entries.append(
                PositionedEntry(key: name, keyPosition: keyNode.position, value: valueNode))
        }
        return entries
    }

    private func scalar(_ scalar: Node.Scalar, at position: SourcePosition) -> PositionedScalar {
        checkTag(scalar.tag, at: position)
        let isPlain = scalar.style == .plain || scalar.style == .any
        return PositionedScalar(text: scalar.string, isQuoted: !isPlain)
    }

    /// Refuses tags. The three that only state a node's own shape cannot be told from none: the
    /// parser gives them to quoted scalars and, when it looks for duplicates, to keys.
    private func checkTag(_ tag: Tag, at position: SourcePosition) {
        let harmless: [Tag.Name] = [.implicit, .str, .seq, .map]
        guard !harmless.contains(where: { $0.rawValue == tag.rawValue }) else { return }
        log.report(
            "tags (\"!name\") are not read: take it out, and write a text in quotes.", at: position)
    }
}

extension SourcePosition {
    /// Where a node begins.
    init(_ node: Node, in file: String) {
        self.init(file: file, line: node.mark?.line ?? 1, column: node.mark?.column ?? 1)
    }
}

extension PositionedError {
    /// A key that stands twice in one mapping, reported at the second place.
    static func duplicate(
        _ name: String, at position: SourcePosition, first: SourcePosition?
    ) -> PositionedError {
        let place =
            first.map { "already stands in line \($0.line)" } ?? "stands twice in this mapping"
        return PositionedError(
            "the key \(Quotation(name)) \(place): keep one of them.", at: position)
    }
}
