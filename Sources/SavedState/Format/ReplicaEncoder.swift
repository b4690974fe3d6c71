package import StateRecords

/// Encoder for a replica: a second archive with the same contents as an application's archive.
///
/// The encoder first encodes a complete archive, and then the records that each turn adds. Concatenated in order, these
/// parts form a valid archive. Each record is checked when that archive is read.
package struct ReplicaEncoder: Sendable {
    private var end: EncodedRecords.ChainEnd
    /// Length in bytes of the complete archive with which the chain starts.
    package let baseByteCount: Int
    /// Number of bytes that have been added after the complete archive.
    package private(set) var addedByteCount = 0

    /// Creates an encoder, and encodes a complete archive with all current records.
    ///
    /// - Parameter turn: Sequence number of the last record.
    /// - Returns: The encoder, and the bytes of the complete archive.
    package static func begin(
        with records: RecordList, of bundleIdentifier: String, turn: UInt64
    ) -> (chain: ReplicaEncoder, bytes: [UInt8]) {
        let count = UInt64(records.count)
        let completeArchive = EncodedRecords.completeArchive(
            records, bundleIdentifier: bundleIdentifier, after: turn > count ? turn - count : 0)
        return (
            ReplicaEncoder(end: completeArchive.end, baseByteCount: completeArchive.bytes.count),
            completeArchive.bytes
        )
    }

    private init(end: EncodedRecords.ChainEnd, baseByteCount: Int) {
        self.end = end
        self.baseByteCount = baseByteCount
    }

    /// Encodes records that follow all earlier records, and returns their bytes.
    package mutating func append(_ records: RecordList) -> [UInt8] {
        let addedRecords = EncodedRecords(continuing: end, records, syncedSequence: end.sequence)
        end = addedRecords.end
        addedByteCount += addedRecords.bytes.count
        return addedRecords.bytes
    }
}
