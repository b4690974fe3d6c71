import Glibc

/// A directory with the file system operations that durable storage needs.
///
/// ``Directory`` is the implementation for the real file system. Tests use an in-memory implementation whose operations
/// fail on demand.
///
/// Names are single components or relative paths to entries below the directory. If an entry does not exist, a method
/// throws an error unless its documentation says otherwise. Changes are durable only after the matching `synchronize()`
/// has returned.
package protocol DirectoryProtocol: Sendable {
    /// Type of an open file in this file system.
    associatedtype File: FileProtocol

    /// Path of the directory, for error messages.
    var path: String { get }
    /// Checks whether the path still refers to this directory.
    func pathStatus() throws(IOError) -> DirectoryPathStatus
    /// Opens a subdirectory, or returns `nil` if it does not exist.
    func openSubdirectory(_ name: String) throws(IOError) -> Self?
    /// Opens a subdirectory, creating it with mode 0700 if it does not exist.
    func openOrCreateSubdirectory(_ name: String) throws(IOError) -> Self
    /// Returns the names of all entries, in byte order.
    func names() throws(IOError) -> [String]
    /// Opens a file for reading only, or returns `nil` if it does not exist.
    func openForReading(_ name: String) throws(IOError) -> File?
    /// Creates a file with mode 0600 and opens it for reading and appending.
    ///
    /// - Throws: `EEXIST` if the name exists.
    func createFile(_ name: String) throws(IOError) -> File
    /// Opens a file for reading and appending, or returns `nil` if it does not exist.
    func openForAppending(_ name: String) throws(IOError) -> File?
    /// Renames an entry, replacing any entry that already has the new name.
    func rename(_ name: String, to newName: String) throws(IOError)
    /// Exchanges two entries atomically.
    ///
    /// - Throws: `ENOENT` if one of the entries does not exist.
    func exchange(_ name: String, with otherName: String) throws(IOError)
    /// Returns the status of a file, possibly without times, or `nil` if the file does not exist.
    func status(of name: String) throws(IOError) -> FileStatus?
    /// Returns the status of an entry without following symbolic links, or `nil` if the entry does not exist.
    func entryStatus(of name: String) throws(IOError) -> FileStatus?
    /// Removes a file, and returns whether it existed.
    @discardableResult
    func remove(_ name: String) throws(IOError) -> Bool
    /// Makes the directory's entries durable.
    func synchronize() throws(IOError)
}

/// An open file in a ``DirectoryProtocol``.
package protocol FileProtocol: Sendable {
    /// File with a kernel descriptor for the same bytes, or `nil` if there is none, for example because the file is in
    /// memory.
    var descriptorBackedFile: LinuxIO.File? { get }
    /// Path used to open the file, for error messages.
    var path: String { get }
    /// Whether ``write(_:at:)`` can overwrite bytes in the file.
    var canOverwrite: Bool { get }
    /// Appends all bytes.
    ///
    /// After an error, any prefix of the bytes may have been written.
    func write(_ bytes: [UInt8]) throws(IOError)
    /// Writes all bytes at an offset.
    ///
    /// After an error, any prefix of the bytes may have been written.
    ///
    /// - Throws: `EOPNOTSUPP` if ``canOverwrite`` is `false`.
    func write(_ bytes: [UInt8], at offset: Int) throws(IOError)
    /// Reads bytes from an offset, returning fewer than requested only at the end of the file.
    func read(from offset: Int, upTo byteCount: Int) throws(IOError) -> [UInt8]
    /// Returns the current status of the file, possibly without times.
    func status() throws(IOError) -> FileStatus
    /// Sets the modification time of the file, in microseconds since 1970-01-01 UTC.
    func setModificationTime(_ time: Int64) throws(IOError)
    /// Truncates or extends the file to a length in bytes.
    func truncate(to length: Int) throws(IOError)
    /// Makes the contents and attributes durable. After an error, the file must no longer be used.
    func synchronize() throws(IOError)
    /// Makes the contents durable. After an error, the file must no longer be used.
    func synchronizeData() throws(IOError)
}

extension DirectoryProtocol {
    /// Default implementation for file systems whose directories cannot be moved.
    package func pathStatus() throws(IOError) -> DirectoryPathStatus { .sameDirectory }

    /// Reads a whole file (see ``FileProtocol/readAll(limit:)``), or returns `nil` if it does not exist.
    package func read(_ name: String, limit: Int) throws(IOError) -> [UInt8]? {
        try openForReading(name)?.readAll(limit: limit)
    }

