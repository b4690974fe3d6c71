import ArgumentParser
import Encryption
import FoundationEssentials
import Glibc
import LinuxIO
import RepriseControl
import SavedState
import TerminalText
import Varlink

struct RestoreCommand: ParsableCommand, OptionIgnoring {
    static let ignoredOptions = FileScope.ignoredOptions.union(["--no-pager"])
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Puts a backup into the state directory of a stopped daemon.",
        discussion: """
            Existing archives become generations in the history, and existing documents are moved aside. Applications \
            that are not in the backup stay unchanged. If an archive of the backup is damaged, nothing is changed.
            Without --state-directory the state directory is $STATE_DIRECTORY. Without this variable it is \
            /var/lib/reprise for root and ~/.local/state/reprise for other users. If you are root, the files get the \
            owner of the state directory.
            """)

    @OptionGroup var options: FileScope

    @Argument(help: "The directory of the backup.", completion: .directory)
    var directory: String

    @Option(help: "The state directory.", completion: .directory)
    var stateDirectory: String?

    @Option(
        help: ArgumentHelp(
            "A file with the key of encrypted archives; - is standard input.", valueName: "file"),
        completion: .file())
    var key: String?

    func run() throws {
        let keys = try KeyFile.keys(named: key)
        let backup = try SavedBackup(directory, keys: keys)
        let path = try statePath()
        do {
            if geteuid() == 0 { try Self.becomeOwner(of: path) }
            // The lock is held until all is done.
            let lock = try StateDirectory.open(path, keys: keys)
            guard let root = try Directory.open(path) else {
                throw IOError(.openFolder, path: path, code: ENOENT)
            }
            let lines = try withExtendedLifetime(lock) {
                try backup.applications.flatMap { try Self.restore($0, in: root) }
            }
            if options.json {
                let names = backup.applications.map { StateJSON.string($0.bundleIdentifier) }
                Terminal.write(
                    json: String(
                        decoding: try JSONText.encode(["applications": StateJSON.array(names)]),
                        as: UTF8.self))
            } else {
                for line in lines { Terminal.print(line) }
                Terminal.print("start the daemon on the state directory \(path) now")
            }
        } catch {
            throw Failure("\(error)")
        }
    }

    private func statePath() throws -> String {
        let environment = ProcessInfo.processInfo.environment
        if let stateDirectory { return stateDirectory }
        if let folder = environment["STATE_DIRECTORY"], folder.hasPrefix("/") { return folder }
        if geteuid() == 0 { return "/var/lib/reprise" }
        guard let home = environment["HOME"], home.hasPrefix("/") else {
            throw Failure(
                "there is no state directory: name one with --state-directory.", status: .usage)
        }
        return "\(home)/.local/state/reprise"
    }

    /// - Returns: Lines that say what was done.
    private static func restore(
        _ application: SavedBackup.Application, in root: Directory
    ) throws -> [String] {
        let name = application.bundleIdentifier
        let generation = try ArchiveInstallation(of: name, in: root).install(application.archive)
        var lines = ["\(name): restored"]
        if let generation {
            lines.append("  what was saved before is in the history as \(generation)")
        }
        let documents = try root.makeSubfolder(ArchiveInstallation.documents)
        if try documents.entryStatus(of: name) != nil {
            var number = 1
            while try documents.entryStatus(of: "\(name).replaced-\(number)") != nil { number += 1 }
            try documents.rename(name, to: "\(name).replaced-\(number)")
            lines.append(
                "  the documents from before are in \(documents.path)/\(name).replaced-\(number)")
        }
        if !application.documents.isEmpty {
            let folder = try documents.makeSubfolder(name)
            for (name, bytes) in application.documents {
                try folder.replace(name, with: bytes, temporary: ".\(name).new")
            }
        }
        try documents.synchronize()
        try root.synchronize()
        return lines
    }

    /// Continues as the owner of the state directory, so that the files get this owner and so that entries which the
    /// owner placed there, such as links, give access to nothing else. The backup and the key were read before.
    private static func becomeOwner(of path: String) throws(IOError) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            if errno == ENOENT { return }
            throw IOError(.status, path: path, code: errno)
        }
        guard setegid(status.st_gid) == 0, seteuid(status.st_uid) == 0 else {
            throw IOError(.openFolder, path: path, code: errno)
        }
    }
}

/// A backup on disk, read and checked.
struct SavedBackup {
    struct Application {
        let bundleIdentifier: String
        /// Bytes of the archive, encrypted if it is.
        let archive: [UInt8]
        let documents: [(name: String, bytes: [UInt8])]
    }

    let applications: [Application]

    /// Reads a backup.
    ///
    /// - Throws: ``Failure`` if the directory is no backup, or an archive in it is not whole.
    init(_ path: String, keys: EncryptionKeys) throws {
        do {
            guard let root = try Directory.open(path),
                let states = try root.subfolder(ArchiveInstallation.applications)
            else {
                throw Failure(
                    "'\(path.printable)' is not a backup: name the directory that `reprisectl backup` made.",
                    status: .usage)
            }
            let documents = try root.subfolder(ArchiveInstallation.documents)
            var applications: [Application] = []
            for folder in try states.names() where folder.hasSuffix(ApplicationArchive.folderSuffix)
            {
                let name = String(folder.dropLast(ApplicationArchive.folderSuffix.count))
                let file = ApplicationArchive.fileName
                guard let bytes = try states.subfolder(folder)?.read(file, limit: .max) else {
                    continue
                }
                let archive = try InspectedArchive(
                    path: "\(states.path)/\(folder)/\(file)", keys: keys)
                if let problem = archive.problem {
                    throw Failure("\(problem) Nothing was restored.")
                }
                applications.append(
                    Application(
                        bundleIdentifier: name, archive: bytes,
                        documents: try Self.files(in: try documents?.subfolder(name))))
            }
            self.applications = applications
        } catch let error as IOError {
            throw Failure("\(error)")
        }
        if applications.isEmpty {
            throw Failure("'\(path.printable)' has no archives: nothing was restored.")
        }
    }

    private static func files(
        in folder: Directory?
    ) throws(IOError) -> [(name: String, bytes: [UInt8])] {
        guard let folder else { return [] }
        var files: [(String, [UInt8])] = []
        for name in try folder.names() {
            if let bytes = try folder.read(name, limit: .max) { files.append((name, bytes)) }
        }
        return files
    }
}
