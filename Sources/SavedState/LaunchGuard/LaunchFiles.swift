import Encryption
import FoundationEssentials
import Glibc
import LinuxIO

/// The files of a ``LaunchGuard``, the ledger's and that of the stamps, for one thread at a time.
///
/// The ledger's file is a line of JSON, the ledger as it was when the file was written, and then
/// one line for each event since. It is written anew, durably before it gets its name, when a
/// process takes it over, when its events take more bytes than the ledger, and after a failure.
/// The first file of all takes no one's place, and waits for no disk until an event has to.
struct LaunchFiles {
    static let ledgerName = "launches"
    static let temporaryName = "launches.new"
    static let damagedName = "launches.damaged"
    static let stampName = "stamp"
    /// The most bytes of each file that are read.
    private static let mostBytes = 64 << 20
    /// So many bytes of events stand in the ledger's file whatever the ledger takes.
    private static let fewBytes = 1 << 17

    private let folder: any Folder
    /// The folder in which a dying process can write.
    private let stampFolder: any Folder
    /// The ledger's file, to add events to; nil: it has to be written anew.
    private var file: (any FolderFile)?
    /// Whether a power cut leaves the file its name.
    private var isNameDurable = false
    /// How many bytes of events may still be added to it.
    private var room = 0

    init(in folder: any Folder, stampsIn stampFolder: any Folder) {
        self.folder = folder
        self.stampFolder = stampFolder
    }

    // MARK: Writing

    /// Writes events down, or, where no line can be added, the ledger that they led to.
    mutating func write(
        _ events: [LaunchEvent], of ledger: LaunchLedger, durably: Bool
    ) throws(IOError) {
        let lines = events.flatMap(Self.line)
        if let file, lines.count <= room {
            do throws(IOError) {
                // Another name (a hard link) of the file must not change with it.
                guard try file.status().linkCount < 2 else { return try write(ledger) }
                try file.write(lines)
                if durably {
                    try file.synchronizeData()
                    if !isNameDurable { try folder.synchronize() }
                    isNameDurable = true
                }
                room -= lines.count
                return
            } catch {}  // No line may follow a part of one: the file is written anew.
        }
        try write(ledger)
    }

    /// Writes the ledger's file anew, durably.
    mutating func write(_ ledger: LaunchLedger) throws(IOError) {
        let line = Self.line(ledger)
        file = nil
        file = try folder.replace(Self.ledgerName, with: line, temporary: Self.temporaryName)
        isNameDurable = true
        room = max(Self.fewBytes, line.count)
    }

    /// Writes the first ledger's file of a state directory.
    mutating func create(_ ledger: LaunchLedger) throws(IOError) {
        let line = Self.line(ledger)
        let created = try folder.createFile(Self.ledgerName)
        try created.write(line)
        file = created
        isNameDurable = false
        room = max(Self.fewBytes, line.count)
    }

    private static func line(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(value)) + [UInt8(ascii: "\n")]
        } catch {
            preconditionFailure("texts and numbers can always be written as JSON: \(error)")
        }
    }

    /// Empties the file of the stamps; gives it if it is one that the kernel knows.
    ///
    /// - Throws: `ELOOP`, too, if a symbolic link is there: what it leads to is no file of ours.
    func emptyStamps() throws(IOError) -> File? {
        if try stampFolder.entryStatus(of: Self.stampName)?.kind == .link {
            throw IOError(.open, path: "\(stampFolder.path)/\(Self.stampName)", code: ELOOP)
        }
        var found = try stampFolder.openForAppending(Self.stampName)
        // What another name (a hard link) leads to is no file of ours.
        if let status = try found?.status(), status.linkCount > 1 {
            try stampFolder.remove(Self.stampName)
            found = nil
        }
        let file: any FolderFile =
            if let found { found } else { try stampFolder.createFile(Self.stampName) }
        try file.truncate(to: 0)
        return file.kernelFile
    }

    // MARK: Reading

    /// The lines that dying processes left.
    func stamps() throws(IOError) -> [CrashStamp.Line] {
        CrashStamp.lines(try stampFolder.read(Self.stampName, limit: Self.mostBytes) ?? [])
    }

    /// Reads the ledger that the process before left, as far as that can be read. A file that
    /// cannot be used is moved away, and the problem told.
    ///
    /// - Returns: no ledger if there is no file.
    func ledger() throws(IOError) -> (LaunchLedger?, LaunchGuardProblem?) {
        let ledger: LaunchLedger
        let damage: String?
        do throws(IOError) {
            guard let bytes = try folder.read(Self.ledgerName, limit: Self.mostBytes) else {
                return (nil, nil)
            }
            (ledger, damage) = Self.parse(bytes)
        } catch  where error.lacksKey {
            throw error
        } catch {
            (ledger, damage) = (LaunchLedger(process: ""), "\(error)")
        }
        guard let damage else { return (ledger, nil) }
        try folder.rename(Self.ledgerName, to: Self.damagedName)
        return (ledger, .damaged(path: "\(folder.path)/\(Self.damagedName)", reason: damage))
    }

    /// The ledger that a file holds, as far as it can be read, and what is wrong with the file. An
    /// end that is cut off, as a power cut leaves it, is nothing wrong; nor is a file without
    /// bytes, or with zeros alone, in which nothing was noted yet.
    static func parse(_ bytes: [UInt8]) -> (ledger: LaunchLedger, damage: String?) {
        let newline = UInt8(ascii: "\n")
        let lines = bytes.split(separator: newline, omittingEmptySubsequences: false)
        let decoder = JSONDecoder()
        var ledger = LaunchLedger(process: "")
        // What is behind the last newline is no line.
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
            ledger, lines.count < 2 && bytes.contains { $0 != 0 } ? "it has no whole line." : nil
        )
    }
}
