import ExactText

/// A node in a YAML document, with its position.
///
/// The tree contains no aliases and no tags. The keys of each mapping are distinct strings, and there are at most
/// ``YAMLLimits/maximumDepth`` levels. The parser rejects YAML's other features.
package struct PositionedNode: Sendable, Hashable {
    /// The shape of a node, with its content.
    package enum Content: Sendable, Hashable {
        /// A single value, as written in the file.
        case scalar(PositionedScalar)
        /// A list of nodes, in file order.
        case sequence([PositionedNode])
        /// Keys and values, in file order.
        case mapping([PositionedEntry])
    }

    /// The content of the node.
    package var content: Content
    /// The position at which the node begins.
    ///
    /// For a mapping in block style, this is the position of the first key.
    package let position: SourcePosition

    /// Creates a node.
    package init(_ content: Content, at position: SourcePosition) {
        self.content = content
        self.position = position
    }

    /// Whether the node is an unquoted `null`, `~` or empty scalar.
    package var isNull: Bool {
        if case .scalar(let scalar) = content { scalar.isNull } else { false }
    }
}

/// A key in a mapping, with its value.
package struct PositionedEntry: Sendable, Hashable {
    /// The key.
    package let key: String
    /// The position of the key.
    package var keyPosition: SourcePosition
    /// The value of the key.
    package var value: PositionedNode
}

/// The text of a single value, before it is interpreted as a number, a duration or a string.
package struct PositionedScalar: Sendable, Hashable {
    /// The text without quotes and escapes.
    package let text: String
    /// Whether the value was quoted, or written as a literal or folded block. Such a value is always a string.
    package let isQuoted: Bool

    /// Whether the value is an unquoted `null`, `~` or empty scalar.
    package var isNull: Bool {
        !isQuoted && ["", "~", "null", "Null", "NULL"].contains(text)
    }
}

extension PositionedNode {
    /// Returns the result of merging this node with a node that overrides it.
    ///
    /// If both nodes are mappings, their keys are combined, and the values of equal keys are merged recursively. In all
    /// other cases, the overlay replaces the node. Lists are not combined. A key without a value in the overlay clears
    /// the value of that key. Each value keeps its position in its own file.
    package func merging(_ overlay: PositionedNode) -> PositionedNode {
        guard case .mapping(var entries) = content,
            case .mapping(let overlayEntries) = overlay.content
        else { return overlay }
        var indexesByKey: [ExactString: Int] = [:]
        for (index, entry) in entries.enumerated() { indexesByKey[entry.key] = index }
        for entry in overlayEntries {
            guard let index = indexesByKey[entry.key] else {
                entries.append(entry)
                continue
            }
            let mergedValue = entries[index].value.merging(entry.value)
            let isValueReplaced = mergedValue.position == entry.value.position
            if isValueReplaced { entries[index].keyPosition = entry.keyPosition }
            entries[index].value = mergedValue
        }
        return PositionedNode(.mapping(entries), at: position)
    }

    /// Reads a single value.
    ///
    /// - Returns: The value with its position, or `nil` if the format rejects the value. In that case, a problem is
    ///   reported.
    package func readScalar<Value>(
        _ path: String, _ format: ScalarFormat<Value>, log: ProblemLog
    ) -> Positioned<Value>? {
        guard case .scalar(let scalar) = content, !scalar.isNull else {
            reportWrongShape(path, expectation: format.expectation, log: log)
            return nil
        }
        do {
            return Positioned(try format.read(scalar), at: position)
        } catch {
            let finalPunctuation = error.remedy.hasSuffix("?") ? "" : "."
            log.report(
                "\(sentenceSubject(path)) is \(Quotation(scalar.text)): \(error.remedy)\(finalPunctuation)",
                at: position)
            return nil
        }
    }

    /// Returns whether a document's root node is a mapping.
    ///
    /// Reports a problem if the node is not a mapping.
    package func checkMapping(log: ProblemLog) -> Bool {
        if case .mapping = content { return true }
        reportWrongShape("", expectation: Self.mappingExpectation, log: log)
        return false
    }

    /// The phrase that describes a mapping in messages.
    static let mappingExpectation = "keys and values, \"key: value\""

    /// Reads a list.
    ///
    /// Each element has the path `path[index]`, with a zero-based index.
    ///
    /// - Returns: The results of `body` that are not `nil`, or `nil` if the node is not a list. In that case, a problem
    ///   is reported.
    package func readList<Element>(
        _ path: String, expectation: String, log: ProblemLog,
        _ readElement: (PositionedNode, String) -> Element?
    ) -> [Element]? {
        guard case .sequence(let elements) = content else {
            reportWrongShape(path, expectation: expectation, log: log)
            return nil
        }
        return elements.enumerated().compactMap { readElement($1, "\(path)[\($0)]") }
    }

    /// Reports that the node has the wrong shape.
    func reportWrongShape(_ path: String, expectation: String, log: ProblemLog) {
        let actualShape =
            switch content {
            case .mapping: "a mapping"
            case .sequence: "a list"
            case .scalar(let scalar):
                scalar.isNull ? "empty" : "the single value \(Quotation(scalar.text))"
            }
        log.report(
            "\(sentenceSubject(path)) is \(actualShape): write \(expectation).", at: position)
    }

    private func sentenceSubject(_ path: String) -> String {
        path.isEmpty ? "the document" : path
    }
}
