import StateRecords

/// Contents of a record with a wrong checksum, for a salvage.
struct BrokenRecord {
    /// Decoded record.
    let record: ArchiveRecord
    /// Whether changing one byte near the record's start makes its checksum correct.
    ///
    /// In this case, the affected object is known for certain.
    let isExact: Bool

    /// Number of leading bytes of a record that are searched for the wrong byte.
    private static let maximumSearchedBytes = 128

    /// Reconstructs a record, or returns `nil` if its bytes cannot be decoded.
    ///
    /// - Parameters:
    ///   - broken: All bytes of the record.
    ///   - seed: Checksum of the previous record.
    ///   - budget: Number of bytes for which checksums may still be computed.
    init?(_ broken: ArraySlice<UInt8>, seed: UInt64, budget: inout Int) {
        guard broken.count >= ArchiveFormat.smallestRecord, broken.count < Int(UInt32.max) else {
            return nil
        }
        var bytes = Array(broken)
        let end = bytes.count - 8
        let stated = bytes.sum(endingAt: bytes.count)
        for place in 0..<min(Self.maximumSearchedBytes, end) {
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
        // Decodes the record as it is, with a corrected length and checksum.
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
