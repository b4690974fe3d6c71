import Foundation

/// A file that bytes are appended to, and nothing else: what the disk alone takes.
final class BareFile {
    private let descriptor: CInt
    private let bytes: [UInt8]

    /// Makes the file, or empties it.
    ///
    /// - Parameter bytes: what an append appends.
    init(folder: String, _ bytes: [UInt8]) throws {
        descriptor = try check(
            open(Self.path(in: folder), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0o600))
        self.bytes = bytes
    }

    deinit { close(descriptor) }

    private static func path(in folder: String) -> String { folder + "/bare" }

    /// So many bytes to append.
    static func bytes(_ count: Int) -> [UInt8] { Array(repeating: 7, count: count) }

    /// Takes the file away, so that it is made anew.
    static func remove(in folder: String) throws {
        if unlink(path(in: folder)) != 0, errno != ENOENT { throw POSIXError(.EIO) }
    }

    /// What the file holds.
    static func read(in folder: String) throws -> [UInt8] {
        let file = try check(open(path(in: folder), O_RDONLY))
        defer { close(file) }
        var status = stat()
        _ = try check(fstat(file, &status))
        let size = Int(status.st_size)
        return try [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            count = try check(Glibc.read(file, buffer.baseAddress, size))
        }
    }

    func append() throws {
        guard try check(write(descriptor, bytes, bytes.count)) == bytes.count else {
            throw POSIXError(.EIO)
        }
    }

    func appendDurably() throws {
        try append()
        _ = try check(fdatasync(descriptor))
    }
}
