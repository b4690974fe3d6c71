import Glibc

/// The few things that keeping a file safe needs of a file system.
///
/// ``Directory`` is the real one; tests use one in memory that fails where they want. Names are
/// single components, or paths relative to the folder that stay below it. What is "missing" is
/// answered with `nil` or false by every function that says so, and is an error in all others.
/// Nothing is durable before the matching `synchronize()` returned.
package protocol Folder: Sendable {
    /// An open file of this file system.
    associatedtype File: FolderFile

    /// The folder's path, for errors.
    var path: String { get }
    /// What the path stands for now.
    func standing() throws(IOError) -> FolderStanding
    /// Opens a folder within this one; `nil` if there is none.
    func subfolder(_ name: String) throws(IOError) -> Self?
    /// Makes a folder (0700) within this one, unless it is there, and opens it.
    func makeSubfolder(_ name: String) throws(IOError) -> Self
    /// The names of all entries, sorted by their bytes.
    func names() throws(IOError) -> [String]
    /// Opens a file for reading alone; `nil` if there is none.
    func openForReading(_ name: String) throws(IOError) -> File?
    /// Creates a file (0600) and opens it for reading and appending; `EEXIST` if the name is taken.
    func createFile(_ name: String) throws(IOError) -> File
    /// Opens a file for reading, and so that each write goes to its end; `nil` if there is none.
    func openForAppending(_ name: String) throws(IOError) -> File?
    /// Gives an entry another name, replacing what has it.
    func rename(_ name: String, to newName: String) throws(IOError)
    /// Exchanges what two names stand for, at once; `ENOENT` if one of them is missing.
    func exchange(_ name: String, with other: String) throws(IOError)
    /// What is under a name; `nil` if nothing is.
    func status(of name: String) throws(IOError) -> FileStatus?
    /// Status of the entry under a name, which may be a symbolic link; `nil` if there is none.
    func entryStatus(of name: String) throws(IOError) -> FileStatus?
    /// Removes a file's name; false if there was none.
    @discardableResult
    func remove(_ name: String) throws(IOError) -> Bool
    /// Returns when the folder's entries are durable.
    func synchronize() throws(IOError)
}

/// An open file of a ``Folder``.
package protocol FolderFile: Sendable {
    /// The file of the kernel's that this is; nil: it is none, as one in memory.
    var kernelFile: LinuxIO.File? { get }
    /// The path that it was opened by, for errors.
    var path: String { get }
    /// Writes all bytes at the end; after an error any prefix of them may have been written.
    func write(_ bytes: [UInt8]) throws(IOError)
    /// Reads from an offset on, as many bytes as are there and no more than this.
    func read(from offset: Int, upTo byteCount: Int) throws(IOError) -> [UInt8]
    /// The file's present status.
    func status() throws(IOError) -> FileStatus
    /// Says that the content was changed last at a time: microseconds since 1970, UTC.
    func setModified(_ time: Int64) throws(IOError)
    /// Cuts the file to a length in bytes.
    func truncate(to length: Int) throws(IOError)
    /// Returns when content and attributes are durable; after an error the file must be given up.
    func synchronize() throws(IOError)
    /// Returns when the content is durable; after an error the file must be given up.
    func synchronizeData() throws(IOError)
}

extension Folder {
    /// For file systems whose folders keep their paths.
    package func standing() throws(IOError) -> FolderStanding { .same }

    /// Reads a whole file, see ``FolderFile/readWhole(limit:)``; `nil` if there is none.
    package func read(_ name: String, limit: Int) throws(IOError) -> [UInt8]? {
        try openForReading(name)?.readWhole(limit: limit)
    }

    /// For file systems without symbolic links.
    package func entryStatus(of name: String) throws(IOError) -> FileStatus? {
        try status(of: name)
    }

    /// Puts a whole new file in the place of the one of that name, if there is one.
    ///
    /// Writes a temporary file beside it, makes it durable, renames it and makes the folder
    /// durable. After an error the name holds either the old or the new content, whole.
    ///
    /// - Parameter temporary: the name of the temporary file; a left-over one is removed first.
    /// - Parameter modified: the time of its last change that the new file tells, as of
    ///   ``FolderFile/setModified(_:)``; nil: the present one.
    /// - Parameter willRename: told of the new file before it gets the name, which it keeps by
    ///   throwing.
    /// - Returns: the new file, open.
    @discardableResult
    package func replace(
        _ name: String, with bytes: [UInt8], temporary: String, modified: Int64? = nil,
        willRename: ((FileStatus) throws(IOError) -> Void)? = nil
    ) throws(IOError) -> File {
        try remove(temporary)
        let file: File
        do throws(IOError) {
            file = try writeNew(temporary, bytes, modified: modified)
            if let willRename { try willRename(file.status()) }
            try rename(temporary, to: name)
        } catch {
            // The first error is the one to report; what stays is removed by the next attempt.
            do { try remove(temporary) } catch {}
            throw error
        }
        try synchronize()
        return file
    }

    /// Creates a file with this content, durable but for its name.
    ///
    /// After an error a part of it may be left.
    ///
    /// - Returns: the file, open.
    @discardableResult
    package func writeNew(
        _ name: String, _ bytes: [UInt8], modified: Int64? = nil
    ) throws(IOError) -> File {
        let file = try createFile(name)
        try file.write(bytes)
        if let modified { try file.setModified(modified) }
        try file.synchronize()
        return file
    }
}

extension Directory: Folder {}
extension File: FolderFile {
    package var kernelFile: File? { self }
}

extension FolderFile {
    package var kernelFile: LinuxIO.File? { nil }

    /// For file systems that keep no times.
    package func setModified(_ time: Int64) throws(IOError) {}

    /// Reads the first bytes, as many as are there and no more than this.
    package func read(upTo byteCount: Int) throws(IOError) -> [UInt8] {
        try read(from: 0, upTo: byteCount)
    }

    /// Reads from the start to the end. A file of more bytes than the limit is `EFBIG`, and what is
    /// no regular file `EINVAL`.
    package func readWhole(limit: Int) throws(IOError) -> [UInt8] {
        let status = try status()
        if status.kind != .file { throw IOError(.read, path: path, code: EINVAL) }
        if status.size > limit { throw IOError(.read, path: path, code: EFBIG) }
        // One byte more than the file has, so that its growing is seen.
        var bytes = try read(upTo: status.size + 1)
        var wanted = status.size + 1
        while bytes.count == wanted {
            if bytes.count > limit { throw IOError(.read, path: path, code: EFBIG) }
            wanted = max(4096, 2 * wanted)
            bytes += try read(from: bytes.count, upTo: wanted - bytes.count)
        }
        if bytes.count > limit { throw IOError(.read, path: path, code: EFBIG) }
        return bytes
    }
}

/// What the path of an opened folder stands for now.
package enum FolderStanding: Sendable, Equatable {
    /// That folder.
    case same
    /// Something else, or nothing: the folder or one above it was renamed, or a file system was
    /// mounted or unmounted there.
    case other
    /// Nothing of it any more: the folder was removed. What is opened can never be put back.
    case removed
}
