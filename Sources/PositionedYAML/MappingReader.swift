import ExactText

/// A reader that looks up keys in a mapping, and records which keys have been requested.
///
/// Reading never throws. A missing or invalid value is reported to the log with its position, and the caller receives
/// `nil` or the default. A key that is never requested is unknown. ``PositionedNode/readMapping(_:log:_:)`` reports the
/// unknown keys at the end, with the most similar known key for each.
package final class MappingReader {
    /// The position at which the mapping begins.
    ///
    /// Missing keys are reported at this position.
    package let position: SourcePosition
    /// The mapping's keys and values, in file order.
    ///
    /// Accessing this property does not mark any key as requested.
    package let entries: [PositionedEntry]
    /// The path of the mapping, for use in messages, such as `preservation`.
    ///
    /// The path of the root mapping is empty.
    package let path: String
    /// The log for problems.
    package let log: ProblemLog

    private let indexesByKey: [ExactString: Int]
    private var knownKeys: [String] = []
    private var requestedKeys: Set<ExactString> = []

    fileprivate init(
        _ entries: [PositionedEntry], at position: SourcePosition, path: String, log: ProblemLog
    ) {
        self.position = position
        self.entries = entries
        self.path = path
        self.log = log
        indexesByKey = Dictionary(
            entries.indices.map { (ExactString(entries[$0].key), $0) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Looks up a key, and marks it as requested.
    ///
    /// - Returns: The entry, or `nil` if the key is missing.
    package func entry(_ key: String) -> PositionedEntry? {
        if requestedKeys.insert(ExactString(key)).inserted { knownKeys.append(key) }
        return indexesByKey[key].map { entries[$0] }
    }

    /// Looks up a required key, and reports a problem if the key is missing.
    package func requiredEntry(_ key: String) -> PositionedEntry? {
        if let entry = entry(key) { return entry }
        log.report(
            "the key \(Quotation(key)) is missing\(pathSuffix): write it with its value.",
            at: position)
        return nil
    }

    /// Returns the path of a key in this mapping, for use in messages.
    package func path(of key: String) -> String {
        path.isEmpty ? key : "\(path).\(key)"
    }

    private var pathSuffix: String { path.isEmpty ? "" : " in \(path)" }

    fileprivate func reportUnknownKeys() {
        for entry in entries where !requestedKeys.contains(ExactString(entry.key)) {
            let allowedKeys = knownKeys.isEmpty ? "none" : knownKeys.joined(separator: ", ")
            let remedy = SpellingSuggestions.remedy(
                for: entry.key, among: knownKeys,
                otherwise: "remove it; the keys allowed here are \(allowedKeys).")
            log.report(
                "the key \(Quotation(entry.key)) is unknown\(pathSuffix): \(remedy)",
                at: entry.keyPosition)
        }
    }
}

extension PositionedNode {
    /// Reads a mapping, and reports the unknown keys, which are the keys that `body` does not request.
    ///
    /// - Parameters:
    ///   - path: The mapping's path, for use in messages. The path of the root mapping is empty.
    ///   - log: The log for problems.
    ///   - body: A closure that requests all allowed keys from the reader.
    /// - Returns: The result of `body`, or `nil` if the node is not a mapping. In that case, a problem is reported.
    package func readMapping<Result>(
        _ path: String, log: ProblemLog, _ body: (MappingReader) -> Result?
    ) -> Result? {
        guard case .mapping(let entries) = content else {
            reportWrongShape(path, expectation: Self.mappingExpectation, log: log)
            return nil
        }
        let reader = MappingReader(entries, at: position, path: path, log: log)
        let result = body(reader)
        reader.reportUnknownKeys()
        return result
    }
}

extension MappingReader {
    /// Reads a required single value.
    ///
    /// - Returns: The value, or `nil` if it is missing or invalid. In that case, a problem is reported.
    package func requiredValue<Value>(
        _ key: String, _ format: ScalarFormat<Value>
    ) -> Positioned<Value>? {
        requiredEntry(key)?.value.readScalar(path(of: key), format, log: log)
    }

    /// Reads an optional single value, which can be missing or `null`.
    ///
    /// - Returns: The value, or `nil` if it is missing, `null` or invalid. An invalid value is reported.
    package func optionalValue<Value>(
        _ key: String, _ format: ScalarFormat<Value>
    ) -> Positioned<Value>? {
        guard let entry = entry(key), !entry.value.isNull else { return nil }
        return entry.value.readScalar(path(of: key), format, log: log)
    }

    /// Reads a single value with a default.
    ///
    /// - Returns: The value, or the default if it is missing or invalid. An invalid value is reported.
    package func value<Value>(
        _ key: String, _ format: ScalarFormat<Value>, default defaultValue: Value
    ) -> Value {
        entry(key)?.value.readScalar(path(of: key), format, log: log)?.value ?? defaultValue
    }

    /// Reads a list of single values.
    ///
    /// - Returns: The valid elements, or `nil` if the key is missing or its value is not a list. Invalid elements and a
    ///   value that is not a list are reported.
    package func list<Value>(
        _ key: String, of format: ScalarFormat<Value>
    ) -> [Positioned<Value>]? {
        let log = log
        return entry(key)?.value.readList(
            path(of: key), expectation: "a list, \"[first, second]\"", log: log
        ) { element, path in
            element.readScalar(path, format, log: log)
        }
    }

    /// Reads the nested mapping that is the value of a key.
    ///
    /// - Returns: The result of `body`, or `nil` if the key is missing, has no value, or is not a mapping. A value
    ///   that is not a mapping is reported.
    package func mapping<Result>(
        _ key: String, _ body: (MappingReader) -> Result?
    ) -> Result? {
        guard let entry = entry(key), !entry.value.isNull else { return nil }
        return entry.value.readMapping(path(of: key), log: log, body)
    }

    /// Reads a list of mappings.
    ///
    /// - Parameter body: A closure that creates an element, or returns `nil` to omit it.
    /// - Returns: The elements, or `nil` if the key is missing or its value is not a list. A value that is not a
    ///   list is reported.
    package func mappings<Element>(
        _ key: String, _ body: (MappingReader) -> Element?
    ) -> [Element]? {
        let log = log
        return entry(key)?.value.readList(
            path(of: key), expectation: "a list of mappings, each after a \"- \"", log: log
        ) { element, path in
            element.readMapping(path, log: log, body)
        }
    }

    /// Reads a mapping from arbitrary names to nested mappings, in file order.
    ///
    /// - Parameter body: A closure that creates an element from the entry and a reader for its mapping, or returns
    ///   `nil` to omit it.
    /// - Returns: The elements, or `nil` if the key is missing, has no value, or is not a mapping. A value that is
    ///   not a mapping is reported.
    package func namedMappings<Element>(
        _ key: String, _ body: (PositionedEntry, MappingReader) -> Element?
    ) -> [Element]? {
        mapping(key) { reader in
            reader.entries.compactMap { entry in
                _ = reader.entry(entry.key)
                return entry.value.readMapping(reader.path(of: entry.key), log: log) {
                    body(entry, $0)
                }
            }
        }
    }
}
