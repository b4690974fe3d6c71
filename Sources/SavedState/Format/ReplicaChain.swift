package import StateRecords

/// Encoder of a second archive with the same contents as a log.
///
/// The encoder first encodes a whole archive, then the bytes that each turn adds. Joined in order, the parts are a
/// valid archive. Each record is checked when the archive is read.
package struct ReplicaChain: Sendable {
    private var end: ArchiveEncoder.ChainEnd
    /// Length in bytes of the whole archive that starts the chain.
    package let wholeByteCount: Int
    /// Number of bytes added after the whole archive.
    package private(set) var addedByteCount = 0

    /// Starts a chain with all valid records.
    ///
    /// - Parameter turn: Sequence number of the last record.
    /// - Returns: The chain, and the bytes of the whole archive.
    package static func begin(
        with records: RecordList, of bundleIdentifier: String, turn: UInt64
    ) -> (chain: ReplicaChain, bytes: [UInt8]) {
        let count = UInt64(records.count)
        let whole = ArchiveEncoder.whole(
            records, bundleIdentifier: bundleIdentifier, after: turn > count ? turn - count : 0)
        return (ReplicaChain(end: whole.end, wholeByteCount: whole.bytes.count), whole.bytes)
    }

    private init(end: ArchiveEncoder.ChainEnd, wholeByteCount: Int) {
        self.end = end
        self.wholeByteCount = wholeByteCount
    }

    /// Encodes records to append to the chain.
    package mutating func append(_ records: RecordList) -> [UInt8] {
        let added = ArchiveEncoder(continuing: end, records, synced: end.sequence)
        end = added.end
        addedByteCount += added.bytes.count
        return added.bytes
    }
}
