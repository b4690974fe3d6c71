import Glibc

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

    /// Opens a file for reading; `nil` if there is none.
    package func openForReading(_ name: String) throws(IOError) -> File? {
        try open(name, flags: O_RDONLY)
    }

    /// Reads a whole file; `nil` if there is none.
    ///
    /// - Parameter limit: the largest length accepted, in bytes; a longer file is `EFBIG`. What is
    ///   no regular file is `EINVAL`.
    package func read(_ name: String, limit: Int) throws(IOError) -> [UInt8]? {
        try openForReading(name)?.readWhole(limit: limit)
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
