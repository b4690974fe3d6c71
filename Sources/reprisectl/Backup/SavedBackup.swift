import Encryption
import ExactText
import LinuxIO
import SavedState
import TerminalText

/// A backup on disk.
struct SavedBackup {
    /// Name of the file with the checksums, in the format of sha256sum(1). Only a complete backup has this file.
    static let checksums = "SHA256SUMS"

    /// A file of the backup.
    struct File {
        /// Path below the directory of the backup.
        let path: String
        let place: BackupPath
        /// SHA-256 as 64 hexadecimal digits.
        fileprivate let digest: String
    }

    /// Absolute path of the directory.
    let path: String
    /// Files in the order in which the daemon sent them.
    let files: [File]
    private let root: Directory
    private let keys: EncryptionKeys

    /// Opens a backup.
    ///
    /// - Throws: ``Failure`` if the directory is no backup.
    init(_ path: String, keys: EncryptionKeys) throws(Failure) {
        self.path = path.resolvedPath
        self.keys = keys
        let opened: (root: Directory, lines: [UInt8])?
        do throws(IOError) {
            opened = try Directory.open(path).flatMap { root throws(IOError) in
                try root.read(Self.checksums, limit: ArchiveFormat.largestFile).map { (root, $0) }
            }
        } catch {
            throw Failure("\(error)")
        }
        guard let opened else {
            throw Failure(
                "'\(path.printable)' is not a complete backup, because it has no file \(Self.checksums): name a "
                    + "directory that `reprisectl backup` made.", status: .usage)
        }
        root = opened.root
        files = try Self.files(opened.lines, of: path)
    }

    private static func files(_ lines: [UInt8], of path: String) throws(Failure) -> [File] {
        var files: [File] = []
        for (number, line) in lines.split(separator: UInt8(ascii: "\n")).enumerated() {
            guard line.count > 66, let digest = String(validating: line.prefix(64), as: UTF8.self),
                line.dropFirst(64).prefix(2).elementsEqual("  ".utf8),
                let file = String(validating: line.dropFirst(66), as: UTF8.self),
                let place = BackupPath(file)
            else {
                throw Failure(
                    "'\(path.appendingPath(checksums).printable)', line \(number + 1): this is not the checksum of a file "
                        + "of a backup. Use another backup.")
            }
            files.append(File(path: file, place: place, digest: digest))
        }
        return files
    }

    /// Bundle identifiers of the applications in the backup, sorted.
    var applications: [String] {
        Set(files.map { ExactString($0.place.application) }).sorted().map(\.text)
    }

    /// Number of archives.
    var archiveCount: Int {
        files.count { if case .archive = $0.place { true } else { false } }
    }

    /// Reads a file.
    ///
    /// - Throws: ``Failure`` if it is not the file that the backup was made with; `IOError`.
    func read(_ file: File) throws -> [UInt8] {
        guard let bytes = try root.read(file.path, limit: ArchiveFormat.largestFile) else {
            throw Failure("'\(shown(file))' is missing in the backup: use another backup.")
        }
        guard SHA256.hexDigest(of: bytes).utf8.elementsEqual(file.digest.utf8) else {
            throw Failure(
                "'\(shown(file))' is damaged or was changed: its checksum is not the one in \(Self.checksums). Use another "
                    + "backup.")
        }
        return bytes
    }

    /// Reads every file, and decrypts the encrypted files.
    ///
    /// - Returns: A sentence for each file that is damaged, and a sentence for each file that the keys cannot decrypt.
    func verify() -> (problems: [String], undecryptable: [String]) {
        var problems: [String] = []
        var undecryptable: [String] = []
        let sealed = SealedFolder(root, keys: keys)
        for file in files {
            do {
                _ = try read(file)
                if let lack = sealed.lack(of: file.path) {
                    undecryptable.append(
                        "'\(shown(file))' cannot be verified without \(lack): pass --key.")
                } else if case .archive = file.place {
                    let archive = try InspectedArchive(
                        path: path.appendingPath(file.path), keys: keys)
                    problems += [archive.problem].compactMap(\.self)
                } else {
                    _ = try sealed.readIntact(file.path, limit: ArchiveFormat.largestFile)
                }
            } catch {
                problems.append("\(error)")
            }
        }
        return (problems, undecryptable)
    }

    private func shown(_ file: File) -> String { path.appendingPath(file.path).printable }
}
