package import StateRecords

/// Makes the bytes of a second archive that holds what a log holds: a whole one, then the bytes that
/// each turn adds to it. Put together in their order they are an archive like any, each record of which
/// is checked when it is read.
package struct ReplicaChain: Sendable {
    private var end: ArchiveEncoder.ChainEnd
    /// How many bytes the whole one had that it began with.
    package let wholeByteCount: Int
    /// How many were added since.
    package private(set) var addedByteCount = 0

    /// Begins a chain with all that counts.
    ///
    /// - Parameter turn: the number of the last of these records.
    /// - Returns: the chain, and the bytes that it begins with.
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

    /// The bytes that records add.
    package mutating func append(_ records: RecordList) -> [UInt8] {
        let added = ArchiveEncoder(continuing: end, records, synced: end.sequence)
        end = added.end
        addedByteCount += added.bytes.count
        return added.bytes
    }
}
