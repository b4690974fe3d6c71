import Encryption
import ExactText
import Glibc
package import LinuxIO

/// Task that re-encrypts the files in a state directory to match the encryption of new files.
package struct Reencryptor: Sendable {
    /// File in the state directory whose encryption can be checked and changed.
    package struct EncryptableFile: Sendable {
        fileprivate let directory: any SealingDirectory
        fileprivate let name: String
        fileprivate let temporaryName: String
        /// Bundle identifier of the application that may replace the file concurrently, or `nil` if the file is not a
        /// document.
        fileprivate let ownerBundleIdentifier: String?
        /// Path of the file.
        package var path: String { "\(directory.path)/\(name)" }
        /// Whether the file is an application's archive or may become its archive.
        package let isArchive: Bool
    }

    private let stateDirectory: StateDirectory

    /// Creates a task that re-encrypts files in a state directory.
    package init(_ stateDirectory: StateDirectory) { self.stateDirectory = stateDirectory }

    /// Returns the bundle identifiers of the applications that have files in the state directory.
    package func bundleIdentifiers() throws(IOError) -> [String] {
        let stateDirectoryNames = try directoryNames(
            in: stateDirectory.root.openSubdirectory(StateDirectoryLayout.applicationsDirectoryName)
        )
        let documentDirectoryNames = try directoryNames(
            in: stateDirectory.root.openSubdirectory(StateDirectoryLayout.documentsDirectoryName))
        let identifiers =
            stateDirectoryNames.filter { $0.hasSuffix(StateDirectoryLayout.directorySuffix) }
            .map { String($0.dropLast(StateDirectoryLayout.directorySuffix.utf8.count)) }
        return Set((identifiers + documentDirectoryNames).map { ExactString($0) }).sorted().map(
            \.text)
    }

    private func directoryNames(in directory: (any SealingDirectory)?) throws(IOError) -> [String] {
        var directoryNames: [String] = []
        for name in try directory?.names() ?? [] {
            // Some file systems have this directory at their root.
            if name == "lost+found" { continue }
            if try directory?.status(of: name)?.kind == .directory { directoryNames.append(name) }
        }
        return directoryNames
    }

    /// The launch guard's ledger file, and the file that contains a damaged ledger.
    ///
    /// ``LaunchGuard/rewrite()`` rewrites the ledger itself.
    package var launchFiles: (ledger: EncryptableFile, damaged: EncryptableFile) {
        func file(_ name: String) -> EncryptableFile {
            EncryptableFile(
                directory: stateDirectory.root, name: name, temporaryName: "\(name).new",
                ownerBundleIdentifier: nil,
                isArchive: false)
        }
        return (file(LaunchFiles.ledgerName), file(LaunchFiles.damagedName))
    }

    /// Returns whether an application's archive is encrypted differently from new files.
    ///
    /// Returns `true` if the encryption cannot be determined, and `false` if there is no archive.
    package func archiveMayNeedReencryption(of bundleIdentifier: String) -> Bool {
        do throws(IOError) {
            return try openApplicationDirectory(of: bundleIdentifier)?.needsReencryption(
                StateDirectoryLayout.archiveFileName) ?? false
        } catch {
            return true
        }
    }

    /// Returns an application's files: its archive, its history and quarantine, and its documents.
    ///
    /// Hidden files and subdirectories in the documents directory are omitted.
    package func files(of bundleIdentifier: String) throws(IOError) -> [EncryptableFile] {
        let documentsDirectory = try stateDirectory.root.openSubdirectory(
            StateDirectoryLayout.documentsDirectoryName)?
            .openSubdirectory(bundleIdentifier)
        return try savedFiles(
            in: openApplicationDirectory(of: bundleIdentifier),
            temporaryName: StateDirectoryLayout.temporaryArchiveName
        )
            + self.documents(in: documentsDirectory, of: bundleIdentifier)
    }

    private func openApplicationDirectory(of bundleIdentifier: String) throws(IOError) -> (
        any SealingDirectory
    )? {
        try stateDirectory.root.openSubdirectory(StateDirectoryLayout.applicationsDirectoryName)?
            .openSubdirectory(bundleIdentifier + StateDirectoryLayout.directorySuffix)
    }

    /// Names of an archive and of the files that may become the archive.
    private static let archiveNames: Set = [
        StateDirectoryLayout.archiveFileName, StateDirectoryLayout.compactedArchiveName,
        StateDirectoryLayout.salvagedArchiveName,
    ]

    /// Returns all files in a directory and its subdirectories, except temporary files left by a crash.
    ///
    /// - Parameter temporaryName: Name of a new file in the directory until the file is durable.
    private func savedFiles(
        in directory: (any SealingDirectory)?, temporaryName: String
    ) throws(IOError) -> [EncryptableFile] {
        guard let directory else { return [] }
        var files: [EncryptableFile] = []
        for name in try directory.names() where name != temporaryName {
            switch try directory.entryStatus(of: name)?.kind {
            case .file, .link:
                files.append(
                    EncryptableFile(
                        directory: directory, name: name, temporaryName: temporaryName,
                        ownerBundleIdentifier: nil,
                        isArchive: Self.archiveNames.contains(name)))
            case .directory:
                files += try savedFiles(
                    in: directory.openSubdirectory(name),
                    temporaryName: NumberedFileDirectory.temporaryName)
            case .other, nil: continue
            }
        }
        return files
    }

    private func documents(
        in directory: (any SealingDirectory)?, of bundleIdentifier: String
    ) throws(IOError) -> [EncryptableFile] {
        guard let directory else { return [] }
        var files: [EncryptableFile] = []
        for name in try directory.names() where !name.hasPrefix(".") {
            let kind = try directory.entryStatus(of: name)?.kind
            guard kind == .file || kind == .link else { continue }
            files.append(
                EncryptableFile(
                    directory: directory, name: name, temporaryName: ".\(name).new",
                    ownerBundleIdentifier: bundleIdentifier,
                    isArchive: false))
        }
        return files
    }

    /// Returns whether a file is encrypted differently from new files, or `false` if the file does not exist.
    package func needsReencryption(_ file: EncryptableFile) throws(IOError) -> Bool {
        try file.directory.needsReencryption(file.name)
    }

    /// Durably rewrites a file with the encryption of new files, and preserves its modification time.
    ///
    /// - Returns: Whether the file had to be rewritten.
    package func reencrypt(_ file: EncryptableFile) throws(IOError) -> Bool {
        if try file.directory.entryStatus(of: file.name)?.kind == .link {
            guard try file.directory.needsReencryption(file.name) else { return false }
            throw IOError(.open, path: file.path, code: ELOOP)
        }
        guard let ownerBundleIdentifier = file.ownerBundleIdentifier else {
            return try file.directory.reencrypt(file.name, temporaryName: file.temporaryName)
        }
        return try stateDirectory.replaceDocument(of: ownerBundleIdentifier) { () throws(IOError) in
            try file.directory.reencrypt(file.name, temporaryName: file.temporaryName)
        }
    }
}
