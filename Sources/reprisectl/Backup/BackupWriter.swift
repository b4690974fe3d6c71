import FoundationEssentials
import LinuxIO
import RepriseControl
import TerminalText

/// Writes the files that a daemon sends for a backup.
///
/// The directory has the layout of a state directory: `Saved Application State/ID.savedState/data.archive` and
/// `Documents/ID/NAME`. All of it is for its owner alone.
final class BackupWriter {
    private let root: Directory
    private var current: (path: String, file: File, size: Int)?
    /// Paths of the files below the directory.
    private(set) var files: [String] = []
    /// Size of all files in bytes.
    private(set) var byteCount = 0

    /// - Parameter path: Path of the directory, which is made.
    init(_ path: String) throws(IOError) { root = try Directory.openOrMake(path) }

    /// Writes a part of a file. Parts of a file come in their order.
    ///
    /// - Throws: ``Failure`` if the part does not belong there; `IOError`.
    func write(_ part: BackupCall.Reply) throws {
        guard let path = part.path, let bytes = Data(base64Encoded: part.data) else {
            throw Self.misshapen(part.path ?? "")
        }
        if current?.path.utf8.elementsEqual(path.utf8) != true {
            try finishFile()
            try begin(path)
        }
        guard let current, part.offset == current.size, part.bytes >= part.offset + bytes.count
        else {
            throw Self.misshapen(path)
        }
        try current.file.write(Array(bytes))
        self.current?.size += bytes.count
        byteCount += bytes.count
        if part.bytes == part.offset + bytes.count { try finishFile() }
    }

    /// Makes everything durable.
    func finish() throws(IOError) {
        try finishFile()
        for name in try root.names() {
            guard let folder = try root.subfolder(name) else { continue }
            for name in try folder.names() { try folder.subfolder(name)?.synchronize() }
            try folder.synchronize()
        }
        try root.synchronize()
    }

    private func begin(_ path: String) throws {
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        let isBelow = parts.allSatisfy { !["", ".", ".."].contains($0) && !$0.utf8.contains(0) }
        guard parts.count == 3, isBelow else { throw Self.misshapen(path) }
        let folder = try root.makeSubfolder(parts[0]).makeSubfolder(parts[1])
        current = (path, try folder.createFile(parts[2]), 0)
        files.append(path)
    }

    private func finishFile() throws(IOError) {
        try current?.file.synchronize()
        current = nil
    }

    private static func misshapen(_ path: String) -> Failure {
        Failure(
            "the daemon sent a part of the file '\(path.printable)' that does not belong there: daemon and reprisectl "
                + "may be of different versions.", status: .noDaemon)
    }
}
