import StateRecords

/// Constants for the archive format (see `docs/Archive.md`).
package enum ArchiveFormat {
    /// First eight bytes of an archive: a non-ASCII byte, the letters `RPRS`, and line endings that would be changed if
    /// the file were transferred as text.
    package static let magic: [UInt8] = [0x8A, 0x52, 0x50, 0x52, 0x53, 0x0D, 0x0A, 0x1A]
    /// Format version of new files, and the newest version that can be read.
    package static let version: UInt32 = 1
    /// Maximum length of a file in bytes.
    package static let maximumFileBytes = 1 << 30
    /// Highest valid sequence number. Adding to it cannot overflow.
    static let highestSequence: UInt64 = 1 << 61
    /// Highest valid number of an object or a name. Incrementing it cannot overflow.
    static let highestNumber: UInt32 = 1 << 31
    /// Maximum length of a header in any version, in bytes.
    static let maximumHeaderBytes = 4096
    /// Length in bytes of the fixed part of a header: the magic, the version, the header's length, the file identifier,
    /// the published sequence number, and the length of the bundle identifier.
    static let fixedHeaderByteCount = 8 + 4 + 4 + 16 + 8 + 2
    /// Length in bytes of the part of a record before its payload: length, type, flags, reserved bytes and sequence
    /// number.
    static let recordHeaderByteCount = 4 + 1 + 1 + 2 + 8
    /// Length in bytes of a record without a payload.
    static let minimumRecordBytes = recordHeaderByteCount + 8
    /// Length in bytes of a pass end: file mark, synced sequence number, scene and time. The pass end precedes the
    /// payload of the pass's last record.
    static let passEndByteCount = 8 + 8 + 4 + 8
    /// Length in bytes of the part of a patch's payload before the inserted bytes: object number, offset and number of
    /// removed bytes.
    static let patchPrefixByteCount = 4 + 4 + 4
    /// Flag of a record that contains the end of a pass.
    static let passEndFlag: UInt8 = 1
}

extension ArchiveFormat {
    /// Returns whether a payload is well-formed for its type, without considering other records.
    static func isWellFormed(_ type: RecordType, _ payload: UnsafeRawBufferPointer) -> Bool {
        switch type {
        case .name:
            payload.count >= 4 && UnsafeRawBufferPointer(rebasing: payload.dropFirst(4)).isUTF8
        case .object: ObjectFields(payload).isWellFormed
        case .placement:
            ObjectFields(payload).isWellFormed
                && ObjectFields(payload).headerByteCount == payload.count
        case .value: payload.count >= 8
        case .patch: payload.count >= 12
        case .removal: payload.count == 4
        case .nothing, .closed, .opened: payload.isEmpty
        }
    }
}

extension ArchiveRecord {
    /// Type of the record.
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
