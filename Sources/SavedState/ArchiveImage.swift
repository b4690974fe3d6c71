import Glibc
import LinuxIO

/// What is known of one archive after it was loaded: the newest state, and what the file holds.
final class ArchiveImage {
    /// The newest state, saved or not.
    var store: ObjectStore
    /// The highest sequence number used so far; never goes back.
    var sequence: UInt64
    /// The file that is appended to.
    var file = FileState.none
    /// What the file lacks, in order. Without meaning unless the file is appended to.
    var unwritten: [ArchiveEntry] = []
    /// Whether the last record of the file is `closed`.
    var closed = false
    /// Whether the file lacks something that it should hold.
    var pending = false
    /// A generation that has to be made before anything is written.
    var requiredGeneration: RequiredGeneration?
    /// A file with a torn end, to be copied to quarantine before it is replaced.
    var torn: (bytes: [UInt8], tail: TornTail)?
    /// The mark of the file that a whole new one is made from; nil: of none.
    private var mark: UInt64?
    /// Counts what was written, and up to where it is durable.
    var durability = Durability()
    /// The files that this process has read, or given the archive's name, as they were when it read them
    /// or wrote them for the last time. Another one under it was put there by another program.
    var known: [FileStatus] = []
    /// Whether the file, which is not appended to any more, could be examined then; else it may have any
    /// length.
    private(set) var isKnownExactly = true
    /// Whether the name is known to stand for another program's file, or for none.
    var external = ExternalState.none
    /// The devices on which the file's folder and the one above it lay when it was read or written.
    var devices = FolderDevices()
    /// Whether the file's name, and those of the folders above it, are known to be durable.
    var nameIsDurable = false
    /// Below this length of the file no compaction is tried: the last one failed.
    var compactAbove = 0
    /// Why the last append was refused; nil: it was not.
    private var refusal: IOError?
    /// What happened to the file that a person should know.
    var incidents: [ArchiveIncident] = []

    /// What is known of a change by another program, and what is to be done about it.
    enum ExternalState {
        /// None is known.
        case none
        /// There was one; nothing is written before it is decided what becomes of what it left.
        case noticed(reason: String)
        /// What it left goes to quarantine with the next write.
        case condemned(reason: String)
    }

    /// What can be done with the file.
    enum FileState {
        /// There is none, as far as is known.
        case none
        /// It is appended to.
        case open(ArchiveFile)
        /// It is appended to, while another thread copies what counts of it.
        case copying(ArchiveFile, ArchiveCopy)
        /// Both are appended to, while another thread gives the second the name of the first.
        case doubled(ArchiveFile, ArchiveFile, ArchiveExchange)
        /// The process that wrote it did not close it, so a sync may have failed before it ended; only
        /// a whole new one can take its place.
        case inherited
        /// It is not trusted any more; only a whole new one can take its place.
        case finished(IOError)
    }

    /// The image of no file.
    init() {
        store = ObjectStore()
        sequence = 0
    }

    /// The image of no file, in the place of one whose file was taken away.
    init(after image: ArchiveImage) {
        store = ObjectStore()
        sequence = image.sequence
        incidents = image.incidents
    }

    /// The image of what a file holds; the file itself is not appended to.
    init(_ prefix: ArchiveReader.Prefix) {
        store = prefix.store
        sequence = prefix.end.sequence
        mark = prefix.end.fileMark
        closed = prefix.closed
    }

    /// Whether a whole file has to be written although the one that is there lacks nothing.
    var isInherited: Bool { if case .inherited = file { true } else { false } }

    /// Whether there is a file, as far as is known.
    var hasFile: Bool { if case .none = file { false } else { true } }

    /// Another program changed the file, or took its name.
    func notice(_ reason: String) {
        if case .condemned = external { return }
        external = .noticed(reason: reason)
        pending = true
    }

    /// Takes the passes of a turn, each whole, up to the first that is malformed.
    func take(_ turn: TurnRecords) throws(MalformedPass) {
        for pass in turn.passes {
            let entries = store.changes(of: pass)
            if entries.isEmpty { continue }
            try store.check(entries, pass.end)
            store.merge(entries, pass.end)
            store.joinPatches()
            pending = true
            note(entries)
        }
        if !turn.open.isEmpty { throw MalformedPass("the last pass of a turn has no end") }
    }

    /// The file lacks these. Where that comes to more than a whole file has, only a whole one will
    /// do.
    private func note(_ entries: [ArchiveEntry]) {
        guard appends else { return }
        unwritten += entries
        if unwritten.byteCount > max(Self.mostUnwritten, 2 * store.byteCount) {
            finish(refusal ?? IOError(.write, path: namedFile?.path ?? "", code: EAGAIN))
        }
    }

    /// So many bytes may wait to be appended, or twice as many as a whole file has.
    private static let mostUnwritten = 1 << 20

