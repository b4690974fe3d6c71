import Glibc
import LinuxIO

/// Zeros after the last record in an archive's file. Later records overwrite them.
///
/// If an append changes the length of the file, fdatasync(2) also writes the inode. Overwriting zeros with a record
/// does not change the length.
struct ReservedSpace: Sendable {
    /// Length of the file in bytes, including the reserved space.
    private(set) var fileByteCount: Int

    /// Alignment of the end of the reserved space. It equals the usual block size.
    private static let blockSize = 4096
    /// Maximum number of bytes that one append reserves.
    private static let maximumStep = 16384

    /// Creates the state for a file without reserved space.
    init(fileByteCount: Int) { self.fileByteCount = fileByteCount }

    /// Writes bytes after the last record.
    ///
    /// After an error, any prefix of the bytes may have been written.
    ///
    /// - Parameters:
    ///   - offset: End of the last record.
    ///   - limit: Maximum length to which the file may grow by reserving space, or 0 to reserve no space.
    mutating func write(
        _ bytes: [UInt8], at offset: Int, to file: any FileProtocol, reservingUpTo limit: Int
    ) throws(IOError) {
        // An empty write must not try to overwrite bytes, because not every file supports overwriting.
        if bytes.isEmpty { return }
        let end = offset + bytes.count
        if end <= fileByteCount { return try file.write(bytes, at: offset) }
        let reservedEnd = Self.reservedEnd(after: end)
        if reservedEnd <= limit, file.canOverwrite {
            do throws(IOError) {
                try file.write(
                    bytes + repeatElement(0, count: reservedEnd - end), at: offset)
                fileByteCount = reservedEnd
                return
            } catch  where [ENOSPC, EDQUOT, EFBIG].contains(error.code) {
                // The bytes may fit without the reserved space.
                try truncate(file, to: offset)
            }
        }
        if offset < fileByteCount {
            try file.write(bytes, at: offset)
        } else {
            try file.write(bytes)
        }
        fileByteCount = end
    }

    /// Truncates the file to the given length and releases its reserved space.
    mutating func truncate(_ file: any FileProtocol, to length: Int) throws(IOError) {
        try file.truncate(to: length)
        fileByteCount = length
    }

    /// Returns the end of the space to reserve after a record.
    ///
    /// The reserved space grows with the file, so that a short file stays short.
    private static func reservedEnd(after recordEnd: Int) -> Int {
        let reservedByteCount = min(max(recordEnd / blockSize * blockSize, blockSize), maximumStep)
        return (recordEnd + reservedByteCount - 1) / blockSize * blockSize
    }
}
