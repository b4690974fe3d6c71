/// One scene's state in an archive, as the engine restores it.
package struct SavedScene: Sendable {
    /// The scene's record.
    package var number: RecordNumber
    /// The application-level values, and the reserved ones (P2, P4).
    package var values: ArraySlice<UInt8>
    /// Those of them that are kept out of line because they are large, each behind its key.
    package var outOfLine: [ArraySlice<UInt8>]
    /// When the pass was made that saved the scene last: microseconds since 1970-01-01 UTC.
    package var timestamp: Int64
    /// The records of the scene's objects, every parent before its children.
    package var records: [SavedRecord]

    package init(
        number: RecordNumber, values: ArraySlice<UInt8>, outOfLine: [ArraySlice<UInt8>] = [],
        timestamp: Int64, records: [SavedRecord]
    ) {
        self.number = number
        self.values = values
        self.outOfLine = outOfLine
        self.timestamp = timestamp
        self.records = records
    }
}

/// A record as an archive holds it.
package struct SavedRecord: Sendable {
    package var header: RecordHeader
    package var values: ArraySlice<UInt8>
    /// The values that are kept out of line because they are large, each behind its key.
    package var outOfLine: [ArraySlice<UInt8>]

    package init(
        header: RecordHeader, values: ArraySlice<UInt8>, outOfLine: [ArraySlice<UInt8>] = []
    ) {
        self.header = header
        self.values = values
        self.outOfLine = outOfLine
    }
}
