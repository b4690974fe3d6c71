import LinuxIO

/// What lies under the archive's name, and whether it is ours: the files that this process has
/// read, or given the name. Facts in, answers out; ``FileExaminer`` looks.
struct FileIdentity {
    /// What is known of a change by another program, and what is to be done about it.
    enum ExternalState {
        /// None is known.
        case none
        /// There was one; nothing is written before it is decided what becomes of what it left.
        case noticed(reason: String)
        /// What it left goes to quarantine with the next write.
        case condemned(reason: String)
    }

    /// A file as it was when this process read it, or wrote it for the last time.
    struct KnownFile {
        var status: FileStatus
        var content: Content
    }

    /// What tells a file's bytes from others of the same length.
    enum Content {
        /// It is appended to, and the log knows where it ends.
        case appended
        /// The chain of its records ends here.
        case chain(ArchiveEncoder.ChainEnd)
        /// The checksum of all its bytes.
        case digest(UInt64)
        /// Nothing does: of a write that failed more may be left than can be told from what others
        /// wrote.
        case unknown
    }

    /// Whether the name is known to stand for another program's file, or for none.
    private(set) var external = ExternalState.none
    private var files: [KnownFile] = []
    /// The devices on which the file's folder and the one above it lay when it was read or written.
    var devices = FolderDevices()

    /// Whether no change by another program is known.
    var isOurs: Bool { if case .none = external { true } else { false } }

    /// Whether there was a change, and it is not decided what becomes of it.
    var isUndecided: Bool { if case .noticed = external { true } else { false } }

    // MARK: Other programs' changes

    /// Another program changed the file, or took its name. What is condemned already stays so.
    mutating func notice(_ reason: String) {
        if case .condemned = external { return }
        external = .noticed(reason: reason)
    }

    /// What was noticed goes to quarantine with the next write; false if nothing was.
    mutating func condemn() -> Bool {
        guard case .noticed(let reason) = external else { return false }
        external = .condemned(reason: reason)
        return true
    }

    /// What was noticed is not so any more.
    mutating func forgetChange() { external = .none }

    // MARK: Our files

    /// This is the file, read whole.
    mutating func noteRead(_ status: FileStatus, _ bytes: [UInt8]) {
        files = [KnownFile(status: status, content: .digest(of: bytes))]
    }

    /// This is the file, which is appended to, and no other.
    mutating func noteAppended(_ status: FileStatus) {
        files = [KnownFile(status: status, content: .appended)]
    }

    /// This file of ours may get the name.
    mutating func add(_ status: FileStatus) {
        files.append(KnownFile(status: status, content: .appended))
    }

    /// The file that came last has the name, and none of the others.
    mutating func keepNewest() { files.removeFirst(max(0, files.count - 1)) }

    /// A file of another program counts as ours.
    mutating func accept(_ replacing: ReplacingArchive) {
        disown(replacing)
        files.append(
            KnownFile(status: replacing.status, content: .digest(of: replacing.bytes)))
        external = .none
    }

    /// A file of another program does not count as ours any more.
    mutating func disown(_ replacing: ReplacingArchive) {
        files.removeAll { $0.status.isSameFile(as: replacing.status) }
    }

    /// A file is not appended to any more; nil for its status if that cannot be found out.
    mutating func noteFinished(_ file: ArchiveFile, _ status: FileStatus?) {
        guard isOurs else { return }
        guard let status else {
            for index in files.indices { files[index].content = .unknown }
            return
        }
        files.removeAll { $0.status.isSameFile(as: status) }
        let isWhole = status.size == file.byteCount
        files.append(
            KnownFile(status: status, content: isWhole ? .chain(file.end) : .unknown))
    }

    /// The file of ours that this is; nil: it is another program's.
    func file(like there: FileStatus) -> KnownFile? {
        files.last { $0.status.isSameFile(as: there) }
    }
}

extension FileIdentity.KnownFile {
    /// Whether a file that is not appended to any more can be as it was, going by its length.
    func hasLength(of there: FileStatus) -> Bool {
        if case .unknown = content { true } else { status.size == there.size }
    }
}

extension FileIdentity.Content {
    /// What tells these bytes from others.
    static func digest(of bytes: [UInt8]) -> Self { .digest(checksum(bytes)) }

    /// Whether these can be the bytes of a file that is not appended to any more.
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
