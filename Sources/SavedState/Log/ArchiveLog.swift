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
        /// A previous process wrote the file, and the file cannot be appended to, for example because it was not
        /// closed.
        ///
        /// A complete new file must replace it, because a sync may have failed before that process ended.
        case inherited
        /// The file is no longer trusted, so nothing is appended to it. A complete new file must replace it.
        case abandoned
        /// Records are appended to the file.
        case appending(ArchiveAppendState)
    }

    let location: ArchiveLocation
    // No other code runs while these properties are read or written.
    @exclusivity(unchecked) var state = FileState.none
    /// Files that this process has read or written, and any known change by another program.
    @exclusivity(unchecked) var knownFiles = KnownFiles()
    /// Highest sequence number used so far.
    @exclusivity(unchecked) var sequence: UInt64 = 0
    /// Whether the file's last record is a `closed` record.
    @exclusivity(unchecked) private(set) var isClosed = false
    /// Whether some state has not been written to the file, or a complete new file must replace the file.
    @exclusivity(unchecked) private(set) var isPending = false
    /// Counters for all writes and for durable writes.
    @exclusivity(unchecked) var durability = DurabilityCounters()
    /// Whether the names of the file and the directories above it are known to be durable.
    var isDirectoryEntryDurable = false
    /// Length in bytes that the file must exceed before compaction is tried again after a failure.
    var compactionThreshold = 0
    /// Incidents related to the file that an operator should know about.
    var incidents = ArchiveIncidents()
    /// File mark of the file from which the next complete file would be made, or `nil` if there is no such file.
    private var sourceFileMark: UInt64?
    /// Whether a cancelled compaction's new file may still exist.
    ///
    /// As long as this is `true`, the headers of complete new files identify the same source file as the leftover's
    /// header, so that the leftover can be recognized.
    var mayHaveCompactionLeftover = false

    /// Creates the log for a file that is not open for appending.
    ///
    /// - Parameter end: End of the file's chain of records, or `nil` if there is no file.
    init(at location: ArchiveLocation, end: EncodedRecords.ChainEnd? = nil, isClosed: Bool = false)
    {
        self.location = location
        sequence = end?.sequence ?? 0
        sourceFileMark = end?.fileMark
        self.isClosed = isClosed
    }

    /// Creates a log without a file, to replace a log whose file has been removed.
    init(after log: ArchiveLog) {
        location = log.location
        sequence = log.sequence
        incidents = log.incidents
    }

    // MARK: State

    /// Sequence number of the last saved record.
    ///
    /// This number is lower than ``sequence`` if a copy of the archive, such as a generation, has used higher numbers.
    /// Reloading the file makes both numbers equal. If no file is open for appending, this number is ``sequence``.
    var lastSequenceNumber: UInt64 {
        if case .appending(let files) = state { files.sequence } else { sequence }
    }

    /// Whether records are appended to the file.
    var isAppending: Bool { if case .appending = state { true } else { false } }

    /// Whether the archive is known to have a file.
    var hasFile: Bool { if case .none = state { false } else { true } }

    /// Whether a complete new file must be written even if there are no changes to save.
    var isInherited: Bool { if case .inherited = state { true } else { false } }

    /// Files to which records are appended. The file with the most records comes first.
    var files: [ArchiveFile] {
        if case .appending(let files) = state { files.allFiles } else { [] }
    }

    /// Examiner for the file at the archive's path.
    var changeDetector: ExternalChangeDetector {
        ExternalChangeDetector(
            location: location, knownFiles: knownFiles, files: files, hasFile: hasFile,
            incidents: incidents)
    }

    /// Records that some state has not been written to the file, or that a complete new file must replace the file.
    func markPending() { isPending = true }

    /// Records that another program has changed or replaced the file.
    func recordExternalChange(_ reason: String) {
        knownFiles.recordExternalChange(reason)
        isPending = true
    }

    /// Checks whether the archive's path still refers to the open file. If not, records a change by another program.
    func recordPathChange() throws(IOError) {
        if let reason = try changeDetector.pathChangeReason() { recordExternalChange(reason) }
    }

    /// Stops trusting the file. From now on, state can be saved only by writing a complete new file.
    func abandonFile() {
        if case .appending(let files) = state {
            recordSourceFileMark(of: files)
            switch files.compaction {
            case .none: break
            case .copying: mayHaveCompactionLeftover = true
            case .exchanging(_, let exchange):
                _ = exchange.cancel()
                mayHaveCompactionLeftover = true
            }
            for file in files.allFiles {
                do throws(IOError) {
                    knownFiles.markAbandoned(file, try file.file.status())
                } catch {
                    knownFiles.markAbandoned(file, nil)
                }
            }
        }
        state = .abandoned
        isPending = true
    }

    // MARK: Appending

    /// Lower bound for the limit on the total length of the unwritten records, in bytes. The limit is twice the length
    /// of a complete file if that is greater.
    private static let maximumPendingBytes = 1 << 20

    /// Adds records to be written later.
    ///
    /// If the unwritten records take up too much space, the next write replaces the file with a complete new file
    /// instead.
    func add(_ records: RecordList, compactedByteCount: Int) {
        isPending = true
        guard case .appending(let files) = state else { return }
        files.unwrittenRecords.append(records)
        if files.unwrittenRecords.byteCount > max(Self.maximumPendingBytes, 2 * compactedByteCount)
        {
            abandonFile()
        }
    }

    /// Number of bytes that are kept free in the file for `opened` and `closed` records.
    static let openCloseReserve =
        4 * (ArchiveFormat.minimumRecordBytes + ArchiveFormat.passEndByteCount)

    /// Returns whether the file has room for the unwritten records and for `opened` and `closed` records.
    func hasRoom(for maximumBytes: Int) -> Bool {
        guard case .appending(let files) = state, knownFiles.isFileOurs else { return false }
        return files.file.byteCount + files.unwrittenRecords.byteCount + Self.openCloseReserve
            <= maximumBytes
    }

    /// Appends the unwritten records.
    ///
    /// - Parameter limit: See ``ArchiveFile/append(_:reservingUpTo:)``.
    /// - Returns: The appended records, or `nil` if a complete new file must be written instead.
    func flush(reservingUpTo limit: Int) throws(SaveError) -> RecordList? {
        guard case .appending(let files) = state else { return RecordList() }
        let unwrittenRecords = files.unwrittenRecords
        if !unwrittenRecords.isEmpty, try !append(unwrittenRecords, to: files, reservingUpTo: limit)
        {
            return nil
        }
        files.unwrittenRecords = RecordList()
        isPending = false
        isClosed = false
        return unwrittenRecords
    }

    /// Appends an `opened` record, which states that the application was launched from this file.
    ///
    /// If the file has other hard links, nothing is appended, and the file is no longer used.
    func appendOpenedRecord() throws(SaveError) {
        guard case .appending(let files) = state, try append(.opened, to: files) else { return }
        isClosed = false
    }

    /// Appends a `closed` record, which states that the application shut down cleanly.
    ///
    /// If the file has other hard links, nothing is appended, and the file is no longer used.
    func appendClosedRecord() throws(SaveError) {
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
            abandonFile()
            throw .io(error)
        }
    }

    /// Revokes the `closed` record in abandoned files by appending an `opened` record to each file.
    func revokeClosing(of files: [ArchiveFile]) {
        guard isClosed else { return }
        do throws(ArchiveFile.Failure) {
            for var file in files { try file.append(.opened) }
            isClosed = false
        } catch {}  // The disk does not accept the record, so nothing more can be done.
    }

    /// Appends records to the files and counts the write.
    ///
    /// - Returns: Whether the records were appended. A file with other hard links is not changed and is no longer used,
    ///   so that a backup made with hard links remains unchanged.
    private func append(
        _ records: RecordList, to files: ArchiveAppendState, reservingUpTo limit: Int = 0
    ) throws(SaveError) -> Bool {
        do throws(ArchiveFile.Failure) {
            try files.append(records, reservingUpTo: limit)
        } catch {
            switch error {
            case .hasHardLinks:
                incidents.append(.hasHardLinks)
                abandonFile()
                return false
            case .changedExternally(let reason):
                recordExternalChange(reason)
                throw .changedExternally(path: location.path, reason: reason)
            case .unchanged(let error):
                throw .io(error)
            case .indeterminate(let error):
                abandonFile()
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
        knownFiles.recordAppend(status)
        state = .appending(ArchiveAppendState(file: file))
    }

    /// Sets the current file, to which no records will be appended.
    func inherit(_ status: FileStatus, _ bytes: [UInt8]) {
        knownFiles.recordRead(status, bytes)
        state = .inherited
    }

    /// Adopts a new file that contains the complete state and whose final name is durable.
    func adoptNewFile(_ file: ArchiveFile, isClosed: Bool) throws(IOError) {
        begin(file, try file.file.status())
        knownFiles.forgetChange()
        incidents.releaseDeferredIncidents()
        isDirectoryEntryDurable = true
        durability.recordNewFile()
        isPending = false
        self.isClosed = isClosed
    }

    /// Records the devices of the file's directories after the file has been read or written.
    func recordDevices() {
        do throws(IOError) {
            knownFiles.devices = try location.devices()
        } catch {
            knownFiles.devices = DirectoryDevices()  // Unknown devices never count as changed.
            incidents.append(.checkFailed(error))
        }
    }

    /// Encodes a complete archive that can replace the current one, and whose header identifies the file from which it
    /// was made.
    ///
    /// The log's sequence number increases even if the archive is not written.
    func encodeNewFile(_ records: RecordList) -> EncodedRecords {
        if case .appending(let files) = state { recordSourceFileMark(of: files) }
        let completeArchive = EncodedRecords.completeArchive(
            records, bundleIdentifier: location.bundleIdentifier, after: sequence,
            from: sourceFileMark)
        sequence = completeArchive.end.sequence
        return completeArchive
    }

    /// Encodes a copy of the archive.
    ///
    /// The copy's last sequence number is higher than the file's, but not higher than the sequence number of the next
    /// write.
    func encodeCopy(_ records: RecordList) -> [UInt8] {
        let end = (files.first?.end.sequence ?? sequence) + 1
        let count = UInt64(records.count)
        let completeArchive = EncodedRecords.completeArchive(
            records, bundleIdentifier: location.bundleIdentifier,
            after: end > count ? end - count : 0)
        sequence = max(sequence, completeArchive.end.sequence)
        return completeArchive.bytes
    }

    /// Records the file mark of the current file, from which the next complete file would be made.
    func recordSourceFileMark(of files: ArchiveAppendState) {
        if !mayHaveCompactionLeftover { sourceFileMark = files.file.end.fileMark }
    }

    /// Throws an error if a file with these records would exceed the size limit.
    func checkLength(of records: RecordList, reserve: Int = 0) throws(SaveError) {
        let byteCount = ArchiveFormat.maximumHeaderBytes + records.byteCount + reserve
        guard byteCount <= location.limit else {
            throw .tooLarge(path: location.path, byteCount: byteCount, limit: location.limit)
        }
    }
}
