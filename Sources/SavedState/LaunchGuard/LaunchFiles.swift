import Encryption
import FoundationEssentials
import Glibc
import LinuxIO

/// Files that a ``LaunchGuard`` uses: the ledger and the stamps. Only one thread at a time may use a value of this
/// type.
///
/// The first line of the ledger's file contains the ledger at the time the file was written, as JSON. Each subsequent
/// line contains a later event. The file is rewritten when a new process adopts it, when the events take up too much
/// space, and after an error. The new file is durable before it is renamed to its final name. The first file in a state
/// directory is not made durable until an event requires it.
struct LaunchFiles {
    static let ledgerName = "launches"
    static let temporaryName = "launches.new"
    static let damagedName = "launches.damaged"
    static let stampName = "stamp"
    /// Maximum number of bytes to read from each file.
    private static let maximumBytes = 64 << 20
    /// Limit on the total length of the events in the ledger's file, in bytes.
    ///
    /// If the ledger itself is longer, the limit is the length of the ledger.
    private static let minimumEventByteLimit = 1 << 17

    private let directory: any DirectoryProtocol
    /// Directory in which a crashing process can write unencrypted stamps.
    private let stampDirectory: any DirectoryProtocol
    /// The ledger's file, to which events are appended, or `nil` if the file must be rewritten.
    private var file: (any FileProtocol)?
    /// Whether the file's name is durable.
    private var isDirectoryEntryDurable = false
    /// Number of bytes of events that may still be appended.
    private var remainingEventBytes = 0

    init(in directory: any DirectoryProtocol, stampsIn stampDirectory: any DirectoryProtocol) {
        self.directory = directory
        self.stampDirectory = stampDirectory
    }

    // MARK: Writing

    /// Appends events to the ledger's file, or rewrites the file if that is not possible.
    ///
    /// - Parameters:
    ///   - ledger: Ledger to which the events have already been applied.
    ///   - durably: Whether the events must survive a power cut.
    mutating func write(
        _ events: [LaunchEvent], of ledger: LaunchLedger, durably: Bool
    ) throws(IOError) {
        let lines = events.flatMap(Self.encodedLine)
        if let file, lines.count <= remainingEventBytes {
            do throws(IOError) {
                // If the file has other hard links, its contents must not change.
                guard try file.status().linkCount < 2 else { return try write(ledger) }
                try file.write(lines)
                if durably {
                    try file.synchronizeData()
                    if !isDirectoryEntryDurable { try directory.synchronize() }
                    isDirectoryEntryDurable = true
                }
                remainingEventBytes -= lines.count
                return
            } catch {}  // No line may follow an incomplete line, so the file is rewritten.
        }
        try write(ledger)
    }

    /// Rewrites the ledger's file durably.
    mutating func write(_ ledger: LaunchLedger) throws(IOError) {
        let line = Self.encodedLine(ledger)
        file = nil
        file = try directory.replace(Self.ledgerName, with: line, temporaryName: Self.temporaryName)
        isDirectoryEntryDurable = true
        remainingEventBytes = max(Self.minimumEventByteLimit, line.count)
    }

    /// Creates the first ledger file in a state directory.
    mutating func create(_ ledger: LaunchLedger) throws(IOError) {
        let line = Self.encodedLine(ledger)
        let createdFile = try directory.createFile(Self.ledgerName)
        try createdFile.write(line)
        file = createdFile
        isDirectoryEntryDurable = false
        remainingEventBytes = max(Self.minimumEventByteLimit, line.count)
    }

