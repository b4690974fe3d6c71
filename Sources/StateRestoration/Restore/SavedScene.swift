package import StateRecords

/// The saved state of a scene, from which the engine restores the scene.
package struct SavedScene: Sendable {
    /// Record of the scene, followed by the records of its objects.
    ///
    /// Every parent precedes its children, and every object precedes its out-of-line values.
    package let records: RecordList
    /// Time of the pass that last saved the scene, in microseconds since 1970-01-01 UTC.
    package let timestamp: Int64

    /// Creates the saved state of a scene from its records.
    ///
    /// - Parameters:
    ///   - records: The records, including at least the scene's own record.
    ///   - timestamp: The time of the pass that last saved the scene, in microseconds since 1970-01-01 UTC.
    package init(_ records: RecordList, timestamp: Int64) {
        precondition(records.spans.first?.type == .object, "a scene has a record")
        self.records = records
        self.timestamp = timestamp
    }

    /// Returns the saved object at a path, or `nil` if there is no record at the path.
    package func object(at path: String, names: NameTable) -> SavedObject? {
        let tree = RecordTree(self)
        guard let index = tree.index(at: path) else { return nil }
        let decoder = StateDecoder(
            SharedDecoderData(
                names: names, passMetadata: reservedState(names: names).passMetadata,
                path: { _ in path }, object: { _ in nil }),
            number: tree.recordNumbers[index], tree.values(of: index))
        return SavedObject(
            classToken: names.text(of: tree.header(of: index).classToken),
            descendantCount: tree.subtree(below: index).count, decoder: decoder)
    }

    /// Number of the scene's record.
    var number: RecordNumber { RecordNumber(records.fields(at: 0) { $0.number }) }

    /// Application-level values and reserved values (P2, P4).
    var values: SavedValues { SavedValues(of: 0, in: records) }
}

/// A saved object in a scene.
package struct SavedObject {
    /// Name of the class under which the object was saved, or `nil` if the name is unknown.
    package let classToken: String?
    /// Number of saved objects below the object.
    package let descendantCount: Int
    /// Decoder for the object's saved state. Saved references decode as `nil`.
    package let decoder: StateDecoder
}

extension RecordList {
    /// Calls a closure with the fields of the object record at an index.
    @inline(__always)
    func fields<Result>(at index: Int, _ body: (ObjectFields) -> Result) -> Result {
        withPayload(of: spans[index]) { body(ObjectFields($0)) }
    }
}

extension SavedValues {
    /// Creates the values of the object whose record has the given index.
    init(of index: Int, in records: RecordList) {
        let (start, keyCount) = records.fields(at: index) { ($0.valuesStart, $0.keyCount) }
        self.init(
            records.payload(of: records.spans[index]).dropFirst(start),
            outOfLine: keyCount == 0 ? [] : records.outOfLineValues(at: index).map(\.bytes))
    }
}
