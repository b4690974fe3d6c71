import Glibc
import LinuxIO
import Synchronization

/// Operation that exchanges the names of an archive and its compacted copy while records are appended to both.
package final class CompactionExchange: Sendable {
    private let oldFile: ArchiveFile
    private let newFile: ArchiveFile
    private let directory: any DirectoryProtocol
    private let state = Mutex(State.waiting)

    private enum State { case waiting, cancelled, exchanged }

    // This flag is not part of the state, because the state's lock is held while the names are exchanged. Appends must
    // not wait for that lock.
    private let publishedFlag = Atomic(false)

    init(oldFile: ArchiveFile, newFile: ArchiveFile, in directory: any DirectoryProtocol) {
        self.oldFile = oldFile
        self.newFile = newFile
        self.directory = directory
    }

    /// Cancels the exchange unless the names have already been exchanged.
    ///
    /// - Returns: Whether the names have already been exchanged.
    func cancel() -> Bool {
        state.withLock { state in
            if state == .waiting { state = .cancelled }
            return state == .exchanged
        }
    }

    /// Whether the new file durably has the archive's name. The old file then needs no further records.
    ///
    /// Once this is `true`, a backup made with hard links may contain the new file.
    var isPublished: Bool { publishedFlag.load(ordering: .acquiring) }

    /// Makes the new file durable, exchanges the names durably, and removes the old file.
    ///
    /// If another program has replaced or changed the old file, that program's file is given the archive's name again,
    /// as if the change had happened after the exchange. This function may be called on any thread.
    func run() -> CompactionResult {
        do throws(IOError) {
            try newFile.synchronizeData()
            guard try exchange() else {
                removeNewFile()
                return .failed(.aborted(reason: "it was no longer needed"))
            }
        } catch {
            removeNewFile()
            // See renameat2(2).
            let isUnsupported =
                error.operation == .rename && [EINVAL, ENOSYS, EOPNOTSUPP].contains(error.code)
            return .failed(isUnsupported ? .unsupported : .aborted(reason: error.description))
        }
        do throws(IOError) {
            try directory.synchronize()
            publishedFlag.store(true, ordering: .releasing)
            guard
                let replacedFileStatus = try directory.status(
                    of: StateDirectoryLayout.compactedArchiveName)
            else {
                return .published(isForeignFileRestored: false)
            }
            guard replacedFileStatus.isSameFile(as: try oldFile.file.status()),
                try oldFile.readBack() != nil
            else {
                try directory.rename(
                    StateDirectoryLayout.compactedArchiveName,
                    to: StateDirectoryLayout.archiveFileName)
                return .published(isForeignFileRestored: true)
            }
            try directory.remove(StateDirectoryLayout.compactedArchiveName)
        } catch {
            return .failed(.unpublished(error))
        }
        return .published(isForeignFileRestored: false)
    }

    /// Removes the new file, which would only use disk space. If that fails, the next load removes it.
    private func removeNewFile() {
        do throws(IOError) { try CompactionLeftover(directory: directory).remove(newFile) } catch {}
    }

    /// Exchanges the names unless the exchange has been cancelled.
    private func exchange() throws(IOError) -> Bool {
        try state.withLock { state throws(IOError) in
            guard state == .waiting else { return false }
            try directory.exchange(
                StateDirectoryLayout.archiveFileName,
                with: StateDirectoryLayout.compactedArchiveName)
            state = .exchanged
            return true
        }
    }
}
