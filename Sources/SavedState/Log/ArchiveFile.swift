import LinuxIO
import StateRecords
import Synchronization

/// An open archive that grows at its end.
package struct ArchiveFile: Sendable {
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
    enum Failure: Error, CustomStringConvertible {
        /// Another program changed the file, or took its name; nothing was appended.
        case changedExternally(reason: String)
        /// The file has other names (hard links), which must not change with it; nothing was appended.
        case hasOtherNames
        /// The kernel refused, and what was there before is all that is there.
        case refused(IOError)
        /// The kernel refused, and nothing is certain any more.
        case finished(IOError)

        var description: String {
            switch self {
            case .changedExternally(let reason): reason
            case .hasOtherNames: "it has other names (hard links)"
            case .refused(let error), .finished(let error): error.description
            }
        }
    }

    /// Appends records by one write, if the file is as it was left.
    mutating func append(_ records: RecordList) throws(Failure) {
        let encoder = ArchiveEncoder(continuing: end, records, synced: synced)
        // Nothing comes between: whatever another program writes there goes unnoticed.
        try checkUnchanged()
        do throws(IOError) {
            try file.write(encoder.bytes)
        } catch {
            throw cutOff(because: error)
        }
        end = encoder.end
        byteCount += encoder.bytes.count
    }

    /// Cuts off what was written behind this state because of an error; tells what that comes to.
    func cutOff(because error: IOError) -> Failure {
        do throws(IOError) {
            try file.truncate(to: byteCount)
            return .refused(named(error))
        } catch {
            return .finished(named(error))
        }
    }

    /// Returns when the content is durable; after an error it never does again.
    func synchronizeData() throws(IOError) { try latch.synchronize(file) }

    /// Those of these records that are in this file are durable.
    mutating func noteSynced(_ ends: [ArchiveEncoder.ChainEnd]) {
        for end in ends where end.fileMark == self.end.fileMark {
            synced = max(synced, end.sequence)
        }
    }

    /// Reads what was written so far, and checks every checksum.
    ///
    /// - Returns: `nil` if another program changed any of it.
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

    /// An error of this file under the name that it has now.
    private func named(_ error: IOError) -> IOError {
        var error = error
        error.path = path
        return error
    }
}

extension ArchiveFile {
    /// A file that was written whole, durably.
    init(_ file: any FolderFile, path: String, _ whole: ArchiveEncoder) {
        self.init(
            file: file, path: path, end: whole.end, byteCount: whole.bytes.count,
            synced: whole.end.sequence)
    }
}

/// Makes one file durable, for any thread, until that has failed once.
///
/// Linux tells of a failed sync once: the next one succeeds, whoever calls it, and what was lost
/// stays lost.
final class SyncLatch: Sendable {
    private let failure = Mutex<IOError?>(nil)

    /// Returns when the file's content is durable; once that has failed it always does.
    func synchronize(_ file: any FolderFile) throws(IOError) {
        try failure.withLock { failure throws(IOError) in
            if failure == nil {
                do throws(IOError) { try file.synchronizeData() } catch { failure = error }
            }
            if let failure { throw failure }
        }
    }
}
