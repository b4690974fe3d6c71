import LinuxIO
import Synchronization

/// An open archive that grows at its end.
struct ArchiveFile: Sendable {
    /// The open file.
    let file: any FolderFile
    private let latch = SyncLatch()
    /// The path that it has, or is about to have.
    let path: String
    /// Where its chain of records ends.
    private(set) var end: ArchiveEncoder.ChainEnd
    /// Its length in bytes up to there.
    private(set) var byteCount: Int
    /// The sequence up to which it is known to be durable.
    private(set) var synced: UInt64
    /// Whether it has its name; until then no name is looked for.
    var isNamed = true

    /// Why records were not appended.
    enum Failure: Error {
        /// Another program changed the file, or took its name; nothing was appended.
        case changedExternally(reason: String)
        /// The kernel refused, and what was there before is all that is there.
        case refused(IOError)
        /// The kernel refused, and nothing is certain any more.
        case finished(IOError)
    }

    init(
        _ file: any FolderFile, path: String, end: ArchiveEncoder.ChainEnd, byteCount: Int,
        synced: UInt64
    ) {
        self.file = file
        self.path = path
        self.end = end
        self.byteCount = byteCount
        self.synced = synced
    }

    /// A file that was written whole, durably.
    init(_ file: any FolderFile, path: String, _ whole: ArchiveEncoder) {
        self.init(
            file, path: path, end: whole.end, byteCount: whole.bytes.count,
            synced: whole.end.sequence)
    }

    /// Appends records by one write, if the file is as it was left.
    mutating func append(_ entries: [ArchiveEntry]) throws(Failure) {
        try checkUnchanged()
        var encoder = ArchiveEncoder(continuing: end, capacity: entries.byteCount)
        for index in entries.indices { encoder.append(entries[index], synced: synced) }
        do throws(IOError) {
            try file.write(encoder.bytes)
        } catch {
            try cut(to: byteCount, because: error)
        }
        end = encoder.end
        byteCount += encoder.bytes.count
    }

    /// Takes the records back that were appended behind an earlier state of this file.
    mutating func goBack(to earlier: ArchiveFile, because cause: Failure) throws(Failure) {
        guard case .refused(let error) = cause else { throw cause }
        do throws(IOError) {
            try file.truncate(to: earlier.byteCount)
        } catch {
            throw .finished(error)
        }
        self = earlier
        throw .refused(error)
    }

    /// Returns when the content is durable; after an error it never does again.
    func synchronizeData() throws(IOError) { try latch.synchronize(file) }

    /// Everything up to a sequence is durable.
    mutating func noteSynced(upTo sequence: UInt64) {
        synced = max(synced, sequence)
    }

    private func checkUnchanged() throws(Failure) {
        let status: FileStatus
        do throws(IOError) {
            status = try file.status()
        } catch {
            throw .refused(named(error))
        }
        if isNamed, status.linkCount == 0 {
            throw .changedExternally(reason: "it was removed, or another file took its name")
        }
        if status.size != byteCount {
            throw .changedExternally(
                reason: "it has \(status.size) bytes, and \(byteCount) were written")
        }
    }

    /// Cuts off what a failed write may have left.
    private func cut(to byteCount: Int, because error: IOError) throws(Failure) {
        do throws(IOError) {
            try file.truncate(to: byteCount)
        } catch {
            throw .finished(named(error))
        }
        throw .refused(named(error))
    }

    /// An error of this file under the name that it has now.
    private func named(_ error: IOError) -> IOError {
        var error = error
        error.path = path
        return error
    }
}

/// Makes one file durable, for any thread, until that has failed once.
///
/// Linux tells of a failed sync once: the next one succeeds, whoever calls it, and what was lost stays
/// lost.
final class SyncLatch: Sendable {
    private let failure = Mutex<IOError?>(nil)

    /// Returns when the file's content is durable; once that has failed it always does.
    func synchronize(_ file: any FolderFile) throws(IOError) {
        let failure = failure.withLock { failure in
            if failure == nil {
                do throws(IOError) { try file.synchronizeData() } catch { failure = error }
            }
            return failure
        }
        if let failure { throw failure }
    }
}
