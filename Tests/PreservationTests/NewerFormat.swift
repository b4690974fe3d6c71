@testable import SavedState

/// An archive with a format version that this program does not know, otherwise intact.
func newerFormat(_ archive: [UInt8]) -> [UInt8] {
    var bytes = archive
    bytes[8] = UInt8(ArchiveFormat.version) + 1
    let length = Int(bytes[12]) | Int(bytes[13]) << 8
    let sum = checksum(bytes, 0..<(length - 8), seed: 0)
    for index in 0..<8 {
        bytes[length - 8 + index] = UInt8(truncatingIfNeeded: sum >> (8 * UInt64(index)))
    }
    return bytes
}
