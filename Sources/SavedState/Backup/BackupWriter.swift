import Encryption
import Glibc
package import LinuxIO

/// Writer for the files in a backup.
///
/// The backup's directory has the same layout as a state directory:
/// `Saved Application State/ID.savedState/data.archive` and `Documents/ID/NAME`. The file `SHA256SUMS` contains the
/// checksum of each file. Only the owner may read the files.
package final class BackupWriter {
    private let parentDirectory: Directory
    private let name: String
    private let root: Directory
    private var currentFile: (path: String, file: File, size: Int)?
    /// Lines for the checksum file, in the format that sha256sum(1) uses.
    private var checksumLines: [String] = []
    /// Total number of bytes that have been written to files.
    package private(set) var byteCount = 0

    /// Creates a directory for a backup.
    ///
    /// - Parameters:
    ///   - name: Name of the new directory.
    ///   - parentDirectory: Directory in which the new directory is created.
    /// - Throws: An error with the code `EEXIST` if the name already exists.
    package init(_ name: String, in parentDirectory: Directory) throws(IOError) {
        (self.name, self.parentDirectory) = (name, parentDirectory)
        root = try parentDirectory.createSubdirectory(name)
    }

    /// Writes a part of a file. The parts must be written in order, one file after another.
    ///
    /// - Parameters:
    ///   - bytes: The part.
    ///   - path: Path of the file, relative to the backup's directory.
    ///   - offset: Offset of the part in the file.
    ///   - byteCount: Size of the complete file.
    /// - Throws: ``BackupFailure`` if the part is out of order, or `IOError` if a system call fails.
    package func write(_ bytes: [UInt8], of path: String, at offset: Int, byteCount fileSize: Int)
        throws
    {
        if currentFile?.path.utf8.elementsEqual(path.utf8) != true {
            try requireNoCurrentFile()
            try beginFile(at: path)
        }
        guard let currentFile, offset == currentFile.size,
            currentFile.size + bytes.count <= fileSize
        else {
            throw Self.unexpectedPart(path)
        }
        try currentFile.file.write(bytes)
        self.currentFile?.size += bytes.count
        byteCount += bytes.count
        if self.currentFile?.size == fileSize {
            try currentFile.file.synchronize()
            let writtenBytes = try currentFile.file.readAll(limit: fileSize)
            checksumLines.append("\(SHA256.hexDigest(of: writtenBytes))  \(path)\n")
            self.currentFile = nil
        }
    }

    /// Makes all files durable and renames the directory to its final name.
    ///
    /// - Throws: ``BackupFailure`` if a file is incomplete, or `IOError` if a system call fails.
    package func finish(as finalName: String) throws {
        try complete()
        try rename(to: finalName)
    }

    /// Writes the checksums and makes all files durable.
    ///
    /// - Throws: ``BackupFailure`` if a file is incomplete, or `IOError` if a system call fails.
    package func complete() throws {
        try requireNoCurrentFile()
        for name in try root.names() {
            guard let directory = try root.openSubdirectory(name) else { continue }
            for name in try directory.names() {
                try directory.openSubdirectory(name)?.synchronize()
            }
            try directory.synchronize()
        }
        try root.writeNewFile(SavedBackup.checksumFileName, Array(checksumLines.joined().utf8))
        try root.synchronize()
    }

    /// Durably renames the complete directory to its final name.
    package func rename(to finalName: String) throws(IOError) {
        try parentDirectory.rename(name, to: finalName)
        try parentDirectory.synchronize()
    }

    /// Removes the directory and the files that have been written so far. Errors are ignored.
    package func discard() {
        // On NFS, a directory cannot be removed while a removed file in it is open.
        currentFile = nil
        do throws(IOError) {
            try root.remove(SavedBackup.checksumFileName)
            for name in try root.names() {
                guard let directory = try root.openSubdirectory(name) else { continue }
                for name in try directory.names() {
                    guard let filesDirectory = try directory.openSubdirectory(name) else {
                        continue
                    }
                    for file in try filesDirectory.names() { try filesDirectory.remove(file) }
                    try directory.removeSubdirectory(name)
                }
                try root.removeSubdirectory(name)
            }
            try parentDirectory.removeSubdirectory(name)
        } catch {
            // The next backup to this directory reports the remaining files.
        }
    }

    private func beginFile(at path: String) throws {
        guard BackupPath(path) != nil else { throw Self.unexpectedPart(path) }
        let pathComponents = path.utf8.split(separator: UInt8(ascii: "/")).map {
            String(Substring($0))
        }
        let directory = try root.openOrCreateSubdirectory(pathComponents[0])
            .openOrCreateSubdirectory(
                pathComponents[1])
        do throws(IOError) {
            currentFile = (path, try directory.createFile(pathComponents[2]), 0)
        } catch {
            // If the file exists, it has already been written completely.
            throw error.code == EEXIST ? Self.unexpectedPart(path) : error
        }
    }

    private func requireNoCurrentFile() throws(BackupFailure) {
        if let currentFile { throw Self.unexpectedPart(currentFile.path) }
    }

    private static func unexpectedPart(_ path: String) -> BackupFailure {
        BackupFailure(
            .unexpectedPart, at: path,
            "This is not the next part of the file '\(path)' in the backup.")
    }
}
