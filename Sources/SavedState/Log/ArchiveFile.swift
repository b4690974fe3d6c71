import LinuxIO
import StateRecords
import Synchronization

/// Open archive file that records are appended to.
package struct ArchiveFile: Sendable {
    /// Open file.
    let file: any FolderFile
    private let latch = SyncLatch()
    /// Current or future path of the file.
    let path: String
    /// End of the file's chain of records.
    private(set) var end: ArchiveEncoder.ChainEnd
    /// Length of the file in bytes, up to the end of the chain.
    private(set) var byteCount: Int
    /// Sequence number up to which the file is known to be durable.
    private(set) var synced: UInt64
    /// Whether the file has its final name. Before that, the file need not have a name at all.
    var isNamed = true

    /// Reason why records were not appended.
    enum Failure: Error, CustomStringConvertible {
        /// Another program changed or replaced the file. Nothing was appended.
        case changedExternally(reason: String)
        /// The file has other names (hard links), whose contents must not change. Nothing was appended.
        case hasOtherNames
        /// A system call failed, and the file is unchanged.
        case refused(IOError)
        /// A system call failed, and the contents of the file are uncertain.
        case finished(IOError)

        var description: String {
            switch self {
            case .changedExternally(let reason): reason
            case .hasOtherNames: "it has other names (hard links)"
            case .refused(let error), .finished(let error): error.description
            }
        }
    }

    /// Appends records by one write, if the file is unchanged since the last write.
    mutating func append(_ records: RecordList) throws(Failure) {
        let encoder = ArchiveEncoder(continuing: end, records, synced: synced)
        // There is no lock between check and write. A change by another program in between goes unnoticed.
        try checkUnchanged()
        do throws(IOError) {
            try file.write(encoder.bytes)
        } catch {
            throw cutOff(because: error)
        }
        end = encoder.end
        byteCount += encoder.bytes.count
    }

    /// Truncates the file to this state after a failed write, and returns the resulting failure.
    func cutOff(because error: IOError) -> Failure {
        do throws(IOError) {
            try file.truncate(to: byteCount)
            return .refused(named(error))
        } catch {
            return .finished(named(error))
        }
    }

    /// Returns when the contents are durable. After an error, all later calls fail, too.
    func synchronizeData() throws(IOError) { try latch.synchronize(file) }

    /// Records that the file is durable up to the end that belongs to it.
    mutating func noteSynced(_ ends: [ArchiveEncoder.ChainEnd]) {
        for end in ends where end.fileMark == self.end.fileMark {
            synced = max(synced, end.sequence)
        }
    }

    /// Reads everything that was written so far, and checks every checksum.
    ///
    /// - Returns: `nil` if another program changed the file.
    func readBack() throws(IOError) -> (header: ArchiveHeader, prefix: ArchiveReader.Prefix)? {
        let bytes = try file.read(upTo: byteCount)
        guard case .whole(let prefix) = ArchiveReader.read(bytes, bundleIdentifier: nil),
            prefix.end == end, let header = ArchiveHeader(bytes)
        else { return nil }
        return (header, prefix)
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
        if status.linkCount > 1 { throw .hasOtherNames }
        if status.size != byteCount {
            throw .changedExternally(
                reason: "it has \(status.size) bytes, and \(byteCount) were written")
        }
    }

    /// Returns an error with the current path of the file.
    private func named(_ error: IOError) -> IOError {
        var error = error
        error.path = path
        return error
    }
}

extension ArchiveFile {
    /// Creates the state of a whole file that was written durably.
    init(_ file: any FolderFile, path: String, _ whole: ArchiveEncoder) {
        self.init(
            file: file, path: path, end: whole.end, byteCount: whole.bytes.count,
            synced: whole.end.sequence)
    }
}

/// Latch that makes one file durable on any thread, until a sync has failed once.
///
/// Linux reports a failed sync only once. The next sync succeeds, whichever process calls it, but the lost
/// writes stay lost.
final class SyncLatch: Sendable {
    private let failure = Mutex<IOError?>(nil)

    /// Returns when the file's contents are durable. After an error, all later calls fail, too.
    func synchronize(_ file: any FolderFile) throws(IOError) {
        try failure.withLock { failure throws(IOError) in
            if failure == nil {
                do throws(IOError) { try file.synchronizeData() } catch { failure = error }
            }
            if let failure { throw failure }
        }
    }
}
