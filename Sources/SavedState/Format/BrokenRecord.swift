import StateRecords

/// Likely contents of a record with a wrong checksum, used to determine which object the record affected.
struct BrokenRecord {
    /// Decoded record.
    let record: ArchiveRecord
    /// Whether changing one byte near the record's start makes its checksum correct.
    ///
    /// In this case, the object that the record affected is known for certain.
    let isExact: Bool

    /// Maximum number of bytes at the beginning of a record that are searched for the wrong byte.
    private static let maximumSearchedBytes = 128

    /// Reconstructs a record, or returns `nil` if its bytes cannot be decoded.
    ///
    /// - Parameters:
    ///   - brokenBytes: All bytes of the record.
    ///   - seed: Checksum of the previous record.
    ///   - remainingSearchBytes: Number of bytes that may still be checksummed. The initializer reduces this number.
    init?(_ brokenBytes: ArraySlice<UInt8>, seed: UInt64, remainingSearchBytes: inout Int) {
        guard brokenBytes.count >= ArchiveFormat.minimumRecordBytes,
            brokenBytes.count < Int(UInt32.max)
        else {
            return nil
        }
        var bytes = Array(brokenBytes)
        let checksumOffset = bytes.count - 8
        let storedChecksum = bytes.storedChecksum(endingAt: bytes.count)
        for index in 0..<min(Self.maximumSearchedBytes, checksumOffset) {
            remainingSearchBytes -= 255 * bytes.count
            guard remainingSearchBytes > 0 else { break }
            let byte = bytes[index]
            for replacementByte in UInt8.min...UInt8.max where replacementByte != byte {
                bytes[index] = replacementByte
                if checksum(bytes, 0..<checksumOffset, seed: seed) == storedChecksum {
                    self.init(bytes, seed, isExact: true)
                    return
                }
            }
            bytes[index] = byte
        }
        // Decodes the record with its bytes unchanged, except for a corrected length and checksum.
        var encoded: [UInt8] = []
        encoded.appendLittleEndian(UInt32(bytes.count))
        bytes.replaceSubrange(0..<4, with: encoded)
        encoded = []
        encoded.appendLittleEndian(checksum(bytes, 0..<checksumOffset, seed: seed))
        bytes.replaceSubrange(checksumOffset..., with: encoded)
        self.init(bytes, seed, isExact: false)
    }

    private init?(_ bytes: [UInt8], _ seed: UInt64, isExact: Bool) {
        let parser = RecordParser(bytes: bytes, fileMark: nil)
        guard case .intact(let intactRecord) = parser.parse(at: 0, seed: seed, sequence: nil) else {
            return nil
        }
        record = parser.record(intactRecord)
        self.isExact = isExact
    }
}
