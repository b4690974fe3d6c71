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
    static let ignoredOptions = FileCommandOptions.ignoredOptions.union(["--no-pager"])
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Puts a backup into the state directory of a stopped daemon.",
        discussion: """
            Existing archives become generations in the history, and existing documents are moved \
            to another directory. Applications that are not in the backup do not change. If a file \
            in the backup is damaged, nothing changes. After an interrupted restore, the daemon \
            does not start until the restore is repeated.
            Without --state-directory, the state directory is $STATE_DIRECTORY. If this variable \
            is not set, the state directory is /var/lib/reprise for root, and \
            $XDG_STATE_HOME/reprise or ~/.local/state/reprise for other users. If the daemon uses \
            a different directory, specify it with --state-directory. If you run the command as \
            root, the restored files belong to the owner of the state directory.
            """)

    @OptionGroup var options: FileCommandOptions

    @Argument(help: "The directory that contains the backup.", completion: .directory)
    var directory: String

    @Option(help: "The state directory.", completion: .directory)
    var stateDirectory: String?

    @OptionGroup var key: KeyOption

    func run() throws {
        let keys = try key.readKeys()
        let backup: SavedBackup
        do throws(BackupFailure) {
            backup = try SavedBackup(directory, keys: keys)
        } catch {
            throw Failure(error)
        }
        let verification = backup.verify(withoutKeys: "pass --key")
        let problems = verification.problems + verification.decryptionProblems
        if !problems.isEmpty {
            throw Failure(
                "\(problems.abridgedLines)\nNothing was restored: use another backup, or specify the correct key.",
                status: verification.problems.isEmpty ? .wrongKey : .refused, isMultiline: true)
        }
        let path = try stateDirectoryPath()
        if stateDirectory == nil, access(path, F_OK) != 0 {
            throw Failure(
                "The state directory '\(path.printable)' does not exist: specify the daemon's state "
                    + "directory with --state-directory.",
                status: .usage)
        }
        let restoredApplications = try restore(backup, into: path, keys)
        if options.daemon.json {
            try Terminal.write(asJSON: ["applications": restoredApplications.map(\.json)])
        } else {
            for application in restoredApplications { application.print() }
            Terminal.print("now start the daemon with the state directory \(path)")
        }
    }

    private func restore(
        _ backup: SavedBackup, into path: String, _ keys: EncryptionKeys
    ) throws(Failure) -> [InstalledApplication] {
        do {
            return try BackupRestoration(
                backup, into: path, keys: keys, as: try StateDirectoryOwner(of: path)
            ).run()
        } catch let failure as BackupFailure {
            throw Failure(failure)
        } catch {
            throw Failure("\(error) Nothing was restored.")
        }
    }

    private func stateDirectoryPath() throws(Failure) -> String {
        let environment = ProcessInfo.processInfo.environment
        if let stateDirectory { return stateDirectory }
        if geteuid() == 0 {
            return StateDirectory.directories(in: "STATE_DIRECTORY", of: environment).first
                ?? "/var/lib/reprise"
        }
        guard let path = StateDirectory.path(in: environment) else {
            throw Failure(
                "There is no state directory: specify one with --state-directory.", status: .usage)
        }
        return path
    }
}
