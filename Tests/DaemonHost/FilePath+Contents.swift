import Glibc
package import SystemPackage

extension FilePath {
    /// Reads the bytes of the file.
    package func read() throws -> [UInt8] {
        let file = try FileDescriptor.open(self, .readOnly)
        return try file.closeAfter {
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = try buffer.withUnsafeMutableBytes { try file.read(into: $0) }
                guard count > 0 else { return bytes }
                bytes += buffer.prefix(count)
            }
        }
    }

    /// Reads the text of the file.
    package func text() throws -> String { String(decoding: try read(), as: UTF8.self) }

    /// Length of the file, in bytes.
    package var byteCount: Int {
        get throws {
            var status = Glibc.stat()
            guard lstat(string, &status) == 0 else { throw Errno(rawValue: errno) }
            return Int(status.st_size)
        }
    }

    /// Writes or overwrites the file. Its directory must exist.
    package func write(_ bytes: some Sequence<UInt8>) throws {
        let file = try FileDescriptor.open(
            self, .writeOnly, options: [.create, .truncate],
            permissions: [.ownerReadWrite, .groupRead, .otherRead])
        _ = try file.closeAfter { try file.writeAll(bytes) }
    }

    /// Creates the directory. Its parent directory must exist.
    package func createDirectory() throws {
        guard mkdir(string, 0o755) == 0 else { throw Errno(rawValue: errno) }
    }

    /// Whether a socket is at the path.
    package var isSocket: Bool {
        var status = Glibc.stat()
        return lstat(string, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }

    /// Names of the entries in the directory, in order. Empty if the directory does not exist.
    package var entries: [String] {
        guard let directory = opendir(string) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}
