import CLinux
import Glibc

/// An open directory.
///
/// Operations refer to the opened directory, even if it is renamed or replaced by another directory. The directory is
/// closed and its lock is released when the last reference to this object is released.
package final class Directory: Sendable {
    /// Path used to open the directory, for error messages.
    package let path: String
    let descriptor: OwnedDescriptor

    init(_ descriptor: consuming OwnedDescriptor, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    /// Opens a directory by path, or returns `nil` if it does not exist.
    package static func open(_ path: String) throws(IOError) -> Directory? {
        try open(path, in: AT_FDCWD, displayedAs: path)
    }

    /// Opens a directory by path, durably creating it and its parents if they do not exist.
    ///
    /// Search permission is sufficient for existing parents, except for the parent in which a directory is created.
    package static func openOrCreate(_ path: String) throws(IOError) -> Directory {
        if let directory = try open(path) { return directory }
        let components = path.split(separator: "/").filter { $0 != "." }
        guard let name = components.last else {
            throw IOError(.openDirectory, path: path, code: ENOENT)
        }
        let parentPath = components.dropLast().joined(separator: "/")
        let parent = try openOrCreate(
            path.hasPrefix("/") ? "/\(parentPath)" : parentPath.isEmpty ? "." : parentPath)
        let directory = try parent.openOrCreateSubdirectory(String(name))
        try parent.synchronize()
        return directory
    }

    /// Opens a subdirectory, or returns `nil` if it does not exist.
    package func openSubdirectory(_ name: String) throws(IOError) -> Directory? {
        try Self.open(name, in: descriptor.rawValue, displayedAs: entryPath(name))
    }

    /// Opens a subdirectory, creating it if it does not exist.
    ///
    /// The directory entry of a new subdirectory is not durable yet.
    package func openOrCreateSubdirectory(_ name: String) throws(IOError) -> Directory {
        do throws(IOError) {
            return try createSubdirectory(name)
        } catch  where error.code == EEXIST {
            // The entry existed before, or another process has just created it. If it is not a directory, opening it
            // fails.
            return try openExistingSubdirectory(name)
        }
    }

    /// Creates a subdirectory with mode 0700 and opens it.
    ///
    /// The new entry is not durable yet.
    ///
    /// - Throws: `EEXIST` if an entry with this name exists, even if it is a symbolic link.
    package func createSubdirectory(_ name: String) throws(IOError) -> Directory {
        try IOError.check(.createDirectory, path: entryPath(name)) {
            mkdirat(descriptor.rawValue, name, 0o700)
        }
        let directory: Directory
        do throws(IOError) {
            directory = try openExistingSubdirectory(name, flags: O_NOFOLLOW)
        } catch  where error.code == EACCES {
            // The umask removed the owner's permissions.
            _ = fchmodat(descriptor.rawValue, name, 0o700, AT_SYMLINK_NOFOLLOW)
            directory = try openExistingSubdirectory(name, flags: O_NOFOLLOW)
        }
        // The umask may have cleared bits of the mode.
        _ = fchmod(directory.descriptor.rawValue, 0o700)
        return directory
    }

    /// Removes an empty subdirectory if it exists.
    package func removeSubdirectory(_ name: String) throws(IOError) {
        _ = try IOError.checkIfExists(.remove, path: entryPath(name)) {
            unlinkat(descriptor.rawValue, name, AT_REMOVEDIR)
        }
    }

    private func openExistingSubdirectory(
        _ name: String, flags: CInt = 0
    ) throws(IOError) -> Directory {
        let path = entryPath(name)
        guard
            let directory = try Self.open(
                name, in: descriptor.rawValue, flags: flags, displayedAs: path)
        else { throw IOError(.openDirectory, path: path, code: ENOENT) }
        return directory
    }

    /// Makes the directory's entries durable (see fsync(2)).
    package func synchronize() throws(IOError) {
        try IOError.check(.synchronizeDirectory, path: path) { fsync(descriptor.rawValue) }
    }

    /// Returns the path of an entry, for error messages.
    func entryPath(_ name: String) -> String { path.appendingPath(name) }

    private static func open(
        _ name: String, in directoryDescriptor: CInt, flags: CInt = 0,
        displayedAs displayPath: String
    ) throws(IOError) -> Directory? {
        try IOError.checkIfExists(.openDirectory, path: displayPath) {
            openat(directoryDescriptor, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags)
        }.map { Directory(OwnedDescriptor($0), path: displayPath) }
    }
}

extension Directory {
    /// Checks whether the path that was used to open the directory still refers to it.
    ///
    /// A bind mount of the directory on its own path counts as the same directory.
    package func pathStatus() throws(IOError) -> DirectoryPathStatus {
        var openedStatus = stat()
        try IOError.check(.status, path: path) { fstat(descriptor.rawValue, &openedStatus) }
        if openedStatus.st_nlink == 0 { return .removed }
        var statusAtPath = stat()
        do throws(IOError) {
            guard
                try IOError.checkIfExists(.status, path: path, { stat(path, &statusAtPath) }) != nil
            else { return .otherDirectory }
        } catch  where [ENOTDIR, ELOOP].contains(error.code) {
            return .otherDirectory
        }
        return FileStatus(statusAtPath).isSameFile(as: FileStatus(openedStatus))
            ? .sameDirectory : .otherDirectory
    }

    // MARK: Entries

    /// Maximum number of entries that ``names()`` returns. If a directory has more entries, the method throws `EFBIG`.
    package static let maximumNameCount = 1_000_000

    /// Returns the names of all entries except `.` and `..`, in byte order.
    ///
    /// Names that are not valid UTF-8 are omitted, because this program never creates such names.
    package func names() throws(IOError) -> [String] { try names(repairsInvalidUTF8: false) }

    /// Returns the names of all entries except `.` and `..`, in byte order.
    ///
    /// - Parameters:
    ///   - repairsInvalidUTF8: Whether invalid UTF-8 in names is replaced with `\u{FFFD}`. Otherwise, these names are
    ///     omitted.
    ///   - maximumCount: The maximum number of names. If there are more names, the method throws `EFBIG`.
    package func names(
        repairsInvalidUTF8: Bool, maximumCount: Int = maximumNameCount
    ) throws(IOError) -> [String] {
        let descriptorNumber = try IOError.check(.list, path: path) {
            openat(descriptor.rawValue, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        }
        guard let stream = fdopendir(descriptorNumber) else {
            let code = errno
            close(descriptorNumber)
            throw IOError(.list, path: path, code: code)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                if errno != 0 { throw IOError(.list, path: path, code: errno) }
                return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                let name = bytes.prefix { $0 != 0 }
                return String(validating: name, as: UTF8.self)
                    ?? (repairsInvalidUTF8 ? String(decoding: name, as: UTF8.self) : nil)
            }
            guard let name, name != ".", name != ".." else { continue }
            if names.count == maximumCount { throw IOError(.list, path: path, code: EFBIG) }
            names.append(name)
        }
    }

    /// Renames an entry, replacing any entry that already has the new name (see rename(2)).
    ///
    /// The change is durable only after ``synchronize()`` has been called on the directories of both names.
    package func rename(_ name: String, to newName: String) throws(IOError) {
        try IOError.check(.rename, path: entryPath(name)) {
            renameat(descriptor.rawValue, name, descriptor.rawValue, newName)
        }
    }

    /// Exchanges two existing entries atomically (see renameat2(2)).
    ///
    /// The change is durable only after a call to ``synchronize()``.
    package func exchange(_ name: String, with otherName: String) throws(IOError) {
        try IOError.check(.rename, path: entryPath(name)) {
            renameat2(
                descriptor.rawValue, name, descriptor.rawValue, otherName, linux_rename_exchange)
        }
    }

    /// Removes a file, and returns whether it existed.
    @discardableResult
    package func remove(_ name: String) throws(IOError) -> Bool {
        try IOError.checkIfExists(.remove, path: entryPath(name)) {
            unlinkat(descriptor.rawValue, name, 0)
        } != nil
    }

    /// Returns the status of a file, without times, or `nil` if the file does not exist. Symbolic links are followed.
    package func status(of name: String) throws(IOError) -> FileStatus? {
        var rawStatus = statx()
        return try IOError.checkIfExists(.status, path: entryPath(name)) {
            linux_statx_at(descriptor.rawValue, name, 0, FileStatus.maskWithoutTimes, &rawStatus)
        }.map { _ in FileStatus(rawStatus) }
    }

    /// Returns the status of an entry without following symbolic links, or `nil` if the entry does not exist.
    package func entryStatus(of name: String) throws(IOError) -> FileStatus? {
        var rawStatus = stat()
        return try IOError.checkIfExists(.status, path: entryPath(name)) {
            fstatat(descriptor.rawValue, name, &rawStatus, AT_SYMLINK_NOFOLLOW)
        }.map { _ in FileStatus(rawStatus) }
    }

    /// Acquires an exclusive lock on the directory without waiting (see flock(2)).
    ///
    /// The lock is held until the directory is closed or the process ends.
    ///
    /// - Returns: `false` if another open directory, in this or another process, holds the lock.
    package func lock() throws(IOError) -> Bool {
        do throws(IOError) {
            try IOError.check(.lock, path: path) {
                flock(descriptor.rawValue, LOCK_EX | LOCK_NB)
            }
            return true
        } catch  where error.code == EWOULDBLOCK {
            return false
        }
    }

    /// Creates a file with mode 0600 and opens it for reading and appending.
    ///
    /// The new entry is durable only after a call to ``synchronize()``.
    ///
    /// - Throws: `EEXIST` if the name exists.
    package func createFile(_ name: String) throws(IOError) -> File {
        let path = entryPath(name)
        let descriptorNumber = try IOError.check(.create, path: path) {
            openat(
                descriptor.rawValue, name, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        }
        // The umask may have cleared bits of the mode.
        _ = fchmod(descriptorNumber, 0o600)
        return File(OwnedDescriptor(descriptorNumber), path: path)
    }

    /// Opens a file for reading and appending, or returns `nil` if it does not exist.
    package func openForAppending(_ name: String) throws(IOError) -> File? {
        try open(name, flags: O_RDWR | O_APPEND)
    }

    /// Opens a file for reading only, or returns `nil` if it does not exist.
    package func openForReading(_ name: String) throws(IOError) -> File? {
        try open(name, flags: O_RDONLY)
    }

    private func open(_ name: String, flags: CInt) throws(IOError) -> File? {
        let path = entryPath(name)
        // Without O_NONBLOCK, opening a FIFO would block until its other end is opened.
        return try IOError.checkIfExists(.open, path: path) {
            openat(descriptor.rawValue, name, flags | O_CLOEXEC | O_NONBLOCK)
        }.map { File(OwnedDescriptor($0), path: path) }
    }
}
