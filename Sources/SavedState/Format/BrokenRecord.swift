import StateRecords

/// What a record with a wrong checksum was of, for a salvage.
struct BrokenRecord {
    /// What it says.
    let record: ArchiveRecord
    /// Whether another byte in its beginning makes its checksum right, so that the beginning, which
    /// tells its object, is known.
    let isExact: Bool

    /// The most bytes of a record's beginning in which a wrong one is looked for.
    private static let mostLookedAt = 128

    /// Finds out what the bytes were; nil if they say nothing.
    ///
    /// - Parameters:
    ///   - broken: from the record's first byte to its last.
    ///   - seed: the checksum of the record before it.
    ///   - budget: how many bytes may still be summed up.
    init?(_ broken: ArraySlice<UInt8>, seed: UInt64, budget: inout Int) {
        guard broken.count >= ArchiveFormat.smallestRecord, broken.count < Int(UInt32.max) else {
            return nil
        }
        var bytes = Array(broken)
        let end = bytes.count - 8
        let stated = bytes.sum(endingAt: bytes.count)
        for place in 0..<min(Self.mostLookedAt, end) {
            budget -= 255 * bytes.count
            guard budget > 0 else { break }
            let byte = bytes[place]
            for other in UInt8.min...UInt8.max where other != byte {
                bytes[place] = other
                if checksum(bytes, 0..<end, seed: seed) == stated {
                    self.init(bytes, seed, isExact: true)
                    return
                }
            }
            bytes[place] = byte
        }
        // As it stands, with the length that it has and the checksum that follows.
        var right: [UInt8] = []
        right.appendLittleEndian(UInt32(bytes.count))
        bytes.replaceSubrange(0..<4, with: right)
        right = []
        right.appendLittleEndian(checksum(bytes, 0..<end, seed: seed))
        bytes.replaceSubrange(end..., with: right)
        self.init(bytes, seed, isExact: false)
    }

    private init?(_ bytes: [UInt8], _ seed: UInt64, isExact: Bool) {
        let parser = RecordParser(bytes: bytes, fileMark: nil)
        guard case .intact(let found) = parser.parse(at: 0, seed: seed, sequence: nil) else {
            return nil
        }
        record = parser.record(found)
        self.isExact = isExact
    }
}
