import ArgumentParser
import Encryption
import Glibc
import LinuxIO
import RepriseControl
import SavedState
import SystemPackage
import TerminalText
import Varlink

struct BackupCommand: DaemonCommand, OptionIgnoring, OptionRejecting {
    static let ignoredOptions: Set = ["--no-pager"]
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract:
            "Copies the saved state and the documents of a running daemon into a new directory.",
        discussion: """
            The daemon saves every object first. For each application, it copies the archive and \
            the documents as they were at a single point in time. The history and the quarantine \
            are not copied. `reprisectl restore` puts the copy into a state directory.
            The command verifies every file. Encrypted files stay encrypted, and their contents \
            can be verified only with the key. Without --key, the command uses the credential \
            reprise.key in $CREDENTIALS_DIRECTORY. The file SHA256SUMS in the directory contains \
            the checksums.
            Exit status: 0 if the backup is complete, 1 if it is incomplete or a file is damaged.
            """)

    @OptionGroup private var options: CallOptions<BackupCall>

    @Argument(
        help: "The directory to create for the backup. It must not already exist.",
        completion: .directory)
    var directory: String

    @OptionGroup var key: KeyOption

    var daemon: DaemonCallOptions { options.daemon }

    func validate() throws {
        if directory.isEmpty {
            throw ValidationError("The directory name is empty: specify a new directory.")
        }
    }

    func rejectUnacceptedOptions() throws { try options.rejectUnacceptedOptions() }

    func run(in context: CommandContext) throws {
        let keys = try key.readKeys()
        // FilePath removes trailing slashes.
        let path = FilePath(directory).string
        // lstat(2) also finds a symbolic link whose destination does not exist.
        var status = stat()
        guard lstat(path, &status) != 0 else {
            throw Failure(
                "'\(path.printable)' already exists: specify a new directory.", status: .usage)
        }
        let name = FilePath(path).lastComponent?.string ?? path
        do {
            let parent = try Directory.openOrCreate(path.containingDirectory)
            let receivedBackup = try receiveBackup("\(name).partial", in: parent, context)
            do {
                try receivedBackup.writer.finish(as: name)
            } catch {
                receivedBackup.writer.discard()
                throw error
            }
            try printSummary(receivedBackup, at: path, keys: keys, context)
        } catch let failure as BackupFailure {
            throw Failure(failure)
        } catch let error as IOError
            where error.operation == .createDirectory && error.code == EEXIST
        {
            throw Failure(
                "'\(path.printable).partial' exists, perhaps from an interrupted backup: remove it and try again.",
                status: .usage)
        } catch let error as IOError {
            throw Failure("\(error)")
        }
    }

    /// Backup that has been received completely.
    ///
    /// `skippedPaths` are paths in the document directories that were left out of the backup because they are not
    /// documents. `movedApplications` were left out because they run on other hosts in the cluster.
    private typealias ReceivedBackup = (
        writer: BackupWriter, skippedPaths: [String], movedApplications: [MovedApplication]
    )

    /// Receives all files. If the daemon restarts, the backup starts over.
    private func receiveBackup(
        _ name: String, in parent: Directory, _ context: CommandContext
    ) throws -> ReceivedBackup {
        let call = BackupCall(application: options.application ?? context.application)
        var writer: BackupWriter?
        var skippedPaths: [String] = []
        var lastPart: BackupCall.Reply?
        do {
            try context.daemon.follow {
                writer?.discard()
                (writer, skippedPaths) = (nil, [])
                return call
            } body: { bytes in
                let part = try BackupCall.decode(bytes)
                let backupWriter = try writer ?? BackupWriter(name, in: parent)
                writer = backupWriter
                guard let path = part.path else {
                    lastPart = part
                    return false
                }
                if part.isLeftOut == true {
                    skippedPaths.append(path)
                } else {
                    try backupWriter.write(part)
                }
                return true
            }
            guard let lastPart, let writer else {
                throw Failure("the daemon ended the backup early: try again.", status: .noDaemon)
            }
            return (writer, skippedPaths, lastPart.elsewhere ?? [])
        } catch {
            writer?.discard()
            throw error
        }
    }

    private func printSummary(
        _ receivedBackup: ReceivedBackup, at directory: String, keys: EncryptionKeys,
        _ context: CommandContext
    ) throws {
        let backup = try SavedBackup(directory, keys: keys)
        let (problems, undecryptableFiles) = backup.verify(withoutKeys: "pass --key")
        if context.printsJSON {
            let members: [String: StateJSON] = [
                "directory": .string(directory), "files": .integer(Int64(backup.files.count)),
                "bytes": .integer(Int64(receivedBackup.writer.byteCount)),
                "problems": .array(problems.map(StateJSON.string)),
                "undecryptable": .array(undecryptableFiles.map(StateJSON.string)),
                "leftOut": .array(receivedBackup.skippedPaths.map(StateJSON.string)),
                "elsewhere": .array(
                    receivedBackup.movedApplications.map { .string($0.application) }),
            ]
            try Terminal.write(asJSON: members)
        } else if !context.isQuiet {
            for application in receivedBackup.movedApplications {
                Terminal.print(
                    "not in this backup: \(application.application), which the host "
                        + "\(application.host) runs")
            }
            for path in receivedBackup.skippedPaths {
                Terminal.print("not in this backup: \(path), which no application reads")
            }
            Terminal.print(
                "\(countPhrase(backup.archiveCount, "application")) backed up to \(directory): "
                    + "\(countPhrase(backup.files.count, "file")), "
                    + "\(countPhrase(receivedBackup.writer.byteCount, "byte"))"
                    + (problems.isEmpty && undecryptableFiles.isEmpty
                        ? ", every file is intact" : ""))
            if problems.isEmpty, let firstFile = undecryptableFiles.first {
                Terminal.print(
                    "\(countPhrase(undecryptableFiles.count, "encrypted file")) not verified: \(firstFile)"
                )
            }
        }
        if !problems.isEmpty {
            throw Failure(
                "\(problems.abridgedLines)\nThe daemon's files or its disk may be damaged as well: check the disk.",
                hasPrintedReply: context.printsJSON, isMultiline: true)
        }
    }
}
