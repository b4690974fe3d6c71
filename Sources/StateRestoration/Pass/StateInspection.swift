/// A preview of the values that an object would save, for commands that show these values.
///
/// Nothing is recorded.
package struct StateInspection {
    private let scene: Scene

    package init(_ scene: Scene) {
        self.scene = scene
    }

    /// Returns the values that an object encodes, keyed by name.
    ///
    /// - Throws: The error that the object throws.
    package func values(of object: any StateRestoring, passMetadata: PassMetadata) throws
        -> [String:
        StoredValue]
    {
        let encoder = try encode(object, passMetadata)
        let records = scene.records
        var reader = ValueReader(encoder.bytes[...])
        var values: [String: StoredValue] = [:]
        while !reader.isAtEnd {
            let key = encoder.names.text(of: UInt32(try reader.readVarint())) ?? ""
            values[key] = try StoredValue(reading: &reader, path: { records.path(of: $0) })
        }
        values[StateEncoder.excludedFromHistoryKey.description] = nil
        return values
    }

    /// Returns whether an object's record, as of the last pass, contains a value that satisfies a predicate.
    ///
    /// Values that the library itself stores and values that cannot be read are ignored. References are passed to the
    /// predicate without paths.
    package func record(
        of object: any StateRestoring, contains predicate: (StoredValue) -> Bool
    ) -> Bool {
        let (records, node) = (scene.records, object.restoration)
        guard node.belongs(to: records), node.record.exists,
            let savedValues = records.savedValues?(node.record.number)
        else { return false }
        var isFound = false
        savedValues.forEachValue { key, value in
            guard records.names.text(of: key)?.hasPrefix("@") == false else { return true }
            do throws(ValueError) {
                isFound = predicate(try StoredValue(stored: value) { _ in nil })
            } catch {
                return true
            }
            return !isFound
        }
        return isFound
    }

    /// Returns the size of an object's state, with a sentence for each omitted or large value (P9).
    ///
    /// - Throws: The error that the object throws.
    func state(of object: any StateRestoring, passMetadata: PassMetadata) throws
        -> Explanation.State
    {
        let encoder = try encode(object, passMetadata)
        let problems = encoder.diagnostics {
            scene.records.path(of: object.restoration).description
        }
        return .values(
            count: encoder.keyCount, bytes: encoder.bytes.count,
            problems: problems.map(\.description))
    }

    private func encode(_ object: any StateRestoring, _ passMetadata: PassMetadata) throws
        -> StateEncoder
    {
        // The encoder has its own name table, so that an inspection adds no keys to the archive.
        let encoder = StateEncoder(
            names: NameTable(sharingChecksWith: scene.records.names), passMetadata: passMetadata,
            limits: scene.limits)
        encoder.records = scene.records
        encoder.recordNumberOfObject = { other in
            other.restoration.record.number == .none ? nil : other.restoration.record.number
        }
        let node = object.restoration
        encoder.begin(
            node.belongs(to: scene.records) ? node.record.number : .none,
            storyboardName: object.restoration.storyboard?.name)
        try encoder.encodeState(of: object)
        return encoder
    }
}
