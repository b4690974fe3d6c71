import Glibc
import LinuxIO
import Synchronization

/// Gives a compacted archive the name of the old one, while records are appended to both.
package final class ArchiveExchange: Sendable {
    private let old: any FolderFile
    private let new: ArchiveFile
    private let folder: any Folder
    private let name: String
    private let newName: String
    private let state = Mutex(State.waiting)

    private enum State {
        case waiting
        case cancelled
        case exchanged
    }

    init(
        old: ArchiveFile, new: ArchiveFile, in folder: any Folder, name: String, newName: String
    ) {
        self.old = old.file
        self.new = new
        self.folder = folder
        self.name = name
        self.newName = newName
    }

    /// After this no exchange happens any more.
    ///
    /// - Returns: whether it happened before.
    func cancel() -> Bool {
        state.withLock { state in
            if case .exchanged = state { return true }
            state = .cancelled
            return false
        }
    }

    /// Makes the new file durable, exchanges the names, makes that durable and removes the old file;
    /// on any thread. What had the name and was not the old file gets it back, as if it had come later.
    func run() -> CompactionResult {
        do throws(IOError) {
            try new.synchronizeData()
            guard try exchange() else {
                return .failed(.refused(reason: "it was not wanted any more"))
            }
        } catch {
            // It would only fill the disk; one that cannot be removed is, at the next load.
            do throws(IOError) { try CompactionLeftover(in: folder).remove(new) } catch {}
            return .failed(
                error.isUnknownExchange ? .unsupported : .refused(reason: error.description))
        }
        do throws(IOError) {
            try folder.synchronize()
            guard let out = try folder.status(of: newName) else {
                return .published(isForeignOut: false)
            }
            guard out.isSameFile(as: try old.status()) else {
                try folder.rename(newName, to: name)
                return .published(isForeignOut: true)
            }
            try folder.remove(newName)
        } catch {
            return .failed(.unpublished(error))
        }
        return .published(isForeignOut: false)
    }

    /// Exchanges the names, unless that was cancelled.
    private func exchange() throws(IOError) -> Bool {
        let result: Result<Bool, IOError> = state.withLock { state in
            guard case .waiting = state else { return .success(false) }
            do throws(IOError) {
                try folder.exchange(name, with: newName)
            } catch {
                return .failure(error)
            }
            state = .exchanged
            return .success(true)
        }
        return try result.get()
    }
}

extension IOError {
    /// Whether the file system cannot exchange names at all, see renameat2(2).
    fileprivate var isUnknownExchange: Bool {
        operation == .rename && [EINVAL, ENOSYS, EOPNOTSUPP].contains(code)
    }
}
