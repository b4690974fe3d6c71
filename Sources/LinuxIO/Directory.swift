import CLinux
import Glibc

/// An opened folder; what is done through it happens there even if it is renamed or another one
/// takes its name. Closed, and its lock freed, when the last reference to it goes away.
package final class Directory: Sendable {
    /// The path it was opened by, for errors.
    package let path: String
    let descriptor: OwnedDescriptor

    init(_ descriptor: consuming OwnedDescriptor, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    /// Opens a folder by its path; `nil` if there is none.
    package static func open(_ path: String) throws(IOError) -> Directory? {
        try open(path, in: AT_FDCWD, shownAs: path)
    }

    /// Opens a folder by its path, and makes it and every missing folder above it first, durably.
    ///
    /// Folders above that are there need not be readable: it is enough that they may be searched.
    package static func openOrMake(_ path: String) throws(IOError) -> Directory {
        if let folder = try open(path) { return folder }
        let components = path.split(separator: "/").filter { $0 != "." }
        guard let name = components.last else {
            throw IOError(.openFolder, path: path, code: ENOENT)
        }
        let above = components.dropLast().joined(separator: "/")
        let parent = try openOrMake(path.hasPrefix("/") ? "/\(above)" : above.isEmpty ? "." : above)
        let folder = try parent.makeSubfolder(String(name))
        try parent.synchronize()
        return folder
    }

    /// Opens a folder within this one; `nil` if there is none.
    package func subfolder(_ name: String) throws(IOError) -> Directory? {
        try Self.open(name, in: descriptor.rawValue, shownAs: pathOf(name))
    }

    /// Makes a folder within this one, unless it is there, and opens it; not durable yet.
    package func makeSubfolder(_ name: String) throws(IOError) -> Directory {
        do throws(IOError) {
            return try createSubfolder(name)
        } catch  where error.operation == .makeFolder && error.code == EEXIST {
            // Somebody was faster, or it has been there all the time: opening it tells.
            return try existingSubfolder(name)
        }
    }

    /// Makes a new folder with mode 0700 within this one and opens it; not durable yet. An entry of this name, even a
    /// symbolic link, is an error with the code `EEXIST`.
    package func createSubfolder(_ name: String) throws(IOError) -> Directory {
        try IOError.check(.makeFolder, path: pathOf(name)) {
            mkdirat(descriptor.rawValue, name, 0o700)
        }
        let folder: Directory
        do throws(IOError) {
            folder = try existingSubfolder(name, flags: O_NOFOLLOW)
        } catch  where error.code == EACCES {
            // The umask took the permissions away.
            _ = fchmodat(descriptor.rawValue, name, 0o700, AT_SYMLINK_NOFOLLOW)
            folder = try existingSubfolder(name, flags: O_NOFOLLOW)
        }
        // The umask may have cleared bits of the mode.
        _ = fchmod(folder.descriptor.rawValue, 0o700)
        return folder
    }

    /// Removes an empty folder within this one, if it exists.
    package func removeSubfolder(_ name: String) throws(IOError) {
        _ = try IOError.checkExisting(.remove, path: pathOf(name)) {
            unlinkat(descriptor.rawValue, name, AT_REMOVEDIR)
        }
    }

    private func existingSubfolder(
        _ name: String, flags: CInt = 0
    ) throws(IOError) -> Directory {
        let path = pathOf(name)
        guard
            let folder = try Self.open(name, in: descriptor.rawValue, flags: flags, shownAs: path)
        else { throw IOError(.openFolder, path: path, code: ENOENT) }
        return folder
    }

    /// Returns when the folder's entries are durable, see fsync(2).
    package func synchronize() throws(IOError) {
        try IOError.check(.synchronizeFolder, path: path) { fsync(descriptor.rawValue) }
    }

    func pathOf(_ name: String) -> String { path.appendingPath(name) }

    private static func open(
        _ name: String, in folder: CInt, flags: CInt = 0, shownAs shown: String
    ) throws(IOError) -> Directory? {
        try IOError.checkExisting(.openFolder, path: shown) {
            openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags)
        }.map { Directory(OwnedDescriptor($0), path: shown) }
    }
}

extension Directory {
    /// What the path that the folder was opened by stands for now. A folder mounted a second time
    /// on its own path is the same one.
    package func standing() throws(IOError) -> FolderStanding {
        var own = stat()
        try IOError.check(.status, path: path) { fstat(descriptor.rawValue, &own) }
        if own.st_nlink == 0 { return .removed }
        var there = stat()
        do throws(IOError) {
            guard
                try IOError.checkExisting(.status, path: path, { stat(path, &there) }) != nil
            else { return .other }
        } catch  where [ENOTDIR, ELOOP].contains(error.code) {
            return .other
        }
        return FileStatus(there).isSameFile(as: FileStatus(own)) ? .same : .other
    }

