import LinuxIO

/// Files that this process has read or written, and known changes by other programs.
///
/// This type only stores and compares. ``FileExaminer`` reads the file system.
struct FileIdentity {
    /// State of a change by another program.
    enum ExternalState {
        /// No change is known.
        case none
        /// A change was discovered. Nothing is written until the application decides how to handle the change.
        case noticed(reason: String)
        /// The next write moves the other program's file to quarantine.
        case condemned(reason: String)
    }

    /// File as it was when this process read it, or last wrote it.
    struct KnownFile {
        var status: FileStatus
        var content: Content
    }

    /// Criterion that distinguishes a file's contents from other contents of the same length.
    enum Content {
        /// The file is appended to, and the log knows its end.
        case appended
        /// The file's chain of records has this end.
        case chain(ArchiveEncoder.ChainEnd)
        /// The file's bytes have this checksum.
        case digest(UInt64)
        /// The contents are unknown, because a failed write may have left bytes that look like another program's
        /// change.
        case unknown
    }

    /// Whether another program is known to have changed, replaced or removed the file.
    private(set) var external = ExternalState.none
    private var files: [KnownFile] = []
    /// Devices of the file's directory and its parent when the file was read or written.
    var devices = FolderDevices()

    /// Whether no change by another program is known.
    var isOurs: Bool { if case .none = external { true } else { false } }

    /// Whether a change is known, and the application has not decided yet how to handle it.
    var isUndecided: Bool { if case .noticed = external { true } else { false } }

    // MARK: Other programs' changes

    /// Records that another program changed or replaced the file.
    ///
    /// If the other program's file is already scheduled for quarantine, nothing changes.
    mutating func notice(_ reason: String) {
        if case .condemned = external { return }
        external = .noticed(reason: reason)
    }

    /// Schedules the other program's file for quarantine by the next write.
    ///
    /// - Returns: `false` if there is no change to decide about.
    mutating func condemn() -> Bool {
        guard case .noticed(let reason) = external else { return false }
        external = .condemned(reason: reason)
        return true
    }

    /// Forgets a change by another program.
    mutating func forgetChange() { external = .none }

    // MARK: Our files

    /// Sets the current file, which was read as a whole.
    mutating func recordRead(_ status: FileStatus, _ bytes: [UInt8]) {
        files = [KnownFile(status: status, content: .digest(of: bytes))]
    }

    /// Sets the current file, which records are appended to.
    mutating func recordAppend(_ status: FileStatus) {
        files = [KnownFile(status: status, content: .appended)]
    }

    /// Adds a file of this process that may be renamed to the archive's name.
    mutating func add(_ status: FileStatus) {
        files.append(KnownFile(status: status, content: .appended))
    }

    /// Forgets all files except the last one, which has the archive's name.
    mutating func forgetAllButNewest() { files.removeFirst(max(0, files.count - 1)) }

    /// Treats another program's file as our own.
    mutating func accept(_ replacing: ReplacingArchive) {
        disown(replacing)
        files.append(
            KnownFile(status: replacing.status, content: .digest(of: replacing.bytes)))
        external = .none
    }

    /// Stops treating another program's file as our own.
    mutating func disown(_ replacing: ReplacingArchive) {
        files.removeAll { $0.status.isSameFile(as: replacing.status) }
    }

    /// Records that a file is no longer appended to.
    ///
    /// - Parameter status: Status of the file, or `nil` if it cannot be determined.
    mutating func markFinished(_ file: ArchiveFile, _ status: FileStatus?) {
        guard isOurs else { return }
        guard let status else {
            for index in files.indices { files[index].content = .unknown }
            return
        }
        files.removeAll { $0.status.isSameFile(as: status) }
        let isWhole = status.size == file.fileByteCount && !file.isEndUncertain
        files.append(
            KnownFile(status: status, content: isWhole ? .chain(file.end) : .unknown))
    }

    /// Returns our own file that matches a status, or `nil` if the status belongs to another program's file.
    func file(like there: FileStatus) -> KnownFile? {
        files.last { $0.status.isSameFile(as: there) }
    }
}

extension FileIdentity.KnownFile {
    /// Returns whether a file that is no longer appended to still has its length.
    func hasLength(of there: FileStatus) -> Bool {
        if case .unknown = content { true } else { status.size == there.size }
    }
}

extension FileIdentity.Content {
    /// Returns a description of bytes that contains their checksum.
    static func digest(of bytes: [UInt8]) -> Self { .digest(checksum(bytes)) }

    /// Returns whether bytes match the contents of a file that is no longer appended to.
    func agrees(with bytes: [UInt8]) -> Bool {
        switch self {
        case .appended, .unknown: return true
        case .digest(let digest): return checksum(bytes) == digest
        case .chain(let end):
            guard case .whole(let prefix) = ArchiveReader.read(bytes, bundleIdentifier: nil)
            else { return false }
            return prefix.end == end
        }
    }
}
