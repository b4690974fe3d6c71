import Glibc

/// Status of a file as returned by statx(2).
package struct FileStatus: Sendable, Equatable {
    /// Length of the file in bytes. A negative length from the file system counts as 0.
    package var size: Int { didSet { size = max(0, size) } }
    /// Number of hard links, which is 0 after the last name has been removed.
    package var linkCount: UInt64
    /// Inode number of the file on its device.
    package var inode: UInt64
    /// Number of the device that stores the file.
    package var device: UInt64
    /// File type and permission bits.
    package var mode: UInt32
    /// Time of the last change to the contents, in microseconds since 1970-01-01 UTC, or `nil` if it was not requested.
    ///
    /// The time is used only for display.
    package var modificationTime: Int64?

    /// Creates a status from its parts.
    package init(
        size: Int, linkCount: UInt64 = 1, inode: UInt64, device: UInt64 = 0,
        mode: UInt32 = S_IFREG | 0o600, modificationTime: Int64? = nil
    ) {
        self.size = max(0, size)
        self.linkCount = linkCount
        self.inode = inode
        self.device = device
        self.mode = mode
        self.modificationTime = modificationTime
    }

    /// Kind of the directory entry.
    package var kind: FileKind {
        switch mode & S_IFMT {
        case S_IFREG: .file
        case S_IFDIR: .directory
        case S_IFLNK: .link
        default: .other
        }
    }

    /// Returns whether both statuses belong to the same file, regardless of its length and names.
    package func isSameFile(as other: FileStatus) -> Bool {
        inode == other.inode && device == other.device
    }
}

extension FileStatus {
    init(_ rawStatus: stat) {
        self.init(
            size: Int(rawStatus.st_size), linkCount: UInt64(rawStatus.st_nlink),
            inode: UInt64(rawStatus.st_ino),
            device: UInt64(rawStatus.st_dev), mode: rawStatus.st_mode,
            modificationTime: rawStatus.st_mtim.microseconds)
    }
}

extension timespec {
    /// Time in microseconds, clamped to the range of `Int64`.
    ///
    /// Times after the year 292,277, which a file system may store, would overflow.
    package var microseconds: Int64 {
        let (wholeMicroseconds, overflow) = Int64(tv_sec).multipliedReportingOverflow(by: 1_000_000)
        let (sum, sumOverflow) = wholeMicroseconds.addingReportingOverflow(Int64(tv_nsec) / 1000)
        return overflow || sumOverflow ? (tv_sec < 0 ? .min : .max) : sum
    }
}

/// Kind of a directory entry.
package enum FileKind: String, Sendable, CustomStringConvertible {
    case file
    case directory
    /// A symbolic link.
    case link
    /// A FIFO, a socket or a device.
    case other

    /// Noun phrase for use in a sentence.
    package var description: String {
        switch self {
        case .file: "a file"
        case .directory: "a directory"
        case .link: "a symbolic link"
        case .other: "a FIFO, a socket or a device"
        }
    }
}