    private static func encodedLine(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(value)) + [UInt8(ascii: "\n")]
        } catch {
            preconditionFailure("texts and numbers can always be written as JSON: \(error)")
        }
    }

    /// Empties or creates the stamp file and returns it, or returns `nil` if it has no kernel descriptor.
    ///
    /// - Throws: `ELOOP` if the file is a symbolic link, because the link's target may belong to another program.
    func truncateStampFile() throws(IOError) -> File? {
        if try stampDirectory.entryStatus(of: Self.stampName)?.kind == .link {
            throw IOError(.open, path: "\(stampDirectory.path)/\(Self.stampName)", code: ELOOP)
        }
        var existingFile = try stampDirectory.openForAppending(Self.stampName)
        // A file with other hard links may belong to another program.
        if let status = try existingFile?.status(), status.linkCount > 1 {
            try stampDirectory.remove(Self.stampName)
            existingFile = nil
        }
        let file: any FileProtocol =
            if let existingFile { existingFile } else {
                try stampDirectory.createFile(Self.stampName)
            }
        try file.truncate(to: 0)
        return file.descriptorBackedFile
    }

    // MARK: Reading

    /// Returns the stamps left by crashed processes.
    func readStamps() throws(IOError) -> [CrashRecorder.Line] {
        CrashRecorder.lines(
            in: try stampDirectory.read(Self.stampName, limit: Self.maximumBytes) ?? [])
    }

    /// Reads the previous process's ledger, stopping at the first damaged line.
    ///
    /// A damaged file is renamed, and the problem is returned.
    ///
    /// - Returns: The ledger, or `nil` if the file does not exist; and the problem with the file, if any.
    func readLedger() throws(IOError) -> (LaunchLedger?, LaunchGuardProblem?) {
        let ledger: LaunchLedger
        let damageDescription: String?
        do throws(IOError) {
            guard let bytes = try directory.read(Self.ledgerName, limit: Self.maximumBytes) else {
                return (nil, nil)
            }
            (ledger, damageDescription) = Self.parse(bytes)
        } catch  where error.indicatesMissingKey {
            throw error
        } catch {
            (ledger, damageDescription) = (LaunchLedger(processID: ""), "\(error)")
        }
        guard let damageDescription else { return (ledger, nil) }
        try directory.rename(Self.ledgerName, to: Self.damagedName)
        return (
            ledger,
            .damaged(path: "\(directory.path)/\(Self.damagedName)", reason: damageDescription)
        )
    }

    /// Parses the ledger's file, stopping at the first damaged line.
    ///
    /// An incomplete last line, for example after a power cut, does not count as damage. If it is the only line, it must
    /// be the start of a ledger without records, because only the first ledger can be incomplete.
    ///
    /// - Returns: The ledger, and a description of the damage, if any.
    static func parse(_ bytes: [UInt8]) -> (ledger: LaunchLedger, damage: String?) {
        let newline = UInt8(ascii: "\n")
        let lines = bytes.split(separator: newline, omittingEmptySubsequences: false)
        let decoder = JSONDecoder()
        var ledger = LaunchLedger(processID: "")
        // The bytes after the last newline are not a complete line.
        for (number, line) in lines.dropLast().enumerated() {
            do {
                if number == 0 {
                    ledger = try decoder.decode(LaunchLedger.self, from: Data(line))
                } else {
                    ledger.apply(try decoder.decode(LaunchEvent.self, from: Data(line)))
                }
            } catch {
                return (ledger, "line \(number + 1) is damaged.")
            }
        }
        return (
            ledger,
            lines.count < 2 && !isIncompleteFirstLedger(bytes)
                ? "it contains no complete line." : nil
        )
    }

    /// Returns whether a power cut can have left these bytes of a new file, whose ledger has no records yet.
    ///
    /// The bytes are the start of the ledger's line, which can be empty, and zeros.
    private static func isIncompleteFirstLedger(_ bytes: [UInt8]) -> Bool {
        let line = bytes.prefix { $0 != 0 }
        guard bytes[line.endIndex...].allSatisfy({ $0 == 0 }) else { return false }
        let processID = line.dropFirst(#"{"process":""#.utf8.count).prefix {
            $0 != UInt8(ascii: "\"")
        }
        return encodedLine(LaunchLedger(processID: String(decoding: processID, as: UTF8.self)))
            .starts(with: line)
    }
}
