import CLinux
import Glibc

extension Directory {
    /// The most names that ``names()`` returns before it refuses with `EFBIG`.
    package static let mostNames = 1_000_000

    /// The names of all entries but `.` and `..`, sorted by their bytes.
    ///
    /// A name that is no UTF-8 is left out: nothing here ever makes one.
    package func names() throws(IOError) -> [String] {
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
                String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard let name, name != ".", name != ".." else { continue }
            if names.count == Self.mostNames { throw IOError(.list, path: path, code: EFBIG) }
            names.append(name)
        }
    }

    /// Gives an entry another name, replacing what has it, see rename(2).
    ///
    /// Durable only after ``synchronize()`` of the folders of both names.
    package func rename(_ name: String, to newName: String) throws(IOError) {
        try IOError.check(.rename, path: pathOf(name)) {
            renameat(descriptor.rawValue, name, descriptor.rawValue, newName)
        }
    }

    /// Exchanges what two names stand for, at once, see renameat2(2) and `RENAME_EXCHANGE`; both must
    /// be there.
    ///
    /// Durable only after ``synchronize()``.
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

    /// What is under a name, following symbolic links; `nil` if nothing is.
    package func status(of name: String) throws(IOError) -> FileStatus? {
        try status(of: name, flags: 0)
    }

    /// What is under a name, a symbolic link being one; `nil` if nothing is.
    package func entryStatus(of name: String) throws(IOError) -> FileStatus? {
        try status(of: name, flags: AT_SYMLINK_NOFOLLOW)
    }

    private func status(of name: String, flags: CInt) throws(IOError) -> FileStatus? {
        var raw = stat()
        let result = try IOError.checkExisting(.status, path: pathOf(name)) {
            fstatat(descriptor.rawValue, name, &raw, flags)
        }
        return result == nil ? nil : FileStatus(raw)
    }

    /// Takes the folder's exclusive lock without waiting, see flock(2); false if it is taken.
    ///
    /// It is held until this folder is closed, or the process ends.
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
}

extension Directory {
    /// Creates a file with mode 0600 and opens it for reading and so that each write goes to its
    /// end; one of that name is `EEXIST`.
    ///
    /// Its name is durable only after ``synchronize()`` of this folder.
    package func createFile(_ name: String) throws(IOError) -> File {
        let path = pathOf(name)
        let number = try IOError.check(.create, path: path) {
            openat(
                descriptor.rawValue, name, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        }
        return File(OwnedDescriptor(number), path: path)
    }

    /// Opens a file for reading and so that each write goes to its end; `nil` if there is none.
    package func openForAppending(_ name: String) throws(IOError) -> File? {
        try open(name, flags: O_RDWR | O_APPEND)
    }

    /// Reads a whole file; `nil` if there is none.
    ///
    /// - Parameter limit: the largest length accepted, in bytes; a longer file is `EFBIG`. What is
    ///   no regular file is `EINVAL`.
    package func read(_ name: String, limit: Int) throws(IOError) -> [UInt8]? {
        try open(name, flags: O_RDONLY)?.readWhole(limit: limit)
    }

    private func open(_ name: String, flags: CInt) throws(IOError) -> File? {
        let path = pathOf(name)
        // O_NONBLOCK: a FIFO of that name would otherwise wait for its other end.
        let number = try IOError.checkExisting(.open, path: path) {
            openat(descriptor.rawValue, name, flags | O_CLOEXEC | O_NONBLOCK)
        }
        guard let number else { return nil }
        return File(OwnedDescriptor(number), path: path)
    }
}
