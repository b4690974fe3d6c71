package import Encryption
import ExactText
import LinuxIO

/// Backup that is stored in a directory.
package struct SavedBackup {
    /// Name of the checksum file, which has the format that sha256sum(1) uses. Only a complete backup contains this
    /// file.
    package static let checksumFileName = "SHA256SUMS"

    /// Entry for a file in the backup.
    package struct Entry {
        /// Path of the file, relative to the backup's directory.
        package let path: String
        /// Application and role of the file, parsed from the path.
        package let location: BackupPath
        /// SHA-256 digest of the file, as 64 hexadecimal digits.
        fileprivate let digest: String
    }

    /// Absolute path of the backup's directory.
    package let path: String
    /// Files in the backup, in the order in which they were written.
    package let files: [Entry]
    private let root: Directory
    private let keys: EncryptionKeys

    /// Opens a backup.
    ///
    /// - Throws: ``BackupFailure`` if the directory is not a complete backup.
    package init(_ path: String, keys: EncryptionKeys) throws(BackupFailure) {
        self.path = path.resolvedPath
        self.keys = keys
        let openedBackup: (root: Directory, checksumBytes: [UInt8])?
        do throws(IOError) {
            openedBackup = try Directory.open(path).flatMap { root throws(IOError) in
                try root.read(Self.checksumFileName, limit: ArchiveFormat.maximumFileBytes).map {
                    (root, $0)
                }
            }
        } catch {
            throw BackupFailure(
                .notABackup, at: path,
                "'\(path)' cannot be read as a backup (\(error.errno)): specify the directory of a backup."
            )
        }
        guard let openedBackup, !openedBackup.checksumBytes.isEmpty else {
            throw BackupFailure(
                .notABackup, at: path,
                "'\(path)' is not a complete backup, because it has no checksums in \(Self.checksumFileName): specify "
                    + "the directory of a complete backup.")
        }
        root = openedBackup.root
        files = try Self.files(openedBackup.checksumBytes, of: path)
    }

    private static func files(_ checksumBytes: [UInt8], of path: String) throws(BackupFailure)
        -> [Entry]
    {
        var files: [Entry] = []
        var paths: Set<ExactString> = []
        let lines = checksumBytes.split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (number, line) in lines.enumerated() where !line.isEmpty {
            guard let digest = String(validating: line.prefix(64), as: UTF8.self),
                line.dropFirst(64).prefix(2).elementsEqual("  ".utf8),
                let file = String(validating: line.dropFirst(66), as: UTF8.self),
                let location = BackupPath(file), paths.insert(ExactString(file)).inserted
            else {
                let checksumPath = path.appendingPath(checksumFileName)
                throw BackupFailure(
                    .damaged, at: checksumPath,
                    "'\(checksumPath)', line \(number + 1): this is not a valid checksum line, or its file is listed twice. "
                        + "Use another backup.")
            }
            files.append(Entry(path: file, location: location, digest: digest.lowercased()))
        }
        return files
    }

    /// Bundle identifiers of the applications in the backup, sorted.
    package var bundleIdentifiers: [String] {
        Set(files.map { ExactString($0.location.bundleIdentifier) }).sorted().map(\.text)
    }

    /// Number of archives in the backup.
    package var archiveCount: Int {
        files.count { if case .archive = $0.location { true } else { false } }
    }

    /// Reads a file and verifies its checksum.
    ///
    /// - Throws: ``BackupFailure`` if the file cannot be read or has changed since the backup was made.
    package func read(_ file: Entry) throws(BackupFailure) -> [UInt8] {
        let path = displayPath(file.path)
        let bytes: [UInt8]?
        do throws(IOError) {
            bytes = try root.read(file.path, limit: ArchiveFormat.maximumFileBytes)
        } catch {
            throw BackupFailure(.damaged, at: path, "'\(path)' cannot be read (\(error.errno)).")
        }
        guard let bytes else { throw BackupFailure(.damaged, at: path, "'\(path)' is missing.") }
        guard SHA256.hexDigest(of: bytes).utf8.elementsEqual(file.digest.utf8) else {
            throw BackupFailure(
                .damaged, at: path,
                "'\(path)' is damaged or was changed: its checksum differs from the checksum in \(Self.checksumFileName)."
            )
        }
        return bytes
    }

    /// Reads, decrypts and verifies every file.
    ///
    /// - Parameter missingKeyExplanation: Phrase that ends the sentence about an encrypted file if no keys were given.
    /// - Returns: A sentence for each problem with a file, and a sentence for each file that the keys cannot decrypt.
    package func verify(
        withoutKeys missingKeyExplanation: String = "no key was given"
    ) -> (problems: [String], decryptionProblems: [String]) {
        var (problems, decryptionProblems): ([String], [String]) = ([], [])
        do throws(IOError) {
            let listedPaths = Set(
                (files.map(\.path) + [Self.checksumFileName]).map { ExactString($0) })
            problems = try unlistedFiles(in: root, excluding: listedPaths).map {
                "'\(displayPath($0))' is not listed in \(Self.checksumFileName)."
            }
        } catch {
            problems = ["\(error)"]
        }
        let sealedRoot = SealedDirectory(root, keys: keys)
        let keyProblem = keys.ids.isEmpty ? missingKeyExplanation : "a different key was given"
        for file in files {
            do throws(BackupFailure) {
                _ = try read(file)
                if let missingRequirement = sealedRoot.missingRequirement(of: file.path) {
                    decryptionProblems.append(
                        "'\(displayPath(file.path))' cannot be verified without \(missingRequirement): \(keyProblem)."
                    )
                } else if let problem = problem(of: file, in: sealedRoot) {
                    problems.append("'\(displayPath(file.path))' \(problem).")
                }
            } catch {
                problems.append("\(error)")
            }
        }
        return (problems, decryptionProblems)
    }

    /// Returns a phrase that describes a problem with a file's contents, or `nil` if the contents are intact.
    private func problem(of file: Entry, in sealedRoot: SealedDirectory<Directory>) -> String? {
        let bytes: [UInt8]?
        do throws(IOError) {
            bytes = try sealedRoot.readIntact(file.path, limit: ArchiveFormat.maximumFileBytes)
        } catch {
            return error.operation == .decrypt
                ? "is encrypted and damaged" : "cannot be read (\(error.errno))"
        }
        guard let bytes, case .archive(let application) = file.location else { return nil }
        let inspection = ArchiveInspection(bytes)
        switch inspection.condition {
        case .torn(let tail): return "is torn at byte \(tail.offset): \(tail.reason)"
        case .damaged(let reason, let offset): return "is damaged at byte \(offset): \(reason)"
        case .newer(let version):
            return
                "has the format version \(version), which only a newer version of Reprise can read"
        case .whole:
            let owner = inspection.header?.bundleIdentifier ?? ""
            return owner.utf8.elementsEqual(application.utf8)
                ? nil : "is an archive of the application \(owner)"
        }
    }

    /// Returns the paths of the files that the checksum file does not list.
    private func unlistedFiles(
        in directory: Directory, below path: String = "", excluding listedPaths: Set<ExactString>
    ) throws(IOError) -> [String] {
        var unlistedPaths: [String] = []
        for name in try directory.names(repairsInvalidUTF8: true) {
            let entryPath = path.isEmpty ? name : "\(path)/\(name)"
            // The path of a listed file has three components.
            if entryPath.utf8.count(where: { $0 == UInt8(ascii: "/") }) < 2,
                try directory.entryStatus(of: name)?.kind == .directory,
                let subdirectory = try directory.openSubdirectory(name)
            {
                unlistedPaths += try unlistedFiles(
                    in: subdirectory, below: entryPath, excluding: listedPaths)
            } else if !listedPaths.contains(ExactString(entryPath)) {
                unlistedPaths.append(entryPath)
            }
        }
        return unlistedPaths
    }

    private func displayPath(_ file: String) -> String { path.appendingPath(file) }
}

extension SavedBackup {
    /// Throws an error if ``verify(withoutKeys:)`` finds a problem with a file or a file that the keys cannot decrypt.
    ///
    /// - Parameter advice: Sentence with advice for the operator. It ends the error message.
    package func requireIntact(otherwise advice: String) throws(BackupFailure) {
        let (problems, decryptionProblems) = verify()
        let reportedProblems = problems.isEmpty ? decryptionProblems : problems
        guard let first = reportedProblems.first else { return }
        let otherProblemsNote =
            reportedProblems.count > 1 ? " And \(reportedProblems.count - 1) more." : ""
        throw BackupFailure(
            problems.isEmpty ? .undecryptable : .damaged, at: path,
            "\(first)\(otherProblemsNote) \(advice)")
    }
}
