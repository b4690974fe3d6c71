import LinuxIO
import StateRecords

/// Append-only file of an archive, together with the file's state.
///
/// The log does not interpret the records.
final class ArchiveLog {
    /// State of the file.
    enum FileState {
        /// The file is not known to exist.
        case none
        /// The previous process wrote the file and did not close it.
        ///
        /// Only a whole new file can replace it, because a sync may have failed before that process ended.
        case inherited
        /// The file is no longer trusted, and nothing is appended. Only a whole new file can replace it.
        case finished
        /// Records are appended to the file.
        case appending(AppendedFiles)
    }

    let place: ArchivePlace
    // No other code runs while these properties are read or written.
    @exclusivity(unchecked) var state = FileState.none
    /// Files that belong to this process, and changes by other programs.
    @exclusivity(unchecked) var identity = FileIdentity()
    /// Highest sequence number used so far. It never decreases.
    @exclusivity(unchecked) var sequence: UInt64 = 0
    /// Whether the last record of the file is `closed`.
    @exclusivity(unchecked) private(set) var isClosed = false
    /// Whether the file lacks state that it should contain.
    @exclusivity(unchecked) private(set) var isPending = false
    /// Counters of all writes and of durable writes.
    @exclusivity(unchecked) var durability = Durability()
    /// Whether the names of the file and of the directories above it are known to be durable.
    var isNameDurable = false
    /// Length that the file must exceed before compaction is tried again after a failure.
    var compactAbove = 0
    /// Events of the file that an operator should know about.
    var incidents = ArchiveIncidents()
    /// Mark of the file from which a whole new file is made, or `nil` if there is none.
    private var mark: UInt64?
    /// Whether the new file of a cancelled compaction may still exist.
    ///
    /// While it may exist, whole new files state that they were made from the same file. The leftover can then be
    /// recognized.
    var isCompactionLeft = false

    /// Creates the log of a file that is not open for appending.
    ///
    /// - Parameter end: End of the file's chain of records, or `nil` if there is no file.
    init(at place: ArchivePlace, end: ArchiveEncoder.ChainEnd? = nil, isClosed: Bool = false) {
        self.place = place
        sequence = end?.sequence ?? 0
        mark = end?.fileMark
        self.isClosed = isClosed
    }

    /// Creates a log without a file, after the file of another log was removed.
    init(after log: ArchiveLog) {
        place = log.place
        sequence = log.sequence
        incidents = log.incidents
    }

    // MARK: State

    /// Sequence number of the last saved record.
    ///
    /// This number is lower than ``sequence`` if a copy of the archive has used higher numbers. After the file is read
    /// again, ``sequence`` has this value. If no file is open for appending, the next file begins after this number.
    var lastSequence: UInt64 {
        if case .appending(let files) = state { files.sequence } else { sequence }
    }

    /// Whether records are appended to the file.
    var appends: Bool { if case .appending = state { true } else { false } }

    /// Whether the archive is known to have a file.
    var hasFile: Bool { if case .none = state { false } else { true } }

    /// Whether a whole new file must be written although the existing file lacks nothing.
    var isInherited: Bool { if case .inherited = state { true } else { false } }

    /// Files to which records are appended. The file with the most records comes first.
    var files: [ArchiveFile] { if case .appending(let files) = state { files.all } else { [] } }

    /// Examiner that checks the file under the archive's name.
    var examiner: FileExaminer {
        FileExaminer(
            place: place, identity: identity, files: files, hasFile: hasFile, incidents: incidents)
    }

    /// Records that the file lacks state, or that a whole new file must replace it.
    func markPending() { isPending = true }

    /// Records that another program changed or replaced the file.
    func notice(_ reason: String) {
        identity.notice(reason)
        isPending = true
    }

    /// Checks whether the archive's name refers to a file other than the open file, and records such a change.
    func noticeChangedName() throws(IOError) {
        if let reason = try examiner.changedName() { notice(reason) }
    }

    /// Stops trusting the file. From then on, only a whole new file can contain the state in memory.
    func finish() {
        if case .appending(let files) = state {
            recordMark(of: files)
            switch files.compaction {
            case .none: break
            case .copying: isCompactionLeft = true
            case .exchanging(_, let exchange):
                _ = exchange.cancel()
                isCompactionLeft = true
            }
            for file in files.all {
                do throws(IOError) {
                    identity.markFinished(file, try file.file.status())
                } catch {
                    identity.markFinished(file, nil)
                }
            }
        }
        state = .finished
        isPending = true
    }

    // MARK: Appending

    /// Maximum total length of the unwritten records in bytes, unless twice the length of a whole file is higher.
    private static let maximumPendingBytes = 1 << 20

    /// Adds records that the file lacks. If the unwritten records become too long, only a whole new file is written.
    func add(_ records: RecordList, wholeByteCount: Int) {
        isPending = true
        guard case .appending(let files) = state else { return }
        files.unwritten.append(records)
        if files.unwritten.byteCount > max(Self.maximumPendingBytes, 2 * wholeByteCount) {
            finish()
        }
    }

    /// Maximum length of the records that open and close an archive, in bytes.
    static let reserve = 4 * (ArchiveFormat.smallestRecord + ArchiveFormat.endLength)

    /// Returns whether the file has room for the unwritten records and for the records that open and close it.
    func hasRoom(for maximumBytes: Int) -> Bool {
        guard case .appending(let files) = state, identity.isOurs else { return false }
        return files.file.byteCount + files.unwritten.byteCount + Self.reserve <= maximumBytes
    }

