import LinuxIO
import StateRecords

/// The archive's file, which records are appended to, and all that follows from what happens to it;
/// it knows nothing of what the records mean.
final class ArchiveLog {
    /// What can be done with the file.
    enum FileState {
        /// There is none, as far as is known.
        case none
        /// The process that wrote it did not close it, so a sync may have failed before it ended;
        /// only a whole new one can take its place.
        case inherited
        /// It is not trusted any more, nor appended to: only a whole new one can take its place.
        case finished
        /// It is appended to.
        case appending(AppendedFiles)
    }

    let place: ArchivePlace
    // No code of others runs while these are read or written.
    @exclusivity(unchecked) var state = FileState.none
    /// What lies under the file's name, and whether it is ours.
    @exclusivity(unchecked) var identity = FileIdentity()
    /// The highest sequence number used so far; never goes back.
    @exclusivity(unchecked) var sequence: UInt64 = 0
    /// Whether the last record of the file is `closed`.
    @exclusivity(unchecked) private(set) var isClosed = false
    /// Whether the file lacks something that it should hold.
    @exclusivity(unchecked) private(set) var isPending = false
    /// Counts what was written, and up to where it is durable.
    @exclusivity(unchecked) var durability = Durability()
    /// Whether the file's name, and those of the folders above it, are known to be durable.
    var isNameDurable = false
    /// Below this length of the file no compaction is tried: the last one failed.
    var compactAbove = 0
    /// What happened to the file that a person should know.
    var incidents = ArchiveIncidents()
    /// The mark of the file that a whole new one is made from; nil: of none.
    private var mark: UInt64?
    /// Whether the new file of a compaction that was given up may still be there. As long as it is,
    /// whole files tell the same one that they were made from, so that it is known by that.
    var isCompactionLeft = false

    /// The log of a file that was read up to there, and is not appended to; nil: of none.
    init(at place: ArchivePlace, end: ArchiveEncoder.ChainEnd? = nil, isClosed: Bool = false) {
        self.place = place
        sequence = end?.sequence ?? 0
        mark = end?.fileMark
        self.isClosed = isClosed
    }

    /// The log of no file, in the place of one whose file was taken away.
    init(after log: ArchiveLog) {
        place = log.place
        sequence = log.sequence
        incidents = log.incidents
    }

    // MARK: State

    /// Whether the file is one that is appended to.
    var appends: Bool { if case .appending = state { true } else { false } }

    /// Whether there is a file, as far as is known.
    var hasFile: Bool { if case .none = state { false } else { true } }

    /// Whether a whole file has to be written although the one that is there lacks nothing.
    var isInherited: Bool { if case .inherited = state { true } else { false } }

    /// The files that are appended to, that with the most records first.
    var files: [ArchiveFile] { if case .appending(let files) = state { files.all } else { [] } }

    /// Looks what lies under the file's name.
    var examiner: FileExaminer {
        FileExaminer(
            place: place, identity: identity, files: files, hasFile: hasFile, incidents: incidents)
    }

    /// The file lacks something, or is to be written whole.
    func notePending() { isPending = true }

    /// Another program changed the file, or took its name.
    func notice(_ reason: String) {
        identity.notice(reason)
        isPending = true
    }

    /// Notices whether the name stands for another file than the one that is appended to.
    func noticeChangedName() throws(IOError) {
        if let reason = try examiner.changedName() { notice(reason) }
    }

    /// The file is not to be trusted any more: only a whole new one can hold what is in memory.
    func finish() {
        if case .appending(let files) = state {
            noteMark(of: files)
            switch files.compaction {
            case .none: break
            case .copying: isCompactionLeft = true
            case .exchanging(_, let exchange):
                _ = exchange.cancel()
                isCompactionLeft = true
            }
            for file in files.all {
                do throws(IOError) {
                    identity.noteFinished(file, try file.file.status())
                } catch {
                    identity.noteFinished(file, nil)
                }
            }
        }
        state = .finished
        isPending = true
    }

    // MARK: Appending

    /// So many bytes may wait to be appended, or twice as many as a whole file has.
    private static let mostUnwritten = 1 << 20

    /// The file lacks these; if all that it lacks is too much, only a whole one will do.
    func add(_ records: RecordList, wholeByteCount: Int) {
        isPending = true
        guard case .appending(let files) = state else { return }
        files.unwritten.append(records)
        if files.unwritten.byteCount > max(Self.mostUnwritten, 2 * wholeByteCount) { finish() }
    }

    /// What the records take that open and close an archive, in bytes.
    static let reserve = 4 * (ArchiveFormat.smallestRecord + ArchiveFormat.endLength)

