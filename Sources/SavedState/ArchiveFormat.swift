/// The fixed numbers of the archive's format, see `docs/Archive.md`.
package enum ArchiveFormat {
    /// The first eight bytes: a letter above ASCII, the name, and a line end that text transfers
    /// would change.
    package static let magic: [UInt8] = [0x8A, 0x52, 0x50, 0x52, 0x53, 0x0D, 0x0A, 0x1A]
    /// The version written, and the newest one read.
    package static let version: UInt32 = 1
    /// The longest file read or written, in bytes.
    package static let largestFile = 1 << 30
    /// The highest sequence number that is valid; far from where adding could overflow.
    static let highestSequence: UInt64 = 1 << 62
    /// The longest header of any version, in bytes.
    static let largestHeader = 4096
    /// Magic, version, length, file id, published sequence and the length of the bundle id.
    static let fixedHeader = 8 + 4 + 4 + 16 + 8 + 2
    /// The bytes of a record before its payload: length, type, flags, reserved, sequence.
    static let recordPrefix = 4 + 1 + 1 + 2 + 8
    /// A record without payload.
    static let smallestRecord = recordPrefix + 8
    /// The whole length of a pass end.
    static let passEndLength = smallestRecord + 4 + 4 + 8 + 8 + 8
    /// The payload of an object before its identifier.
    static let objectPrefix = 6 * 4 + 1 + 1 + 2
    /// The flag of the last record of a pass.
    static let endFlag: UInt8 = 1

    /// The number that tells a record's type.
    enum RecordType: UInt8 {
        case name = 1
        case object = 2
        case removal = 3
        case passEnd = 4
        case closed = 5
        case opened = 6
        case placement = 7
    }
}
