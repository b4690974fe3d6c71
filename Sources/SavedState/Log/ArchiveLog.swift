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
    @exclusivity(unchecked) var highestSequence: UInt64 = 0
    /// Whether the file's last record is a `closed` record.
    @exclusivity(unchecked) private(set) var isClosed = false
    /// Whether some state has not been written to the file, or a complete new file must replace the file.
    @exclusivity(unchecked) private(set) var needsWrite = false
    /// Counters for all writes and for durable writes.
    @exclusivity(unchecked) var durability = DurabilityCounters()
    /// Whether the names of the file and the directories above it are known to be durable.
    var isDirectoryEntryDurable = false
    /// Length in bytes that the file must exceed before a failed compaction is retried.
    var compactionThreshold = 0
    /// Incidents related to the file that an operator should know about.
    var incidents = ArchiveIncidents()
    /// File mark that the next complete file records as its source, or `nil` if it has no source.
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
        highestSequence = end?.sequence ?? 0
        sourceFileMark = end?.fileMark
        self.isClosed = isClosed
    }

    /// Creates a log without a file, to replace a log whose file has been removed.
    init(after log: ArchiveLog) {
        location = log.location
        highestSequence = log.highestSequence
        incidents = log.incidents
    }

    // MARK: State

    /// Sequence number of the last saved record.
    ///
    /// This number is lower than ``highestSequence`` if a copy of the archive, such as a generation, has used higher
    /// numbers. Reloading the file makes both numbers equal. If no file is open for appending, this number is
    /// ``highestSequence``.
    var lastSequenceNumber: UInt64 {
        if case .appending(let appendState) = state {
            appendState.highestSequence
        } else {
            highestSequence
        }
    }

    /// Whether records are appended to the file.
    var isAppending: Bool { if case .appending = state { true } else { false } }

    /// Whether the archive is known to have a file.
    var hasFile: Bool { if case .none = state { false } else { true } }

    /// Whether a previous process wrote the file. If so, a new file must be written even if there are no changes.
    var hasInheritedFile: Bool { if case .inherited = state { true } else { false } }

    /// Files to which records are appended. The file with the most records comes first.
    var files: [ArchiveFile] {
        if case .appending(let appendState) = state { appendState.allFiles } else { [] }
    }

    /// Detector for changes that other programs make to the file at the archive's path.
    var changeDetector: ExternalChangeDetector {
        ExternalChangeDetector(
            location: location, knownFiles: knownFiles, files: files, hasFile: hasFile,
            incidents: incidents)
    }

    /// Records that some state has not been written to the file, or that a complete new file must replace the file.
    func setNeedsWrite() { needsWrite = true }

    /// Records that another program has changed or replaced the file.
    func recordExternalChange(_ reason: String) {
        knownFiles.recordExternalChange(reason)
        needsWrite = true
    }

    /// Checks whether the archive's path still refers to the open file. If not, records a change by another program.
    func recordPathChange() throws(IOError) {
        if let reason = try changeDetector.pathChangeReason() { recordExternalChange(reason) }
    }

    /// Stops trusting the file. From now on, state can be saved only by writing a complete new file.
    func abandonFile() {
        if case .appending(let appendState) = state {
            recordSourceFileMark(of: appendState)
            switch appendState.compaction {
            case .none: break
            case .copying: mayHaveCompactionLeftover = true
            case .exchanging(_, let exchange):
                _ = exchange.cancel()
                mayHaveCompactionLeftover = true
            }
            for file in appendState.allFiles {
                do throws(IOError) {
                    knownFiles.markAbandoned(file, try file.file.status())
                } catch {
                    knownFiles.markAbandoned(file, nil)
                }
            }
        }
        state = .abandoned
        needsWrite = true
    }

    // MARK: Appending

    /// Limit on the total length of the unwritten records, in bytes.
    ///
    /// If a complete file is longer than half of this limit, the limit is twice the length of that file.
    private static let maximumPendingBytes = 1 << 20

    /// Adds records that the next write appends to the file.
    ///
    /// If the unwritten records take up too much space, the next write replaces the file with a complete new file
    /// instead.
    func add(_ records: RecordList, compactedByteCount: Int) {
        needsWrite = true
        guard case .appending(let appendState) = state else { return }
        appendState.unwrittenRecords.append(records)
        if appendState.unwrittenRecords.byteCount
            > max(Self.maximumPendingBytes, 2 * compactedByteCount)
        {
            abandonFile()
        }
    }

    /// Number of bytes that are kept free in the file for `opened` and `closed` records.
    static let openCloseByteCount =
        4 * (ArchiveFormat.minimumRecordBytes + ArchiveFormat.passEndByteCount)

    /// Returns whether the file has room for the unwritten records and for `opened` and `closed` records.
    ///
    /// - Parameter maximumBytes: Maximum length of the file.
    func hasRoom(upTo maximumBytes: Int) -> Bool {
        guard case .appending(let appendState) = state, knownFiles.isFileOurs else { return false }
        return appendState.file.byteCount + appendState.unwrittenRecords.byteCount
            + Self.openCloseByteCount
            <= maximumBytes
    }

    /// Appends the unwritten records.
    ///
    /// - Parameter limit: See ``ArchiveFile/append(_:reservingUpTo:)``.
    /// - Returns: The appended records, or `nil` if a complete new file must be written instead.
    func flush(reservingUpTo limit: Int) throws(SaveError) -> RecordList? {
        guard case .appending(let appendState) = state else { return RecordList() }
        let unwrittenRecords = appendState.unwrittenRecords
        if !unwrittenRecords.isEmpty,
            try !append(unwrittenRecords, to: appendState, reservingUpTo: limit)
        {
            return nil
        }
        appendState.unwrittenRecords = RecordList()
        needsWrite = false
        isClosed = false
        return unwrittenRecords
    }

    /// Appends an `opened` record, which states that the application was launched from this file.
    ///
    /// If the file has other hard links, nothing is appended, and the file is no longer used.
    func appendOpenedRecord() throws(SaveError) {
        guard case .appending(let appendState) = state, try append(.opened, to: appendState) else {
            return
        }
        isClosed = false
    }

    /// Appends a `closed` record, which states that the application shut down cleanly.
    ///
    /// If the file has other hard links, nothing is appended, and the file is no longer used.
    func appendClosedRecord() throws(SaveError) {
        _ = try releaseReservedSpace()
        guard case .appending(let appendState) = state, try append(.closed, to: appendState) else {
            return
        }
        isClosed = true
    }

    /// Truncates the file to the end of its last record. After an error, the file is no longer used.
    ///
    /// - Returns: Whether the file had reserved space. Its new length is not durable yet.
    func releaseReservedSpace() throws(SaveError) -> Bool {
        guard case .appending(let appendState) = state else { return false }
        do throws(IOError) {
            return try appendState.releaseReservedSpace()
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
        _ records: RecordList, to appendState: ArchiveAppendState, reservingUpTo limit: Int = 0
    ) throws(SaveError) -> Bool {
        do throws(ArchiveFile.Failure) {
            try appendState.append(records, reservingUpTo: limit)
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
        highestSequence = max(highestSequence, appendState.highestSequence)
        return true
    }

    // MARK: Whole files

    /// Sets the file to which records are appended from now on.
    func beginAppending(to file: ArchiveFile, _ status: FileStatus) {
        knownFiles.recordAppend(status)
        state = .appending(ArchiveAppendState(file: file))
    }

    /// Adopts a previous process's file, to which no records will be appended.
    func adoptInheritedFile(_ status: FileStatus, _ bytes: [UInt8]) {
        knownFiles.recordRead(status, bytes)
        state = .inherited
    }

    /// Adopts a new file that contains the complete state and whose final name is durable.
    func adoptNewFile(_ file: ArchiveFile, isClosed: Bool) throws(IOError) {
        beginAppending(to: file, try file.file.status())
        knownFiles.forgetChange()
        incidents.releaseDeferredIncidents()
        isDirectoryEntryDurable = true
        durability.recordNewFile()
        needsWrite = false
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

    /// Encodes a complete archive that can replace the current file.
    ///
    /// The header of the archive identifies the file from which the archive is made. The log's sequence number
    /// increases even if the archive is not written.
    func encodeNewFile(_ records: RecordList) -> EncodedRecords {
        if case .appending(let appendState) = state { recordSourceFileMark(of: appendState) }
        let completeArchive = EncodedRecords.completeArchive(
            records, bundleIdentifier: location.bundleIdentifier, after: highestSequence,
            from: sourceFileMark)
        highestSequence = completeArchive.end.sequence
        return completeArchive
    }

    /// Encodes a copy of the archive.
    ///
    /// The copy's last sequence number is higher than the file's, but not higher than the sequence number of the next
    /// write.
    func encodeCopy(_ records: RecordList) -> [UInt8] {
        let end = (files.first?.end.sequence ?? highestSequence) + 1
        let count = UInt64(records.count)
        let completeArchive = EncodedRecords.completeArchive(
            records, bundleIdentifier: location.bundleIdentifier,
            after: end > count ? end - count : 0)
        highestSequence = max(highestSequence, completeArchive.end.sequence)
        return completeArchive.bytes
    }

    /// Records the file mark of the current file as the source of the next complete file.
    func recordSourceFileMark(of appendState: ArchiveAppendState) {
        if !mayHaveCompactionLeftover { sourceFileMark = appendState.file.end.fileMark }
    }

    /// Throws an error if a file with these records would exceed the size limit.
    ///
    /// - Parameter reservedByteCount: Number of bytes that must remain free for later records.
    func checkLength(of records: RecordList, reservedByteCount: Int = 0) throws(SaveError) {
        let byteCount = ArchiveFormat.maximumHeaderBytes + records.byteCount + reservedByteCount
        guard byteCount <= location.maximumFileBytes else {
            throw .tooLarge(
                path: location.path, byteCount: byteCount, limit: location.maximumFileBytes)
        }
    }
}