    /// Appends the unwritten records.
    ///
    /// - Parameter limit: See ``ArchiveFile/append(_:reservingUpTo:)``.
    /// - Returns: The appended records, or `nil` if only a whole new file can contain them.
    func flush(reservingUpTo limit: Int) throws(SaveError) -> RecordList? {
        guard case .appending(let files) = state else { return RecordList() }
        let unwritten = files.unwritten
        if !unwritten.isEmpty, try !append(unwritten, to: files, reservingUpTo: limit) {
            return nil
        }
        files.unwritten = RecordList()
        isPending = false
        isClosed = false
        return unwritten
    }

    /// Records that the application was launched from this file. A file with other names is no longer used.
    func open() throws(SaveError) {
        guard case .appending(let files) = state, try append(.opened, to: files) else { return }
        isClosed = false
    }

    /// Records that the application shut down cleanly. A file with other names is no longer used.
    func close() throws(SaveError) {
        _ = try releaseReservedSpace()
        guard case .appending(let files) = state, try append(.closed, to: files) else { return }
        isClosed = true
    }

    /// Truncates the file to the end of its last record. After an error, the file is no longer used.
    ///
    /// - Returns: Whether the file had reserved space. Its new length is not durable yet.
    func releaseReservedSpace() throws(SaveError) -> Bool {
        guard case .appending(let files) = state else { return false }
        do throws(IOError) {
            return try files.releaseReservedSpace()
        } catch {
            finish()
            throw .io(error)
        }
    }

    /// Appends a record that revokes `closed` to files that are no longer used.
    func revokeClosing(of files: [ArchiveFile]) {
        guard isClosed else { return }
        do throws(ArchiveFile.Failure) {
            for var file in files { try file.append(.opened) }
            isClosed = false
        } catch {}  // The disk does not accept the record.
    }

    /// Appends records and counts the write.
    ///
    /// - Returns: Whether the records were appended. A file with other names is not changed and no longer used, so a
    ///   backup made with hard links remains unchanged.
    private func append(
        _ records: RecordList, to files: AppendedFiles, reservingUpTo limit: Int = 0
    ) throws(SaveError) -> Bool {
        do throws(ArchiveFile.Failure) {
            try files.append(records, reservingUpTo: limit)
        } catch {
            switch error {
            case .hasOtherNames:
                incidents.append(.otherNames)
                finish()
                return false
            case .changedExternally(let reason):
                notice(reason)
                throw .changedExternally(path: place.path, reason: reason)
            case .refused(let error):
                throw .io(error)
            case .finished(let error):
                finish()
                throw .io(error)
            }
        }
        durability.recordWrite()
        sequence = max(sequence, files.sequence)
        return true
    }

    // MARK: Whole files

    /// Sets the file to which records are appended from now on.
    func begin(_ file: ArchiveFile, _ status: FileStatus) {
        identity.recordAppend(status)
        state = .appending(AppendedFiles(file: file))
    }

    /// Sets the file without opening it for appending.
    func inherit(_ status: FileStatus, _ bytes: [UInt8]) {
        identity.recordRead(status, bytes)
        state = .inherited
    }

    /// Records that a whole new file durably has the archive's name and contains the whole state.
    func adoptWholeFile(_ file: ArchiveFile, isClosed: Bool) throws(IOError) {
        begin(file, try file.file.status())
        identity.forgetChange()
        isNameDurable = true
        durability.recordWholeFile()
        isPending = false
        self.isClosed = isClosed
    }

    /// Records the devices of the directories of a file that was read or written.
    func recordDevices() {
        do throws(IOError) {
            identity.devices = try place.devices()
        } catch {
            identity.devices = FolderDevices()  // No device is then known to have changed.
            incidents.append(.notLookedAt(error))
        }
    }

    /// Encodes a whole new archive. Its identifier states which file it was made from.
    ///
    /// The log's sequence number increases even if the archive is not written.
    func encodeWhole(_ records: RecordList) -> ArchiveEncoder {
        if case .appending(let files) = state { recordMark(of: files) }
        let whole = ArchiveEncoder.whole(
            records, bundleIdentifier: place.bundleIdentifier, after: sequence, from: mark)
        sequence = whole.end.sequence
        return whole
    }

    /// Encodes an archive that is newer than the file but not newer than the next write.
    func encodeCopy(_ records: RecordList) -> [UInt8] {
        let end = (files.first?.end.sequence ?? sequence) + 1
        let count = UInt64(records.count)
        let whole = ArchiveEncoder.whole(
            records, bundleIdentifier: place.bundleIdentifier, after: end > count ? end - count : 0)
        sequence = max(sequence, whole.end.sequence)
        return whole.bytes
    }

    /// Records the mark of the file from which a whole new file would be made.
    func recordMark(of files: AppendedFiles) {
        if !isCompactionLeft { mark = files.file.end.fileMark }
    }

    /// Throws an error if a whole file of the records would be too long to be read again.
    func checkLength(of records: RecordList, reserve: Int = 0) throws(SaveError) {
        let byteCount = ArchiveFormat.largestHeader + records.byteCount + reserve
        guard byteCount <= place.limit else {
            throw .tooLarge(path: place.path, byteCount: byteCount, limit: place.limit)
        }
    }
}
