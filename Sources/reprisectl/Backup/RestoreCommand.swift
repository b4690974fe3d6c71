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
            /var/lib/reprise for root, and $XDG_STATE_HOME/reprise or ~/.local/state/reprise for other users. For any \
            other daemon, name its state directory. If you are root, the files get the owner of the state directory.
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
        if stateDirectory == nil, access(path, F_OK) != 0 {
            throw Failure(
                "There is no state directory '\(path.printable)': name the one of the daemon with --state-directory.",
                status: .usage)
        }
        var restored: [RestoredApplication] = []
        do {
            let owner = try StateOwner(of: path)
            // The lock is held until every application is restored.
            let (lock, root) = try owner.perform {
                let lock = try StateDirectory.open(path, keys: keys)
                guard let root = try Directory.open(path) else {
                    throw IOError(.openFolder, path: path, code: ENOENT)
                }
                return (lock, root)
            }
            try withExtendedLifetime(lock) {
                for name in backup.applications {
                    let application = try Self.restore(name, of: backup, in: root, as: owner, keys)
                    restored.append(application)
                    if !options.json { application.print() }
                }
            }
        } catch {
            let names = restored.map(\.application).joined(separator: ", ")
            throw Failure(
                "\(error) "
                    + (restored.isEmpty
                        ? "Nothing was restored."
                        : "Before the error these were restored: \(names)."))
        }
        if options.json {
            let members = ["applications": StateJSON.array(restored.map(\.json))]
            Terminal.write(json: String(decoding: try JSONText.encode(members), as: UTF8.self))
        } else {
            Terminal.print("start the daemon on the state directory \(path) now")
        }
    }

    private func statePath() throws(Failure) -> String {
        let environment = ProcessInfo.processInfo.environment
        if let stateDirectory { return stateDirectory }
        if geteuid() == 0 {
            return StateDirectory.directories(in: "STATE_DIRECTORY", of: environment).first
                ?? "/var/lib/reprise"
        }
        guard let path = StateDirectory.path(in: environment) else {
            throw Failure(
                "There is no state directory: name one with --state-directory.", status: .usage)
        }
        return path
    }

    /// Restores one application. Reads the backup as the user of the process, and writes as the owner.
    private static func restore(
        _ name: String, of backup: SavedBackup, in root: Directory, as owner: StateOwner,
        _ keys: EncryptionKeys
    ) throws -> RestoredApplication {
        let archive = try backup.archive(of: name)
        let (installation, documents) = try owner.perform {
            let installation = try BackupInstallation(of: name, in: root)
            if let archive {
                // The backup may have changed since it was verified. These bytes are installed.
                let staged = try installation.stage(archive: archive)
                if let problem = try InspectedArchive(path: staged, keys: keys).problem {
                    throw Failure(problem)
                }
            }
            return (installation, try installation.stageDocuments())
        }
        for document in try backup.documentNames(of: name) {
            guard let bytes = try backup.document(document, of: name) else { continue }
            try owner.perform { _ = try documents.writeNew(document, bytes) }
        }
        let replaced = try owner.perform {
            try installation.commit(archive: archive != nil, documents: documents)
        }
        return RestoredApplication(
            application: name, hasState: archive != nil, generation: replaced.generation,
            replacedDocuments: replaced.documents)
    }
}

/// What a restore did for one application.
private struct RestoredApplication {
    let application: String
    /// Whether the backup has saved state of it, not only documents.
    let hasState: Bool
    /// Path of the generation with the state from before.
    let generation: String?
    /// Path of the documents from before.
    let replacedDocuments: String?

    func print() {
        Terminal.print(
            hasState
                ? "\(application): restored"
                : "\(application): documents restored; the backup has no saved state of it")
        if let generation {
            Terminal.print("  what was saved before is in the history as \(generation)")
        }
        if let replacedDocuments {
            Terminal.print("  the documents from before are in \(replacedDocuments)")
        }
    }

    var json: StateJSON {
        let paths = ["generation": generation, "replacedDocuments": replacedDocuments]
        return .object(
            paths.compactMapValues { $0.map(StateJSON.string) }
                .merging(["application": .string(application)]) { $1 })
    }
}
