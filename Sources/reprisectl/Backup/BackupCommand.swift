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

    func validate() throws { try scene.refuse() }

    func run(in session: Session) throws {
        let keys = try KeyFile.keys(named: key)
        // Without slashes at its end.
        let path = FilePath(directory).string
        guard access(path, F_OK) != 0 else {
            throw Failure(
                "'\(path.printable)' exists already: name a new directory.", status: .usage)
        }
        let temporary = "\(path).partial"
        do {
            let writer = try receive(into: temporary, session)
            try writer.finish()
            guard rename(temporary, path) == 0 else {
                throw IOError(.rename, path: temporary, code: errno)
            }
            try Directory.open(path.containingFolder)?.synchronize()
            try report(writer, at: path, keys, session)
        } catch {
            Self.remove(temporary)
            throw error is Failure ? error : Failure("\(error)")
        }
    }

    /// Receives all files. After a restart of the daemon the backup begins again.
    private func receive(into path: String, _ session: Session) throws -> BackupWriter {
        var call = BackupCall()
        call.application = named.application ?? session.application
        var writer: BackupWriter?
        var isComplete = false
        try session.daemon.follow {
            writer = nil
            return call
        } body: { bytes in
            let part = try BackupCall.decode(bytes)
            if writer == nil {
                Self.remove(path)
                writer = try BackupWriter(path)
            }
            if part.path == nil {
                isComplete = true
                return false
            }
            try writer?.write(part)
            return true
        }
        guard isComplete, let writer else {
            throw Failure("the daemon ended the backup early: try again.", status: .noDaemon)
        }
        return writer
    }

    private func report(
        _ writer: BackupWriter, at directory: String, _ keys: EncryptionKeys, _ session: Session
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
            ]
            Terminal.write(json: String(decoding: try JSONText.encode(members), as: UTF8.self))
        } else if !session.isQuiet {
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

    /// Removes a directory that was not finished, as far as that is possible.
    private static func remove(_ path: String) {
        do throws(IOError) {
            guard let root = try Directory.open(path) else { return }
            for name in try root.names() {
                guard let folder = try root.subfolder(name) else { continue }
                for name in try folder.names() {
                    guard let files = try folder.subfolder(name) else { continue }
                    for file in try files.names() { try files.remove(file) }
                    rmdir(files.path)
                }
                rmdir(folder.path)
            }
            rmdir(path)
        } catch {
            // The next backup to this directory says what is in its way.
        }
    }
}
