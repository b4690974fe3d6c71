import CLinux
import Glibc
import Synchronization
import SystemPackage

/// An open regular file, which is closed when the last reference to it is released.
///
/// If a ``Directory`` created the file or opened it for appending, ``write(_:)`` appends to it.
package final class File: Sendable {
    /// Path used to open the file, for error messages. The file may have been renamed since.
    package let path: String
    let descriptor: OwnedDescriptor
    /// Whether `O_APPEND` is cleared on the descriptor. A call to ``write(_:at:)`` clears it.
    private let isOverwriting = Atomic(false)

    init(_ descriptor: consuming OwnedDescriptor, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    /// Opens a file by path for reading, or returns `nil` if it does not exist.
    ///
    /// Opening never blocks on a FIFO, and never makes a terminal the controlling terminal.
    package static func open(_ path: String) throws(IOError) -> File? {
        try IOError.checkIfExists(.open, path: path) {
            Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        }.map { File(OwnedDescriptor($0), path: path) }
    }

    /// Writes all bytes, continuing after interrupted and short writes.
    ///
    /// After an error, any prefix of the bytes may have been written.
    package func write(_ bytes: [UInt8]) throws(IOError) {
        try setOverwrites(false)
        let code = writeAll(bytes) { part in
            let count = Glibc.write(descriptor.rawValue, part.baseAddress, part.count)
            return (count, count < 0 ? errno : 0)
        }
        if let code { throw IOError(.write, path: path, code: code) }
    }

    /// Writes all bytes at an offset (see pwrite(2)), continuing after interrupted and short writes.
    ///
    /// After an error, any prefix of the bytes may have been written. Only one thread at a time may write.
    package func write(_ bytes: [UInt8], at offset: Int) throws(IOError) {
        // On Linux, pwrite(2) ignores the offset if the descriptor has O_APPEND.
        try setOverwrites(true)
        var offset = offset
        let code = writeAll(bytes) { part in
            let count = pwrite(
                descriptor.rawValue, part.baseAddress, part.count, off_t(offset))
            offset += max(0, count)
            return (count, count < 0 ? errno : 0)
        }
        if let code { throw IOError(.write, path: path, code: code) }
    }

    /// Clears `O_APPEND` before bytes are overwritten, or sets it before bytes are appended.
    private func setOverwrites(_ overwrites: Bool) throws(IOError) {
        guard isOverwriting.load(ordering: .relaxed) != overwrites else { return }
        try check(.write) { fcntl(descriptor.rawValue, F_SETFL, overwrites ? 0 : O_APPEND) }
        isOverwriting.store(overwrites, ordering: .relaxed)
    }

    /// Makes the contents and attributes durable (see fsync(2)).
    ///
    /// After an error, the file must no longer be used, because a later call may succeed although earlier writes were
    /// lost.
    package func synchronize() throws(IOError) {
        try check(.synchronize) { fsync(descriptor.rawValue) }
    }

    /// Makes the contents durable (see fdatasync(2)).
    ///
    /// After an error, the file must no longer be used (see ``synchronize()``).
    package func synchronizeData() throws(IOError) {
        try check(.synchronize) { fdatasync(descriptor.rawValue) }
    }

    /// Truncates or extends the file to a length in bytes (see ftruncate(2)).
    package func truncate(to length: Int) throws(IOError) {
        try check(.truncate) { ftruncate(descriptor.rawValue, off_t(length)) }
    }

    /// Allows every user to read the file (see fchmod(2)).
    package func makeReadableByAll() throws(IOError) {
        try check(.status) { fchmod(descriptor.rawValue, 0o644) }
    }

    /// Returns the current status of the file, without times.
    package func status() throws(IOError) -> FileStatus {
        var rawStatus = statx()
        try check(.status) {
            linux_statx_at(
                descriptor.rawValue, "", linux_at_empty_path, FileStatus.maskWithoutTimes,
                &rawStatus)
        }
        return FileStatus(rawStatus)
    }

    /// Sets the modification and access times of the file (see futimens(3)).
    ///
    /// - Parameter time: The time in microseconds since 1970-01-01 UTC.
    package func setModificationTime(_ time: Int64) throws(IOError) {
        var (seconds, microseconds) = time.quotientAndRemainder(dividingBy: 1_000_000)
        if microseconds < 0 { (seconds, microseconds) = (seconds - 1, microseconds + 1_000_000) }
        let time = timespec(tv_sec: Int(seconds), tv_nsec: 1000 * Int(microseconds))
        try check(.status) { futimens(descriptor.rawValue, [time, time]) }
    }

    /// Reads bytes from an offset, returning fewer than requested only at the end of the file.
    package func read(from offset: Int, upTo byteCount: Int) throws(IOError) -> [UInt8] {
        var bytes = try readPart(at: offset, upTo: byteCount)
        while bytes.count < byteCount {
            let part = try readPart(at: offset + bytes.count, upTo: byteCount - bytes.count)
            if part.isEmpty { break }
            bytes += part
        }
        return bytes
    }

    /// Maximum number of bytes in a single read.
    ///
    /// The limit bounds memory use if a file is shorter than its reported size.
    private static let maximumReadBytes = 64 << 20

    /// Performs a single read, which returns no bytes at or after the end of the file.
    private func readPart(at offset: Int, upTo byteCount: Int) throws(IOError) -> [UInt8] {
        var errorNumber: CInt = 0
        var readByteCount = 0
        let byteCount = min(byteCount, Self.maximumReadBytes)
        let bytes = [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, initializedCount in
            repeat {
                readByteCount = pread(
                    descriptor.rawValue, buffer.baseAddress, byteCount, off_t(offset))
                errorNumber = readByteCount < 0 ? errno : 0
            } while errorNumber == EINTR
            initializedCount = max(0, readByteCount)
        }
        if readByteCount < 0 { throw IOError(.read, path: path, code: errorNumber) }
        return bytes
    }

    private func check(
        _ operation: IOError.Operation, _ call: () -> CInt
    ) throws(IOError) {
        try IOError.check(operation, path: path, call)
    }
}

/// A file descriptor with a single owner. It is closed when this value is destroyed.
package struct OwnedDescriptor: ~Copyable, Sendable {
    private let descriptor: FileDescriptor

    /// Takes ownership of an open descriptor, which no other code may close.
    package init(_ rawValue: CInt) { descriptor = FileDescriptor(rawValue: rawValue) }

    deinit {
        // Linux releases the descriptor even if close(2) reports an error, so the call must not be repeated. Contents
        // that must be durable were synced earlier, and errors were reported then.
        do { try descriptor.close() } catch {}
    }

    /// Number of the descriptor, valid while this value exists.
    package var rawValue: CInt { descriptor.rawValue }
}

/// Writes all bytes by repeatedly calling a function like write(2).
///
/// - Parameter write: A closure that writes a prefix of its argument and returns the length of the prefix, or a
///   negative number and an errno. After `EINTR`, the call is repeated; a length of 0 counts as `EIO`.
/// - Returns: `nil` if all bytes were written, or the errno. After an error, any prefix of the bytes may have been
///   written.
package func writeAll(
    _ bytes: [UInt8],
    using write: (UnsafeRawBufferPointer) -> (count: Int, code: CInt)
) -> CInt? {
    bytes.withUnsafeBytes { buffer in
        var writtenByteCount = 0
        while writtenByteCount < buffer.count {
            let result = write(UnsafeRawBufferPointer(rebasing: buffer[writtenByteCount...]))
            if result.count > 0 {
                writtenByteCount += result.count
            } else if result.count == 0 {
                return EIO
            } else if result.code != EINTR {
                return result.code
            }
        }
        return nil
    }
}
