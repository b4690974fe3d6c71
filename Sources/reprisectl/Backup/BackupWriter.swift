import Encryption
import FoundationEssentials
import LinuxIO
import RepriseControl
import SavedState
import TerminalText

/// Writer for the files that the daemon sends for a backup.
///
/// The directory has the layout of a state directory: `Saved Application State/ID.savedState/data.archive` and
/// `Documents/ID/NAME`. The file `SHA256SUMS` contains the checksum of each file. Only the owner may read the files.
final class BackupWriter {
    private let parent: Directory
    private let name: String
    private let root: Directory
    private var current: (path: String, file: File, size: Int)?
    /// Lines of the checksum file, in the format of sha256sum(1).
    private var checksums: [String] = []
    /// Size of all files in bytes.
    private(set) var byteCount = 0

    /// - Parameters:
    ///   - name: Name of the new directory.
    ///   - parent: Directory in which the new directory is created.
    init(_ name: String, in parent: Directory) throws(IOError) {
        (self.name, self.parent) = (name, parent)
        root = try parent.createSubfolder(name)
    }

    /// Writes a part of a file. The parts of a file must arrive in order.
    ///
    /// - Throws: ``Failure`` if the part is out of order, or `IOError`.
    func write(_ part: BackupCall.Reply) throws {
        guard let path = part.path, let bytes = Data(base64Encoded: part.data) else {
            throw Self.misshapen(part.path ?? "")
        }
        if current?.path.utf8.elementsEqual(path.utf8) != true {
            try requireNoCurrentFile()
            try begin(path)
        }
        guard let current, part.offset == current.size, part.bytes >= part.offset + bytes.count
        else {
            throw Self.misshapen(path)
        }
        try current.file.write(Array(bytes))
        self.current?.size += bytes.count
        byteCount += bytes.count
        if self.current?.size == part.bytes {
            try current.file.synchronize()
            let written = try current.file.readWhole(limit: part.bytes)
            checksums.append("\(SHA256.hexDigest(of: written))  \(path)\n")
            self.current = nil
        }
    }

    /// Makes all files durable and gives the directory its final name.
    ///
    /// - Throws: ``Failure`` if a file is incomplete, or `IOError`.
    func finish(as finalName: String) throws {
        try requireNoCurrentFile()
        for name in try root.names() {
            guard let folder = try root.subfolder(name) else { continue }
            for name in try folder.names() { try folder.subfolder(name)?.synchronize() }
            try folder.synchronize()
        }
        try root.writeNew(SavedBackup.checksums, Array(checksums.joined().utf8))
        try root.synchronize()
        try parent.rename(name, to: finalName)
        try parent.synchronize()
    }

    /// Removes the directory with the files that were written, as far as possible.
    func discard() {
        current = nil  // On NFS, a directory cannot be removed while a removed file in it is open.
        do throws(IOError) {
            try root.remove(SavedBackup.checksums)
            for name in try root.names() {
                guard let folder = try root.subfolder(name) else { continue }
                for name in try folder.names() {
                    guard let files = try folder.subfolder(name) else { continue }
                    for file in try files.names() { try files.remove(file) }
                    try folder.removeSubfolder(name)
                }
                try root.removeSubfolder(name)
            }
            try parent.removeSubfolder(name)
        } catch {
            // The next backup to this directory reports the remaining files.
        }
    }

    private func begin(_ path: String) throws {
        guard BackupPath(path) != nil else { throw Self.misshapen(path) }
        let parts = path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
        let folder = try root.makeSubfolder(parts[0]).makeSubfolder(parts[1])
        current = (path, try folder.createFile(parts[2]), 0)
    }

    private func requireNoCurrentFile() throws(Failure) {
        if let current { throw Self.misshapen(current.path) }
    }

    private static func misshapen(_ path: String) -> Failure {
        Failure(
            "the daemon sent an unexpected part of the file '\(path.printable)': daemon and reprisectl may be of "
                + "different versions.", status: .noDaemon)
    }
}
