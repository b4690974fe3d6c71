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
        _ key: String, _ body: (MappingReader) -> Result
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
            element.readMapping(path, log: log, body) ?? nil
        }
    }

    /// A mapping whose keys are names that the file chooses, in its order.
    ///
    /// - Parameter body: Makes an element from the entry and its path; nil leaves it out.
    /// - Returns: nil when the key is missing or has nothing under it, or is no mapping, which is
    ///   reported.
    package func named<Element>(
        _ key: String, _ body: (PositionedEntry, String) -> Element?
    ) -> [Element]? {
        mapping(key) { reader in
            reader.entries.compactMap { entry in
                _ = reader.entry(entry.key)
                return body(entry, reader.path(of: entry.key))
            }
        }
    }
}
