import ExactText

/// A piece of a YAML document that knows where it stands.
///
/// The tree is plain: no aliases, no tags, every key of a mapping a distinct string, at most
/// ``YAMLLimits/depth`` levels. What else YAML allows was refused when the text was parsed.
package struct PositionedNode: Sendable, Hashable {
    /// The three shapes of a node.
    package enum Content: Sendable, Hashable {
        /// A single value as it was written.
        case scalar(PositionedScalar)
        /// A list, in its order.
        case sequence([PositionedNode])
        /// Keys and values in the order of the file.
        case mapping([PositionedEntry])
    }

    /// The node's content.
    package var content: Content
    /// Where the node begins; for a mapping in block style this is its first key.
    package let position: SourcePosition

    /// Makes a node.
    package init(_ content: Content, at position: SourcePosition) {
        self.content = content
        self.position = position
    }

    /// Whether this is the plain scalar `null`, `~` or nothing at all.
    package var isNull: Bool {
        if case .scalar(let scalar) = content { scalar.isNull } else { false }
    }
}

/// One key of a mapping, with its value.
package struct PositionedEntry: Sendable, Hashable {
    /// The key.
    package let key: String
    /// Where the key stands.
    package var keyPosition: SourcePosition
    /// What stands under the key.
    package var value: PositionedNode
}

/// The text of a single value, not yet understood as a number, a duration or a string.
package struct PositionedScalar: Sendable, Hashable {
    /// The text after quotes and escapes were taken away.
    package let text: String
    /// Whether it stood in quotes or in a literal or folded block, so that it can only be text.
    package let isQuoted: Bool

    /// Whether this is `null`, `~` or nothing, without quotes.
    package var isNull: Bool {
        !isQuoted && ["", "~", "null", "Null", "NULL"].contains(text)
    }
}

extension PositionedNode {
    /// Returns this node with another one laid over it.
    ///
    /// Where both are mappings their keys are joined and equal keys are merged in the same way;
    /// anything else replaces what was there: lists are not joined, and a key without a value
    /// takes the value away. Every value keeps the position of the file it was written in.
    package func merging(_ overlay: PositionedNode) -> PositionedNode {
        guard case .mapping(var entries) = content, case .mapping(let added) = overlay.content
        else { return overlay }
        var indexes: [ExactString: Int] = [:]
        for (index, entry) in entries.enumerated() { indexes[entry.key] = index }
        for entry in added {
            guard let index = indexes[entry.key] else {
                entries.append(entry)
                continue
            }
            let merged = entries[index].value.merging(entry.value)
            let isReplaced = merged.position == entry.value.position
            if isReplaced { entries[index].keyPosition = entry.keyPosition }
            entries[index].value = merged
        }
        return PositionedNode(.mapping(entries), at: position)
    }

    /// Reads a single value.
    ///
    /// - Returns: The value with its place, or nil when the format refuses it, which is reported.
    package func readScalar<Value>(
        _ path: String, _ format: ScalarFormat<Value>, log: ProblemLog
    ) -> Positioned<Value>? {
        guard case .scalar(let scalar) = content, !scalar.isNull else {
            reportShape(path, expectation: format.expectation, log: log)
            return nil
        }
        do {
            return Positioned(try format.read(scalar), at: position)
        } catch {
            let end = error.remedy.hasSuffix("?") ? "" : "."
            log.report(
                "\(subject(path)) is \(Quotation(scalar.text)): \(error.remedy)\(end)",
                at: position)
            return nil
        }
    }

    /// Whether the node, which is a whole document, is a mapping; reports it if it is not.
    package func checkMapping(log: ProblemLog) -> Bool {
        if case .mapping = content { return true }
        reportShape("", expectation: Self.mappingExpectation, log: log)
        return false
    }

    /// The words for what to write where a mapping is expected.
    static let mappingExpectation = "keys and values, \"key: value\""

    /// Reads a list; each element gets the path `path[index]`, from 0.
    ///
    /// - Returns: What `body` made of the elements, without those for which it returned nil; or nil
    ///   when the node is no list, which is reported.
    package func readList<Element>(
        _ path: String, expectation: String, log: ProblemLog,
        _ body: (PositionedNode, String) -> Element?
    ) -> [Element]? {
        guard case .sequence(let elements) = content else {
            reportShape(path, expectation: expectation, log: log)
            return nil
        }
        return elements.enumerated().compactMap { body($1, "\(path)[\($0)]") }
    }

    /// Reports that the node has the wrong shape.
    func reportShape(_ path: String, expectation: String, log: ProblemLog) {
        let found =
            switch content {
            case .mapping: "a mapping"
            case .sequence: "a list"
            case .scalar(let scalar):
                scalar.isNull ? "empty" : "the single value \(Quotation(scalar.text))"
            }
        log.report("\(subject(path)) is \(found): write \(expectation).", at: position)
    }

    private func subject(_ path: String) -> String {
        path.isEmpty ? "the document" : path
    }
}
