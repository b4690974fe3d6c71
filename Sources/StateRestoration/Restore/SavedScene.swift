package import StateRecords

/// One scene's state in an archive, as the engine restores it.
package struct SavedScene: Sendable {
    /// The scene's own record, and behind it those of its objects, every parent before its children
    /// and each before its out-of-line values.
    package let records: RecordList
    /// When the pass was made that saved the scene last: microseconds since 1970-01-01 UTC.
    package let timestamp: Int64

    /// - Parameter records: at least the scene's own.
    package init(_ records: RecordList, timestamp: Int64) {
        precondition(records.spans.first?.type == .object, "a scene has a record")
        self.records = records
        self.timestamp = timestamp
    }

    /// Class token that the object at a path was saved with, or `nil` if the scene holds no such object.
    package func classToken(at path: String, names: NameTable) -> String? {
        let tree = RecordTree(self)
        return tree.place(at: path).flatMap { names.text(of: tree.header(of: $0).classToken) }
    }

    /// The number of the scene's record.
    var number: RecordNumber { RecordNumber(records.fields(at: 0) { $0.number }) }

    /// The application-level values, and the reserved ones (P2, P4).
    var values: SavedValues { SavedValues(of: 0, in: records) }
}

extension RecordList {
    /// Reads the record of an object at a place.
    @inline(__always)
    func fields<Result>(at place: Int, _ body: (ObjectFields) -> Result) -> Result {
        withPayload(of: spans[place]) { body(ObjectFields($0)) }
    }
}

extension SavedValues {
    /// The values of the object whose record is at a place.
    init(of place: Int, in records: RecordList) {
        let (start, keyCount) = records.fields(at: place) { ($0.valuesStart, $0.keyCount) }
        self.init(
            records.payload(of: records.spans[place]).dropFirst(start),
            outOfLine: keyCount == 0 ? [] : records.outOfLineValues(at: place).map(\.bytes))
    }
}