    // MARK: Entries

    /// The most names that ``names()`` returns before it refuses with `EFBIG`.
    package static let mostNames = 1_000_000

    /// The names of all entries but `.` and `..`, sorted by their bytes. One that is no UTF-8 is
    /// left out: nothing here ever makes one.
    package func names() throws(IOError) -> [String] { try names(isRepaired: false) }

    /// The same, in which a name that is no UTF-8 has `\u{FFFD}` for what is none if it is repaired.
    package func names(isRepaired: Bool) throws(IOError) -> [String] {
        let number = try IOError.check(.list, path: path) {
            openat(descriptor.rawValue, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        }
        guard let stream = fdopendir(number) else {
            let code = errno
            close(number)
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
                    ?? (isRepaired ? String(decoding: name, as: UTF8.self) : nil)
            }
            guard let name, name != ".", name != ".." else { continue }
            if names.count == Self.mostNames { throw IOError(.list, path: path, code: EFBIG) }
            names.append(name)
        }
    }

    /// Gives an entry another name, replacing what has it, see rename(2). Durable only after
    /// ``synchronize()`` of the folders of both names.
    package func rename(_ name: String, to newName: String) throws(IOError) {
        try IOError.check(.rename, path: pathOf(name)) {
            renameat(descriptor.rawValue, name, descriptor.rawValue, newName)
        }
    }

    /// Exchanges what two names stand for, at once, see renameat2(2); both must be there. Durable
    /// only after ``synchronize()``.
    package func exchange(_ name: String, with other: String) throws(IOError) {
        try IOError.check(.rename, path: pathOf(name)) {
            renameat2(
                descriptor.rawValue, name, descriptor.rawValue, other, linux_rename_exchange)
        }
    }

    /// Removes a file's name; false if there was none.
    @discardableResult
    package func remove(_ name: String) throws(IOError) -> Bool {
        try IOError.checkExisting(.remove, path: pathOf(name)) {
            unlinkat(descriptor.rawValue, name, 0)
        } != nil
    }

    /// Status of the file under a name, following symbolic links; `nil` if there is none.
    package func status(of name: String) throws(IOError) -> FileStatus? {
        try status(of: name, flags: 0)
    }

    /// Status of the entry under a name, which may be a symbolic link; `nil` if there is none.
    package func entryStatus(of name: String) throws(IOError) -> FileStatus? {
        try status(of: name, flags: AT_SYMLINK_NOFOLLOW)
    }

    private func status(of name: String, flags: CInt) throws(IOError) -> FileStatus? {
        var raw = stat()
        return try IOError.checkExisting(.status, path: pathOf(name)) {
            fstatat(descriptor.rawValue, name, &raw, flags)
        }.map { _ in FileStatus(raw) }
    }

    /// Takes the folder's exclusive lock without waiting, see flock(2), until this folder is
    /// closed, or the process ends; false if it is taken.
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

    /// Creates a file with mode 0600 and opens it for reading and so that each write goes to its
    /// end; one of that name is `EEXIST`. Its name is durable only after ``synchronize()``.
    package func createFile(_ name: String) throws(IOError) -> File {
        let path = pathOf(name)
        let number = try IOError.check(.create, path: path) {
            openat(
                descriptor.rawValue, name, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        }
        // The umask may have cleared bits of the mode.
        _ = fchmod(number, 0o600)
        return File(OwnedDescriptor(number), path: path)
    }

    /// Opens a file for reading and so that each write goes to its end; `nil` if there is none.
    package func openForAppending(_ name: String) throws(IOError) -> File? {
        try open(name, flags: O_RDWR | O_APPEND)
    }

    /// Opens a file for reading alone; `nil` if there is none.
    package func openForReading(_ name: String) throws(IOError) -> File? {
        try open(name, flags: O_RDONLY)
    }

    private func open(_ name: String, flags: CInt) throws(IOError) -> File? {
        let path = pathOf(name)
        // O_NONBLOCK: a FIFO of that name would otherwise wait for its other end.
        return try IOError.checkExisting(.open, path: path) {
            openat(descriptor.rawValue, name, flags | O_CLOEXEC | O_NONBLOCK)
        }.map { File(OwnedDescriptor($0), path: path) }
    }
}
