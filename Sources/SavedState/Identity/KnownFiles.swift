import LinuxIO

/// Files that this process has read or written, and any known change to them by another program.
///
/// This type only stores and compares information. ``ExternalChangeDetector`` reads the file system.
struct KnownFiles {
    /// State of a change that another program made to the file.
    enum ExternalState {
        /// No change is known.
        case none
        /// A change has been detected. Nothing is written until the application decides how to handle the change.
        case detected(reason: String)
        /// The next write moves the other program's file to quarantine.
        case quarantineScheduled(reason: String)
    }

    /// State of a file when this process read it or last wrote to it.
    struct KnownFile {
        var status: FileStatus
        var content: Content
    }

    /// Information that distinguishes a file's contents from other contents of the same length.
    enum Content {
        /// Records are still being appended to the file, and the log tracks the end of the file.
        case appended
        /// The file's chain of records has this end.
        case chain(EncodedRecords.ChainEnd)
        /// The file's bytes have this checksum.
        case digest(UInt64)
        /// The contents are unknown, because a failed write may have left bytes that look like a change by another
        /// program.
        case unknown
    }

    /// Known change, replacement or removal of the file by another program.
    private(set) var externalState = ExternalState.none
    private(set) var files: [KnownFile] = []
    /// Devices that contained the file's directory and its parent when the file was read or written.
    var devices = DirectoryDevices()

    /// Whether no change by another program is known.
    var isFileOurs: Bool { if case .none = externalState { true } else { false } }

    /// Whether the application has yet to decide how to handle a known change.
    var isChangeUndecided: Bool { if case .detected = externalState { true } else { false } }

    // MARK: Other programs' changes

    /// Records that another program has changed or replaced the file.
    ///
    /// Does nothing if the other program's file is already scheduled for quarantine.
    mutating func recordExternalChange(_ reason: String) {
        if case .quarantineScheduled = externalState { return }
        externalState = .detected(reason: reason)
    }

    /// Schedules the other program's file to be moved to quarantine by the next write.
    ///
    /// - Returns: `false` if there is no undecided change.
    mutating func scheduleQuarantine() -> Bool {
        guard case .detected(let reason) = externalState else { return false }
        externalState = .quarantineScheduled(reason: reason)
        return true
    }

    /// Forgets a change by another program.
    mutating func forgetChange() { externalState = .none }

    // MARK: Our files

    /// Sets the current file to a file that has been read completely.
    mutating func recordRead(_ status: FileStatus, _ bytes: [UInt8]) {
        files = [KnownFile(status: status, content: .digest(of: bytes))]
    }

    /// Sets the current file to a file to which records will be appended.
    mutating func recordAppend(_ status: FileStatus) {
        files = [KnownFile(status: status, content: .appended)]
    }

    /// Adds a file that this process has written and may rename to the archive's name.
    mutating func add(_ status: FileStatus) {
        files.append(KnownFile(status: status, content: .appended))
    }

    /// Forgets all files except the known file that has the archive's name or, if there is none, the oldest file.
    ///
    /// Otherwise, another program's file with the inode number of a removed file could be mistaken for that file.
    ///
    /// - Parameter currentStatus: Status of the file that has the archive's name, or `nil` if no file has the name.
    mutating func forgetAll(except currentStatus: FileStatus?) {
        if let retainedFile = currentStatus.flatMap(knownFile) ?? files.first {
            files = [retainedFile]
        }
    }

    /// Forgets all files except the newest file, which has the archive's name.
    mutating func forgetAllButNewest() { files.removeFirst(max(0, files.count - 1)) }

    /// Forgets the newest file, which did not get the archive's name.
    mutating func forgetNewest() { _ = files.popLast() }

    /// Starts treating another program's file as our own.
    mutating func accept(_ replacement: ReplacementArchive) {
        disown(replacement)
        forgetAllButNewest()
        files.append(
            KnownFile(status: replacement.status, content: .digest(of: replacement.bytes)))
        externalState = .none
    }

    /// Stops treating another program's file as our own.
    mutating func disown(_ replacement: ReplacementArchive) {
        files.removeAll { $0.status.isSameFile(as: replacement.status) }
    }

    /// Records that this process will append nothing more to a file.
    ///
    /// - Parameter status: Status of the file, or `nil` if it cannot be determined.
    mutating func markAbandoned(_ file: ArchiveFile, _ status: FileStatus?) {
        guard isFileOurs else { return }
        guard let status else {
            for index in files.indices { files[index].content = .unknown }
            return
        }
        files.removeAll { $0.status.isSameFile(as: status) }
        if file.isEndUncertain {
            files.append(KnownFile(status: status, content: .unknown))
        } else if status.size == file.fileByteCount {
            files.append(KnownFile(status: status, content: .chain(file.end)))
        }
        // Otherwise, another program has changed the file, so its contents must not be overwritten.
    }

    /// Returns the known file to which a status belongs, or `nil` if the status belongs to another program's file.
    func knownFile(matching currentStatus: FileStatus) -> KnownFile? {
        files.last { $0.status.isSameFile(as: currentStatus) }
    }
}

extension KnownFiles.KnownFile {
    /// Returns whether the file still has its recorded length. A file with unknown contents counts as unchanged.
    ///
    /// Call this method only for a file to which nothing will be appended.
    func hasLength(of currentStatus: FileStatus) -> Bool {
        if case .unknown = content { true } else { status.size == currentStatus.size }
    }
}

extension KnownFiles.Content {
    /// Returns the `digest` case for the given bytes.
    static func digest(of bytes: [UInt8]) -> Self { .digest(checksum(bytes)) }

    /// Returns whether the given bytes match these contents. The cases `appended` and `unknown` match any bytes.
    func agrees(with bytes: [UInt8]) -> Bool {
        switch self {
        case .appended, .unknown: return true
        case .digest(let digest): return checksum(bytes) == digest
        case .chain(let chainEnd):
            guard case .whole(let prefix) = ArchiveReader.read(bytes, bundleIdentifier: nil)
            else { return false }
            return prefix.end == chainEnd
        }
    }
}
