import LinuxIO
import StateRecords
import Synchronization

/// Open archive file to which records are appended.
package struct ArchiveFile: Sendable {
    /// The open file.
    let file: any FileProtocol
    private let syncLatch = SyncLatch()
    /// Path of the file. While a rename is pending, this is the new path.
    let path: String
    /// End of the file's chain of records.
    private(set) var end: EncodedRecords.ChainEnd
    /// Length of the file in bytes, up to the end of the chain.
    private(set) var byteCount: Int
    private var reservedSpace: ReservedSpace
    /// Whether bytes from a failed write may follow the end of the chain.
    private(set) var isEndUncertain = false
    /// Sequence number up to which the file is known to be durable.
    private(set) var syncedSequence: UInt64
    /// Whether the file has its final name. If not, it may have no name at all.
    var hasFinalName = true

    /// Reason why records were not appended.
    enum Failure: Error, CustomStringConvertible {
        /// Another program has changed or replaced the file. Nothing was appended.
        case changedExternally(reason: String)
        /// The file has other hard links, whose contents must not change. Nothing was appended.
        case hasHardLinks
        /// A system call failed, and the file is unchanged.
        case unchanged(IOError)
        /// A system call failed, and the contents of the file are uncertain.
        case indeterminate(IOError)

        var description: String {
            switch self {
            case .changedExternally(let reason): reason
            case .hasHardLinks: "it has other names (hard links)"
            case .unchanged(let error), .indeterminate(let error): error.description
            }
        }
    }

    /// Length of the file in bytes, including the reserved space after the end of the chain.
    var fileByteCount: Int { reservedSpace.fileByteCount }

    /// Appends records with one write if the file has not changed since the last write.
    ///
    /// - Parameter limit: Maximum length to which the file may grow by reserving space, or 0 to reserve no space.
    mutating func append(
        _ records: RecordList, reservingUpTo limit: Int = 0
    ) throws(Failure) {
        let encoder = EncodedRecords(continuing: end, records, syncedSequence: syncedSequence)
        // The check and the write are not atomic. A change by another program between them goes unnoticed.
        try checkUnchanged()
        do throws(IOError) {
            // A file lacks its final name only briefly, so no space is reserved in it.
            try reservedSpace.write(
                encoder.bytes, at: byteCount, to: file, reservingUpTo: hasFinalName ? limit : 0)
        } catch {
            try truncateToEnd()
            throw .unchanged(withCurrentPath(error))
        }
        end = encoder.end
        byteCount += encoder.bytes.count
    }

    /// Truncates the file to the end of the chain after a failed write.
    ///
    /// Otherwise, later records might overwrite only some of the bytes left behind by the failed write.
    mutating func truncateToEnd() throws(Failure) {
        do throws(IOError) {
            try reservedSpace.truncate(file, to: byteCount)
        } catch {
            isEndUncertain = true
            throw .indeterminate(withCurrentPath(error))
        }
    }

    /// Truncates the file to the end of the chain if the file has no other names and has not changed since the last
    /// write.
    ///
    /// - Returns: Whether the file was truncated.
    mutating func releaseReservedSpace() throws(IOError) -> Bool {
        guard fileByteCount > byteCount else { return false }
        let status = try file.status()
        guard status.linkCount < 2, try isUnchanged(status) else { return false }
        try reservedSpace.truncate(file, to: byteCount)
        return true
    }

    /// Makes the contents durable before returning. After an error, all later calls fail as well.
    func synchronizeData() throws(IOError) { try syncLatch.synchronize(file) }

    /// Records that the file is durable up to the given end of its chain of records. Ends of other files are ignored.
    mutating func markSynced(_ ends: [EncodedRecords.ChainEnd]) {
        for end in ends where end.fileMark == self.end.fileMark {
            syncedSequence = max(syncedSequence, end.sequence)
        }
    }

    /// Reads all bytes written so far and verifies every checksum.
    ///
    /// - Returns: The file's header and contents, or `nil` if another program has changed the file.
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
            throw .unchanged(withCurrentPath(error))
        }
        if hasFinalName, status.linkCount == 0 {
            throw .changedExternally(reason: "it was removed, or another file is at its path")
        }
        if status.linkCount > 1 { throw .hasHardLinks }
        if status.size != fileByteCount {
            throw .changedExternally(
                reason: "it has \(status.size) bytes, but should have \(fileByteCount)")
        }
        do throws(IOError) {
            if try isUnchanged(status) { return }
        } catch {
            throw .unchanged(withCurrentPath(error))
        }
        throw .changedExternally(reason: "its last record was overwritten")
    }

    /// Returns whether the file still has the expected length and last record.
    ///
    /// If the file has reserved space, comparing the lengths is not enough: another program may have overwritten the
    /// file with an earlier copy of the same length.
    ///
    /// - Parameter status: Current status of the file.
    func isUnchanged(_ status: FileStatus) throws(IOError) -> Bool {
        guard status.size == fileByteCount else { return false }
        if fileByteCount == byteCount { return true }
        let checksumBytes = try file.read(from: byteCount - 8, upTo: 8)
        return checksumBytes.count == 8 && checksumBytes.storedChecksum(endingAt: 8) == end.checksum
    }

    /// Returns the error with the file's current path.
    private func withCurrentPath(_ error: IOError) -> IOError {
        var error = error
        error.path = path
        return error
    }
}

extension ArchiveFile {
    /// Creates an archive file without reserved space.
    init(
        file: any FileProtocol, path: String, end: EncodedRecords.ChainEnd, byteCount: Int,
        syncedSequence: UInt64
    ) {
        self.file = file
        self.path = path
        self.end = end
        self.byteCount = byteCount
        self.syncedSequence = syncedSequence
        reservedSpace = ReservedSpace(fileByteCount: byteCount)
    }

    /// Creates an archive file from a complete file that has been written durably.
    init(_ file: any FileProtocol, path: String, _ newFile: EncodedRecords) {
        self.init(
            file: file, path: path, end: newFile.end, byteCount: newFile.bytes.count,
            syncedSequence: newFile.end.sequence)
    }
}

/// Latch that makes every sync of a file fail after one sync has failed. Any thread may use the latch.
///
/// Linux reports a failed sync only once. The next sync succeeds, regardless of which process requests it, but the lost
/// writes remain lost.
final class SyncLatch: Sendable {
    private let failure = Mutex<IOError?>(nil)

    /// Makes the file's contents durable before returning. After an error, all later calls fail as well.
    func synchronize(_ file: any FileProtocol) throws(IOError) {
        try failure.withLock { failure throws(IOError) in
            if failure == nil {
                do throws(IOError) { try file.synchronizeData() } catch { failure = error }
            }
            if let failure { throw failure }
        }
    }
}
