import Glibc
import SystemPackage

/// An open regular file, closed when the last reference to it goes away.
///
/// Writes go where the descriptor stands: at the end, for the files that ``Directory`` creates and
/// those it opens for appending.
package final class File: Sendable {
    /// The path it was opened by, for errors; it may have been renamed since.
    package let path: String
    let descriptor: OwnedDescriptor

    init(_ descriptor: consuming OwnedDescriptor, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    /// Opens a file for reading by its path; `nil` if there is none. It never waits at a pipe, and
    /// takes no terminal over.
    package static func open(_ path: String) throws(IOError) -> File? {
        try IOError.checkExisting(.open, path: path) {
            Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        }.map { File(OwnedDescriptor($0), path: path) }
    }

    /// Writes all bytes, repeating interrupted and short writes.
    ///
    /// After an error the file may have taken any prefix of the bytes.
    package func write(_ bytes: [UInt8]) throws(IOError) {
        let code = writeWhole(bytes) { part in
            let count = Glibc.write(descriptor.rawValue, part.baseAddress, part.count)
            return (count, count < 0 ? errno : 0)
        }
        if let code { throw IOError(.write, path: path, code: code) }
    }

    /// Returns when content and attributes are durable, see fsync(2).
    ///
    /// After an error the file must be given up: a later success would not cover what was lost.
    package func synchronize() throws(IOError) {
        try check(.synchronize) { fsync(descriptor.rawValue) }
    }

    /// Returns when the content is durable, see fdatasync(2); errors as in ``synchronize()``.
    package func synchronizeData() throws(IOError) {
        try check(.synchronize) { fdatasync(descriptor.rawValue) }
    }

    /// Cuts the file to a length in bytes, see ftruncate(2).
    package func truncate(to length: Int) throws(IOError) {
        try check(.truncate) { ftruncate(descriptor.rawValue, off_t(length)) }
    }

    /// Lets every user read the file, see fchmod(2).
    package func makeReadableByAll() throws(IOError) {
        try check(.status) { fchmod(descriptor.rawValue, 0o644) }
    }

    /// The file's present status.
    package func status() throws(IOError) -> FileStatus {
        var raw = stat()
        try check(.status) { fstat(descriptor.rawValue, &raw) }
        return FileStatus(raw)
    }

    /// Says that the content was changed, and read, last at a time, see futimens(3).
    ///
    /// - Parameter time: microseconds since 1970, UTC.
    package func setModified(_ time: Int64) throws(IOError) {
        var (seconds, microseconds) = time.quotientAndRemainder(dividingBy: 1_000_000)
        if microseconds < 0 { (seconds, microseconds) = (seconds - 1, microseconds + 1_000_000) }
        let time = timespec(tv_sec: Int(seconds), tv_nsec: 1000 * Int(microseconds))
        try check(.status) { futimens(descriptor.rawValue, [time, time]) }
    }

    /// Reads from an offset on, as many bytes as are there and no more than this.
    package func read(from offset: Int, upTo byteCount: Int) throws(IOError) -> [UInt8] {
        var bytes = try readPart(at: offset, upTo: byteCount)
        while bytes.count < byteCount {
            let part = try readPart(at: offset + bytes.count, upTo: byteCount - bytes.count)
            if part.isEmpty { break }
            bytes += part
        }
        return bytes
    }

    /// Maximum length of one read. It bounds the memory for a file that is shorter than it claims.
    private static let largestPart = 64 << 20

    /// Reads once. Returns no bytes at or after the end of the file.
    private func readPart(at offset: Int, upTo byteCount: Int) throws(IOError) -> [UInt8] {
        var code: CInt = 0
        var count = 0
        let byteCount = min(byteCount, Self.largestPart)
        let bytes = [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, initialized in
            repeat {
                count = pread(descriptor.rawValue, buffer.baseAddress, byteCount, off_t(offset))
                code = count < 0 ? errno : 0
            } while code == EINTR
            initialized = max(0, count)
        }
        if count < 0 { throw IOError(.read, path: path, code: code) }
        return bytes
    }

    private func check(
        _ operation: IOError.Operation, _ call: () -> CInt
    ) throws(IOError) {
        try IOError.check(operation, path: path, call)
    }
}

/// A file descriptor with one owner, closed when its owner goes away.
package struct OwnedDescriptor: ~Copyable, Sendable {
    private let descriptor: FileDescriptor

    /// Takes over an open descriptor; nobody else may close it.
    package init(_ rawValue: CInt) { descriptor = FileDescriptor(rawValue: rawValue) }

    deinit {
        // Linux frees the number even when close(2) reports an error, so there is nothing to
        // repeat; what must be durable was synchronized, with its errors, before.
        do { try descriptor.close() } catch {}
    }

    /// The descriptor's number, valid while this value lives.
    package var rawValue: CInt { descriptor.rawValue }
}

/// Hands all bytes to a function like write(2), however little it takes at a time.
///
/// - Parameter write: writes a prefix of what it gets and returns its length, or a negative number
///   and the errno. `EINTR` is tried again; a length of 0 counts as `EIO`.
/// - Returns: `nil` when all was written, else the errno; how much was written is then unknown.
package func writeWhole(
    _ bytes: [UInt8],
    using write: (UnsafeRawBufferPointer) -> (count: Int, code: CInt)
) -> CInt? {
    bytes.withUnsafeBytes { whole in
        var written = 0
        while written < whole.count {
            let result = write(UnsafeRawBufferPointer(rebasing: whole[written...]))
            if result.count > 0 {
                written += result.count
            } else if result.count == 0 {
                return EIO
            } else if result.code != EINTR {
                return result.code
            }
        }
        return nil
    }
}
