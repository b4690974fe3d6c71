import ExactText

/// Reads the keys of one mapping and remembers which were asked for.
///
/// No reading fails: what is missing or wrong is reported to the log with its place, and the caller
/// gets nil or the default. A key that was never asked for is unknown and is reported at the end of
/// ``PositionedNode/readMapping(_:log:_:)``, with the known key that is closest.
package final class MappingReader {
    /// Where the mapping begins; a missing key is reported here.
    package let position: SourcePosition
    /// The mapping's keys and values, in the order of the file. Looking at them asks for nothing.
    package let entries: [PositionedEntry]
    /// The path of the mapping for messages, such as `preservation`; empty for the document.
    package let path: String
    /// Where problems go.
    package let log: ProblemLog

    private let indexes: [ExactString: Int]
    private var known: [String] = []
    private var asked: Set<ExactString> = []

    fileprivate init(
        _ entries: [PositionedEntry], at position: SourcePosition, path: String, log: ProblemLog
    ) {
        self.position = position
        self.entries = entries
        self.path = path
        self.log = log
        indexes = Dictionary(
            entries.indices.map { (ExactString(entries[$0].key), $0) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Asks for a key.
    ///
    /// - Returns: The entry, or nil if the key is not there.
    package func entry(_ key: String) -> PositionedEntry? {
        if asked.insert(ExactString(key)).inserted { known.append(key) }
        return indexes[key].map { entries[$0] }
    }

    /// Asks for a key that must be there and reports it if it is not.
    package func requiredEntry(_ key: String) -> PositionedEntry? {
        if let entry = entry(key) { return entry }
        log.report(
            "the key \(Quotation(key)) is missing\(inPath): write it with its value.", at: position)
        return nil
    }

    /// The path of a key of this mapping, for messages.
    package func path(of key: String) -> String {
        path.isEmpty ? key : "\(path).\(key)"
    }

    private var inPath: String { path.isEmpty ? "" : " in \(path)" }

    fileprivate func reportUnknownKeys() {
        for entry in entries where !asked.contains(ExactString(entry.key)) {
            let names = known.isEmpty ? "none" : known.joined(separator: ", ")
            let remedy = Spelling.remedy(
                for: entry.key, among: known, otherwise: "take it out; the keys here are \(names).")
            log.report(
                "the key \(Quotation(entry.key)) is unknown\(inPath): \(remedy)",
                at: entry.keyPosition)
        }
    }
}

extension PositionedNode {
    /// Reads a mapping: every key that `body` does not ask for is reported as unknown.
    ///
    /// - Parameters:
    ///   - path: The mapping's path for messages; empty for the document.
    ///   - log: Where problems go.
    ///   - body: Asks the reader for all the keys that may stand here.
    /// - Returns: What `body` returns, or nil when the node is no mapping, which is reported.
    package func readMapping<Result>(
        _ path: String, log: ProblemLog, _ body: (MappingReader) -> Result?
    ) -> Result? {
        guard case .mapping(let entries) = content else {
            reportShape(path, expectation: Self.mappingExpectation, log: log)
            return nil
        }
        let reader = MappingReader(entries, at: position, path: path, log: log)
        let result = body(reader)
        reader.reportUnknownKeys()
        return result
    }
}

extension MappingReader {
    /// A single value that must be there.
    ///
    /// - Returns: nil when it is missing or refused, which is reported.
    package func required<Value>(
        _ key: String, _ format: ScalarFormat<Value>
    ) -> Positioned<Value>? {
        requiredEntry(key)?.value.readScalar(path(of: key), format, log: log)
    }

    /// A single value that may be missing or `null`.
    ///
    /// - Returns: nil when it is missing, null, or refused, which is reported.
    package func optional<Value>(
        _ key: String, _ format: ScalarFormat<Value>
    ) -> Positioned<Value>? {
        guard let entry = entry(key), !entry.value.isNull else { return nil }
        return entry.value.readScalar(path(of: key), format, log: log)
    }

    /// A single value with a default.
    ///
    /// - Returns: The default also when the value is refused, which is reported.
    package func value<Value>(
        _ key: String, _ format: ScalarFormat<Value>, default defaultValue: Value
    ) -> Value {
        entry(key)?.value.readScalar(path(of: key), format, log: log)?.value ?? defaultValue
    }

    /// A list of single values.
    ///
    /// - Returns: nil when the key is missing, or is no list, which is reported; elements that the
    ///   format refuses are reported and left out.
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

    /// A mapping below this one.
    ///
    /// - Returns: nil when the key is missing, has nothing under it, or is no mapping, which is
    ///   reported.
    package func mapping<Result>(
        _ key: String, _ body: (MappingReader) -> Result?
    ) -> Result? {
        guard let entry = entry(key), !entry.value.isNull else { return nil }
        return entry.value.readMapping(path(of: key), log: log, body)
    }

    /// A list of mappings.
    ///
    /// - Parameter body: Makes an element; nil leaves it out.
    /// - Returns: nil when the key is missing, or is no list, which is reported.
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

    /// A mapping whose keys are names that the file chooses, in its order; below each is a mapping.
    ///
    /// - Parameter body: Makes an element from the entry and a reader of what is below; nil leaves
    ///   it out.
    /// - Returns: nil when the key is missing or has nothing under it, or is no mapping, which is
    ///   reported.
    package func named<Element>(
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
