import Glibc

/// The little that reading a configuration needs of a file system.
///
/// "Missing" means that the path names nothing, also because a folder on the way is missing or is
/// no folder.
package protocol ConfigurationFiles: Sendable {
    /// Reads a whole file.
    ///
    /// - Parameter limit: The most bytes that are read; a larger file is an error.
    /// - Throws: ``FileReadError`` with the path.
    func read(_ path: String, limit: Int) throws(FileReadError) -> [UInt8]

    /// The names of what lies in a folder, in any order, without `.` and `..`.
    ///
    /// - Throws: ``FileReadError`` with the path.
    func names(in folder: String) throws(FileReadError) -> [String]
}

/// Why a file or a folder could not be read.
package struct FileReadError: Error, Sendable, Equatable {
    /// What stood in the way.
    package enum Reason: Sendable, Equatable {
        /// The path names nothing.
        case missing
        /// A file was asked for and the path names a folder.
        case isFolder
        /// A file was asked for and the path names a pipe, a socket or a device.
        case notAFile
        /// The file has more bytes than this limit.
        case tooLarge(limit: Int)
        /// The system refused; its `errno`.
        case system(errno: Int32)
    }

    /// The path as it was asked for.
    package let path: String
    /// What stood in the way.
    package let reason: Reason

    /// Makes an error.
    package init(path: String, reason: Reason) {
        self.path = path
        self.reason = reason
    }
}

extension FileReadError: CustomStringConvertible {
    /// One sentence: the path, what stood in the way, what to do.
    package var description: String {
        switch reason {
        case .missing:
            "\(path) does not exist: write it, or name another file."
        case .isFolder:
            "\(path) is a folder: name the file in it."
        case .notAFile:
            "\(path) is not a regular file: put one there, or name another file."
        case .tooLarge(let limit):
            "\(path) has more than \(limit) bytes: make it smaller or split it."
        case .system(let errno) where errno == EACCES || errno == EPERM:
            "\(path) cannot be read (\(String(cString: strerror(errno)))): "
                + "give the daemon's user the right to read it."
        case .system(let errno):
            "\(path) cannot be read (\(String(cString: strerror(errno)))): "
                + "correct that, or name another file."
        }
    }
}

/// The files of this machine, by `open(2)` and `read(2)`.
package struct LocalConfigurationFiles: ConfigurationFiles {
    /// The files of this machine.
    package init() {}

    /// Reads a whole file; follows symbolic links and never waits at a pipe or a device.
    package func read(_ path: String, limit: Int) throws(FileReadError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw Self.error(path) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.error(path) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw FileReadError(path: path, reason: .isFolder)
        default: throw FileReadError(path: path, reason: .notAFile)
        }
        guard status.st_size <= limit else {
            throw FileReadError(path: path, reason: .tooLarge(limit: limit))
        }
        return try Self.bytes(of: descriptor, path, limit: limit)
    }

    private static func bytes(
        of descriptor: Int32, _ path: String, limit: Int
    ) throws(FileReadError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw error(path)
            }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
            guard bytes.count <= limit else {
                throw FileReadError(path: path, reason: .tooLarge(limit: limit))
            }
        }
    }

    /// Lists a folder with `readdir(3)`.
    package func names(in folder: String) throws(FileReadError) -> [String] {
        guard let stream = opendir(folder) else { throw Self.error(folder) }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw Self.error(folder) }
                return names
            }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
    }

    private static func error(_ path: String) -> FileReadError {
        let number = errno
        let isMissing = number == ENOENT || number == ENOTDIR
        return FileReadError(path: path, reason: isMissing ? .missing : .system(errno: number))
    }
}
