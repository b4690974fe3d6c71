import Glibc
import LinuxIO
import Synchronization

/// Simulated disk failures for a program under test.
public final class DiskFaults: Sendable {
    private let errorCode = Mutex<CInt?>(nil)

    init() {}

    /// Makes all further changes to the disk fail.
    ///
    /// The affected changes are writing to files, and creating, renaming, removing, truncating and synchronizing files
    /// and directories.
    ///
    /// - Parameter code: The error to report (see errno(3)), or `nil` for `ENOSPC`, which reports a full disk.
    public func fail(with code: CInt? = nil) { errorCode.withLock { $0 = code ?? ENOSPC } }

    /// Ends the simulated failure, so that changes to the disk succeed again.
    public func recover() { errorCode.withLock { $0 = nil } }

    fileprivate func throwIfFailing(_ operation: IOError.Operation, _ path: String) throws(IOError)
    {
        if let code = errorCode.withLock({ $0 }) {
            throw IOError(operation, path: path, code: code)
        }
    }
}

/// A directory in the file system. Changes to the directory fail while a disk failure is simulated.
struct FaultyDirectory: DirectoryProtocol {
    let directory: Directory
    let faults: DiskFaults

    var path: String { directory.path }

    func pathStatus() throws(IOError) -> DirectoryPathStatus { try directory.pathStatus() }

    func openSubdirectory(_ name: String) throws(IOError) -> FaultyDirectory? {
        try directory.openSubdirectory(name).map { FaultyDirectory(directory: $0, faults: faults) }
    }

    func openOrCreateSubdirectory(_ name: String) throws(IOError) -> FaultyDirectory {
        try faults.throwIfFailing(.createDirectory, "\(path)/\(name)")
        return FaultyDirectory(
            directory: try directory.openOrCreateSubdirectory(name), faults: faults)
    }

    func names() throws(IOError) -> [String] { try directory.names() }

    func openForReading(_ name: String) throws(IOError) -> FaultyFile? {
        try directory.openForReading(name).map { FaultyFile(file: $0, faults: faults) }
    }

    func createFile(_ name: String) throws(IOError) -> FaultyFile {
        try faults.throwIfFailing(.create, "\(path)/\(name)")
        return FaultyFile(file: try directory.createFile(name), faults: faults)
    }

    func openForAppending(_ name: String) throws(IOError) -> FaultyFile? {
        try directory.openForAppending(name).map { FaultyFile(file: $0, faults: faults) }
    }

    func rename(_ name: String, to newName: String) throws(IOError) {
        try faults.throwIfFailing(.rename, "\(path)/\(newName)")
        try directory.rename(name, to: newName)
    }

    func exchange(_ name: String, with otherName: String) throws(IOError) {
        try faults.throwIfFailing(.rename, "\(path)/\(name)")
        try directory.exchange(name, with: otherName)
    }

    func status(of name: String) throws(IOError) -> FileStatus? { try directory.status(of: name) }

    func entryStatus(of name: String) throws(IOError) -> FileStatus? {
        try directory.entryStatus(of: name)
    }

    @discardableResult
    func remove(_ name: String) throws(IOError) -> Bool {
        try faults.throwIfFailing(.remove, "\(path)/\(name)")
        return try directory.remove(name)
    }

    func synchronize() throws(IOError) {
        try faults.throwIfFailing(.synchronizeDirectory, path)
        try directory.synchronize()
    }
}

/// A file in the file system. Changes to the file fail while a disk failure is simulated.
struct FaultyFile: FileProtocol {
    let file: File
    let faults: DiskFaults

    var descriptorBackedFile: File? { file }
    var path: String { file.path }

    func write(_ bytes: [UInt8]) throws(IOError) {
        try faults.throwIfFailing(.write, path)
        try file.write(bytes)
    }

    var canOverwrite: Bool { file.canOverwrite }

    func write(_ bytes: [UInt8], at offset: Int) throws(IOError) {
        try faults.throwIfFailing(.write, path)
        try file.write(bytes, at: offset)
    }

    func read(from offset: Int, upTo byteCount: Int) throws(IOError) -> [UInt8] {
        try file.read(from: offset, upTo: byteCount)
    }

    func status() throws(IOError) -> FileStatus { try file.status() }

    func setModificationTime(_ time: Int64) throws(IOError) { try file.setModificationTime(time) }

    func truncate(to length: Int) throws(IOError) {
        try faults.throwIfFailing(.truncate, path)
        try file.truncate(to: length)
    }

    func synchronize() throws(IOError) {
        try faults.throwIfFailing(.synchronize, path)
        try file.synchronize()
    }

    func synchronizeData() throws(IOError) {
        try faults.throwIfFailing(.synchronize, path)
        try file.synchronizeData()
    }
}