    /// Default implementation for file systems without symbolic links.
    package func entryStatus(of name: String) throws(IOError) -> FileStatus? {
        try status(of: name)
    }

    /// Creates a file or replaces an existing file atomically and durably.
    ///
    /// The method writes a temporary file in the same directory, makes it durable, renames it, and makes the directory
    /// durable. After an error, the name refers to either the complete old file or the complete new file.
    ///
    /// - Parameters:
    ///   - name: The name of the file.
    ///   - bytes: The new contents of the file.
    ///   - temporaryName: The name of the temporary file. An existing file with this name is removed first.
    ///   - modificationTime: The modification time of the new file (see ``FileProtocol/setModificationTime(_:)``), or
    ///     `nil` for the current time.
    ///   - willRename: A closure that is called with the status of the new file before the file is renamed. If the
    ///     closure throws an error, the old file is not replaced.
    /// - Returns: The new file, open for reading and appending.
    @discardableResult
    package func replace(
        _ name: String, with bytes: [UInt8], temporaryName: String, modificationTime: Int64? = nil,
        willRename: ((FileStatus) throws(IOError) -> Void)? = nil
    ) throws(IOError) -> File {
        try remove(temporaryName)
        let file: File
        do throws(IOError) {
            file = try writeNewFile(temporaryName, bytes, modificationTime: modificationTime)
            if let willRename { try willRename(file.status()) }
            try rename(temporaryName, to: name)
        } catch {
            // The original error is reported. If the temporary file remains, the next attempt removes it.
            do { try remove(temporaryName) } catch {}
            throw error
        }
        try synchronize()
        return file
    }

    /// Creates a file and makes its contents durable, but not its directory entry.
    ///
    /// After an error, an incomplete file may remain.
    ///
    /// - Returns: The new file, open for reading and appending.
    @discardableResult
    package func writeNewFile(
        _ name: String, _ bytes: [UInt8], modificationTime: Int64? = nil
    ) throws(IOError) -> File {
        let file = try createFile(name)
        try file.write(bytes)
        if let modificationTime { try file.setModificationTime(modificationTime) }
        try file.synchronize()
        return file
    }
}

extension Directory: DirectoryProtocol {}
extension File: FileProtocol {
    package var descriptorBackedFile: File? { self }
    package var canOverwrite: Bool { true }
}

extension FileProtocol {
    package var descriptorBackedFile: LinuxIO.File? { nil }

    /// Default implementation for append-only files.
    package var canOverwrite: Bool { false }

    /// Default implementation for append-only files.
    package func write(_ bytes: [UInt8], at offset: Int) throws(IOError) {
        throw IOError(.write, path: path, code: EOPNOTSUPP)
    }

    /// Default implementation for file systems that do not store times.
    package func setModificationTime(_ time: Int64) throws(IOError) {}

    /// Reads bytes from the start, returning fewer than requested only at the end of the file.
    package func read(upTo byteCount: Int) throws(IOError) -> [UInt8] {
        try read(from: 0, upTo: byteCount)
    }

    /// Reads the whole file.
    ///
    /// - Throws: `EFBIG` if the file is longer than the limit, or `EINVAL` if it is not a regular file.
    package func readAll(limit: Int) throws(IOError) -> [UInt8] {
        let status = try status()
        if status.kind != .file { throw IOError(.read, path: path, code: EINVAL) }
        if status.size > limit { throw IOError(.read, path: path, code: EFBIG) }
        // Requests one more byte than the file's size, to detect that the file is growing.
        var bytes = try read(upTo: status.size + 1)
        var requestedByteCount = status.size + 1
        while bytes.count == requestedByteCount {
            if bytes.count > limit { throw IOError(.read, path: path, code: EFBIG) }
            requestedByteCount = max(4096, 2 * requestedByteCount)
            bytes += try read(from: bytes.count, upTo: requestedByteCount - bytes.count)
        }
        if bytes.count > limit { throw IOError(.read, path: path, code: EFBIG) }
        return bytes
    }
}

/// Result of checking whether an open directory's path still refers to the directory.
package enum DirectoryPathStatus: Sendable, Equatable {
    /// The path refers to the open directory.
    case sameDirectory
    /// The path refers to a different file or directory, or does not exist.
    ///
    /// The directory or one of its parents was renamed, or a file system was mounted or unmounted on its path.
    case otherDirectory
    /// The open directory was removed and cannot be restored.
    case removed
}