    /// Whether there is room for what is unwritten, and for records that open and close the file.
    func hasRoom(for mostBytes: Int) -> Bool {
        guard case .appending(let files) = state, identity.isOurs else { return false }
        return files.file.byteCount + files.unwritten.byteCount + Self.reserve <= mostBytes
    }

    /// Appends what is unwritten.
    ///
    /// - Returns: The appended records, or `nil` if only a whole new file can hold them.
    func flush() throws(SaveError) -> RecordList? {
        guard case .appending(let files) = state else { return RecordList() }
        let unwritten = files.unwritten
        if !unwritten.isEmpty, try !append(unwritten, to: files) { return nil }
        files.unwritten = RecordList()
        isPending = false
        isClosed = false
        return unwritten
    }

    /// Records that the application was launched from this file. A file that has other names is finished instead.
    func open() throws(SaveError) {
        guard case .appending(let files) = state, try append(.opened, to: files) else { return }
        isClosed = false
    }

    /// Records that the application stopped in order. A file that has other names is finished instead.
    func close() throws(SaveError) {
        guard case .appending(let files) = state, try append(.closed, to: files) else { return }
        isClosed = true
    }

    /// Says behind `closed` that it does not count, in files that are not appended to any more.
    func revokeClosing(of files: [ArchiveFile]) {
        guard isClosed else { return }
        do throws(ArchiveFile.Failure) {
            for var file in files { try file.append(.opened) }
            isClosed = false
        } catch {}  // The disk does not let it.
    }

    /// Appends records, and counts them as written.
    ///
    /// - Returns: Whether the file got them. If it has other names, it is finished: a backup by hard links keeps
    ///   what the file held.
    private func append(
        _ records: RecordList, to files: AppendedFiles
    ) throws(SaveError) -> Bool {
        do throws(ArchiveFile.Failure) {
            try files.append(records)
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
        durability.noteWritten()
        sequence = max(sequence, files.sequence)
        return true
    }

    // MARK: Whole files

    /// The file is this one from now on, and goes on where it ends.
    func begin(_ file: ArchiveFile, _ status: FileStatus) {
        identity.noteAppended(status)
        state = .appending(AppendedFiles(file: file))
    }

    /// The file holds these bytes, and is not appended to.
    func inherit(_ status: FileStatus, _ bytes: [UInt8]) {
        identity.noteRead(status, bytes)
        state = .inherited
    }

    /// A whole new file has the name, durably, and holds everything.
    func noteWhole(_ file: ArchiveFile, isClosed: Bool) throws(IOError) {
        begin(file, try file.file.status())
        identity.forgetChange()
        isNameDurable = true
        durability.noteWhole()
        isPending = false
        self.isClosed = isClosed
    }

    /// Notes on which devices the folders of a file lie that was read or written.
    func noteDevices() {
        do throws(IOError) {
            identity.devices = try place.devices()
        } catch {
            identity.devices = FolderDevices()  // Then none is known to have changed.
            incidents.append(.notLookedAt(error))
        }
    }

    /// The bytes of a whole new archive of these records, whose id tells which file it was made
    /// from. The log's own sequence goes on with them, whether they are then written or not.
    func encodeWhole(_ records: RecordList) -> ArchiveEncoder {
        if case .appending(let files) = state { noteMark(of: files) }
        let whole = ArchiveEncoder.whole(
            records, bundleIdentifier: place.bundleIdentifier, after: sequence, from: mark)
        sequence = whole.end.sequence
        return whole
    }

    /// The bytes of an archive of these records, newer than the file, and not newer than what is
    /// written next.
    func encodeCopy(_ records: RecordList) -> [UInt8] {
        let end = (files.first?.end.sequence ?? sequence) + 1
        let count = UInt64(records.count)
        let whole = ArchiveEncoder.whole(
            records, bundleIdentifier: place.bundleIdentifier, after: end > count ? end - count : 0)
        sequence = max(sequence, whole.end.sequence)
        return whole.bytes
    }

    /// A whole new file would be made from the one that is appended to.
    func noteMark(of files: AppendedFiles) {
        if !isCompactionLeft { mark = files.file.end.fileMark }
    }

    /// Refuses records of which a whole file would be too long to be read again.
    func checkLength(of records: RecordList, reserve: Int = 0) throws(SaveError) {
        let byteCount = ArchiveFormat.largestHeader + records.byteCount + reserve
        guard byteCount <= place.limit else {
            throw .tooLarge(path: place.path, byteCount: byteCount, limit: place.limit)
        }
    }
}
