import ArgumentParser
import Encryption
import Glibc
import LinuxIO
import RepriseControl
import SavedState
import SystemPackage
import TerminalText
import Varlink

struct BackupCommand: DaemonCommand, OptionIgnoring {
    static let ignoredOptions: Set = ["--no-pager"]
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract:
            "Copies the saved state and the documents of a running daemon into a new directory.",
        discussion: """
            Before the copy, every object is saved; the archive and the documents of an application are of the same \
            moment. History and quarantine are not copied. `reprisectl restore` puts the copy into a state directory.
            The command verifies every byte of each archive. Encrypted archives stay encrypted, and their verification \
            needs the key. Without --key this is the credential reprise.key in $CREDENTIALS_DIRECTORY.
            Exit status: 0 the backup is complete and every archive is whole, 1 it is not.
            """)

    @OptionGroup var daemon: DaemonOptions
    @OptionGroup private var named: ApplicationOption
    @OptionGroup(visibility: .private) private var scene: SceneOption

    @Argument(help: "The directory, which must not exist.", completion: .directory)
    var directory: String

    @Option(
        help: ArgumentHelp(
            "A file with the key of encrypted archives; - is standard input.", valueName: "file"),
        completion: .file())
    var key: String?

    func validate() throws {
        try scene.refuse()
        if directory.isEmpty { throw ValidationError("The directory has no name: name a new one.") }
    }

    func run(in session: Session) throws {
        let keys = try KeyFile.keys(named: key)
        // FilePath removes trailing slashes.
        let path = FilePath(directory).string
        // Also a symbolic link to nothing.
        var status = stat()
        guard lstat(path, &status) != 0 else {
            throw Failure(
                "'\(path.printable)' exists already: name a new directory.", status: .usage)
        }
        let name = FilePath(path).lastComponent?.string ?? path
        do {
            let parent = try Directory.openOrMake(path.containingFolder)
            let received = try receive("\(name).partial", in: parent, session)
            do {
                try received.writer.finish(as: name)
            } catch {
                received.writer.discard()
                throw error
            }
            try report(received.writer, at: path, elsewhere: received.elsewhere, keys, session)
        } catch let error as IOError
            where error.operation == .makeFolder && error.code == EEXIST
        {
            throw Failure(
                "'\(path.printable).partial' exists, perhaps from an interrupted backup: remove it and try again.",
                status: .usage)
        } catch let error as IOError {
            throw Failure("\(error)")
        }
    }

    /// Receives all files. After a restart of the daemon the backup begins again.
    ///
    /// - Returns: The files, and the applications that other hosts of the cluster run.
    private func receive(
        _ name: String, in parent: Directory, _ session: Session
    ) throws -> (writer: BackupWriter, elsewhere: [MovedApplication]) {
        var call = BackupCall()
        call.application = named.application ?? session.application
        var writer: BackupWriter?
        var last: BackupCall.Reply?
        do {
            try session.daemon.follow {
                writer?.discard()
                writer = nil
                return call
            } body: { bytes in
                let part = try BackupCall.decode(bytes)
                let files = try writer ?? BackupWriter(name, in: parent)
                writer = files
                if part.path == nil {
                    last = part
                    return false
                }
                try files.write(part)
                return true
            }
            guard let last, let writer else {
                throw Failure("the daemon ended the backup early: try again.", status: .noDaemon)
            }
            return (writer, last.elsewhere ?? [])
        } catch {
            writer?.discard()
            throw error
        }
    }

    private func report(
        _ writer: BackupWriter, at directory: String, elsewhere: [MovedApplication],
        _ keys: EncryptionKeys, _ session: Session
    ) throws {
        var problems: [String] = []
        let archives = writer.files.filter { $0.hasSuffix("/\(ApplicationArchive.fileName)") }
        for archive in archives {
            do {
                let inspected = try InspectedArchive(path: "\(directory)/\(archive)", keys: keys)
                problems += [inspected.problem].compactMap(\.self)
            } catch let failure as Failure {
                problems.append(failure.description)
            }
        }
        if session.json {
            let members: [String: StateJSON] = [
                "directory": .string(directory), "files": .integer(Int64(writer.files.count)),
                "bytes": .integer(Int64(writer.byteCount)),
                "problems": .array(problems.map(StateJSON.string)),
                "elsewhere": .array(elsewhere.map { .string($0.application) }),
            ]
            Terminal.write(json: String(decoding: try JSONText.encode(members), as: UTF8.self))
        } else if !session.isQuiet {
            for application in elsewhere {
                Terminal.print(
                    "not in this backup: \(application.application), which the host "
                        + "\(application.host) runs")
            }
            Terminal.print(
                "\(count(archives.count, "application")) backed up to \(directory): "
                    + "\(count(writer.files.count, "file")), \(count(writer.byteCount, "byte"))"
                    + (problems.isEmpty ? ", every archive is whole" : ""))
        }
        if !problems.isEmpty {
            throw Failure(
                problems.joined(separator: "\n"), isAnswered: session.json, hasLines: true)
        }
    }
}
