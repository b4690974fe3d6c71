import StateRecords

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
    static let highestSequence: UInt64 = 1 << 61
    /// The highest number of an object or a name that is valid; far from where counting on could
    /// overflow.
    static let highestNumber: UInt32 = 1 << 31
    /// The longest header of any version, in bytes.
    static let largestHeader = 4096
    /// Magic, version, length, file id, published sequence and the length of the bundle id.
    static let fixedHeader = 8 + 4 + 4 + 16 + 8 + 2
    /// The bytes of a record before its payload: length, type, flags, reserved, sequence.
    static let recordPrefix = 4 + 1 + 1 + 2 + 8
    /// A record without payload.
    static let smallestRecord = recordPrefix + 8
    /// The end of a pass, which its last record begins its payload with: file mark, synced
    /// sequence, scene and time.
    static let endLength = 8 + 8 + 4 + 8
    /// The payload of a patch before its bytes: the number of the object, offset and removed count.
    static let patchPrefix = 4 + 4 + 4
    /// The flag of a record with the end of a pass.
    static let endFlag: UInt8 = 1
}

extension ArchiveFormat {
    /// Whether a payload is one of its type, as far as it alone tells.
    static func isLegal(_ type: RecordType, _ payload: UnsafeRawBufferPointer) -> Bool {
        switch type {
        case .name:
            payload.count >= 4 && UnsafeRawBufferPointer(rebasing: payload.dropFirst(4)).isUTF8
        case .object: ObjectFields(payload).isLegal
        case .placement:
            ObjectFields(payload).isLegal && ObjectFields(payload).headerCount == payload.count
        case .value: payload.count >= 8
        case .patch: payload.count >= 12
        case .removal: payload.count == 4
        case .nothing, .closed, .opened: payload.isEmpty
        }
    }
}

extension ArchiveRecord {
    /// The number that tells the record's type.
    var type: RecordType {
        switch self {
        case .name: .name
        case .object: .object
        case .placement: .placement
        case .value: .value
        case .patch: .patch
        case .removal: .removal
        case .nothing: .nothing
        case .closed: .closed
        case .opened: .opened
        }
    }
}