    /// Appends records, and notes that they are written.
    func append(_ entries: [ArchiveEntry]) throws(ArchiveFile.Failure) {
        do throws(ArchiveFile.Failure) {
            try appendToFiles(entries)
        } catch {
            if case .refused(let error) = error { refusal = error }
            throw error
        }
        refusal = nil
        durability.noteWritten()
        for file in files { sequence = max(sequence, file.end.sequence) }
    }

    /// Of two files both take the records, or none.
    private func appendToFiles(_ entries: [ArchiveEntry]) throws(ArchiveFile.Failure) {
        switch file {
        case .none, .inherited, .finished: return
        case .open(var file):
            try file.append(entries)
            self.file = .open(file)
        case .copying(var file, let copy):
            try file.append(entries)
            copy.add(entries)
            self.file = .copying(file, copy)
        case .doubled(let old, var new, let exchange):
            var grown = old
            try grown.append(entries)
            do throws(ArchiveFile.Failure) {
                try new.append(entries)
            } catch {
                try grown.goBack(to: old, because: error)
            }
            file = .doubled(grown, new, exchange)
        }
    }

    /// The file is not to be trusted any more: only a whole new one can hold what is in memory.
    func finish(_ error: IOError) {
        if case .doubled(_, _, let exchange) = file { _ = exchange.cancel() }
        noteMark()
        if case .none = external { for file in files { noteKnown(file) } }
        file = .finished(error)
        unwritten = []
        pending = true
    }

    /// Whether a file that is not appended to any more is as it was then.
    ///
    /// - Parameter closely: whether the time of its last change counts, too.
    func isUnchanged(_ ours: FileStatus, _ there: FileStatus, closely: Bool) -> Bool {
        guard isKnownExactly else { return true }
        return ours.size == there.size && (!closely || ours.modified == there.modified)
    }

    /// Keeps how a file is that is not appended to any more, so that a later change is noticed.
    private func noteKnown(_ file: ArchiveFile) {
        do throws(IOError) {
            let status = try file.file.status()
            // Of a write that failed more may be left than can be told from what others wrote.
            if status.size != file.byteCount { isKnownExactly = false }
            known.removeAll { $0.isSameFile(as: status) }
            known.append(status)
        } catch {
            isKnownExactly = false
        }
    }

    /// Records up to these are known to be durable.
    func noteSynced(_ ends: [ArchiveEncoder.ChainEnd]) {
        func note(_ file: inout ArchiveFile) {
            for end in ends where end.fileMark == file.end.fileMark {
                file.noteSynced(upTo: end.sequence)
            }
        }
        switch file {
        case .none, .inherited, .finished: return
        case .open(var file):
            note(&file)
            self.file = .open(file)
        case .copying(var file, let copy):
            note(&file)
            self.file = .copying(file, copy)
        case .doubled(var old, var new, let exchange):
            note(&old)
            note(&new)
            file = .doubled(old, new, exchange)
        }
    }

    /// The files that are appended to.
    var files: [ArchiveFile] {
        switch file {
        case .none, .inherited, .finished: []
        case .open(let file), .copying(let file, _): [file]
        case .doubled(let old, let new, _): [old, new]
        }
    }

    /// The longest file that is appended to.
    var namedFile: ArchiveFile? { files.first }

    /// Whether the file is one that is appended to.
    var appends: Bool {
        switch file {
        case .none, .inherited, .finished: false
        case .open, .copying, .doubled: true
        }
    }

    private func noteMark() {
        if let named = namedFile { mark = named.end.fileMark }
    }

    /// The bytes of a whole new archive of these records, and where its chain ends.
    ///
    /// Its id tells which file it was made from. The image's own sequence goes on with them, whether
    /// they are then written or not.
    func encodeWhole(
        _ entries: [ArchiveEntry], bundleIdentifier: String
    ) -> (bytes: [UInt8], end: ArchiveEncoder.ChainEnd) {
        noteMark()
        let whole = ArchiveEncoder.whole(
            entries, bundleIdentifier: bundleIdentifier, after: sequence, from: mark)
        sequence = whole.end.sequence
        return (whole.bytes, whole.end)
    }
}

extension ArchiveEncoder {
    /// The bytes of a whole new archive, all of which is durable before it gets its name.
    ///
    /// - Parameter source: the mark of the file that it is made from; nil: of none.
    static func whole(
        _ entries: [ArchiveEntry], bundleIdentifier: String, after sequence: UInt64,
        from source: UInt64? = nil
    ) -> ArchiveEncoder {
        let header = ArchiveHeader(
            fileID: ArchiveHeader.newID(from: source),
            publishedSequence: sequence + UInt64(entries.count), bundleIdentifier: bundleIdentifier)
        let size = ArchiveFormat.largestHeader + entries.byteCount
        var encoder = ArchiveEncoder(header: header, after: sequence, capacity: size)
        for index in entries.indices { encoder.append(entries[index]) }
        return encoder
    }
}
