import ExactText
import Glibc
package import LinuxIO
import StateRecords

/// A folder in an application's folder with numbered files: the history, or the quarantine.
///
/// A file's name begins with a number, one higher than the highest there. Each is a file of its
/// own, never another name of the archive's file. The reason lies beside it under the same name and
/// `.reason`, as a line of text for people. Nothing here is replaced.
struct NumberedFolder: Sendable {
    /// Which of the folders it is.
    enum Kind: String, Sendable {
        /// Generations: `000012.archive`. One without a reason is as good.
        case history
        /// Refused or damaged state: `000002-main.archive`. None is there without a reason.
        case quarantine
    }

    static let reasonSuffix = ".reason"
    static let temporaryName = "archive.new"

    private let kind: Kind
    private let applicationFolder: any Folder
    let folder: any Folder

    /// Makes the folder, durably, unless it is there.
    init(_ kind: Kind, in applicationFolder: any Folder) throws(IOError) {
        self.kind = kind
        self.applicationFolder = applicationFolder
        folder = try applicationFolder.makeSubfolder(kind.rawValue)
        // Even if it was there: the attempt that made it may have failed to make it durable.
        try applicationFolder.synchronize()
    }

    /// The folder as it is; nil if there is none.
    init?(_ kind: Kind, existingIn applicationFolder: (any Folder)?) throws(IOError) {
        guard let applicationFolder, let folder = try applicationFolder.subfolder(kind.rawValue)
        else { return nil }
        self.kind = kind
        self.applicationFolder = applicationFolder
        self.folder = folder
    }

    /// The path of a file here.
    func path(of file: String) -> String { "\(folder.path)/\(file)" }

    // MARK: Keeping

    /// Keeps bytes under a new name. Durable on return.
    ///
    /// - Parameters:
    ///   - shown: what the name ends in, in quarantine.
    ///   - reason: a clause in the history, a sentence in quarantine.
    @discardableResult
    func keep(
        _ bytes: [UInt8], as shown: String = "", because reason: String
    ) throws(IOError) -> (name: String, path: String) {
        let name = try nextName(for: shown)
        try leaveReason(reason, of: name)
        try folder.replace(name, with: bytes, temporary: Self.temporaryName)
        return (name, path(of: name))
    }

    /// Moves a file of the application's folder here, as ``keep(_:as:because:)`` keeps bytes.
    @discardableResult
    func take(
        _ file: String, as shown: String = "", because reason: String
    ) throws(IOError) -> (name: String, path: String) {
        let name = try nextName(for: shown)
        try leaveReason(reason, of: name)
        try applicationFolder.rename(file, to: "\(kind.rawValue)/\(name)")
        // The new name first: a power cut between the two may leave both, but never none.
        try folder.synchronize()
        try applicationFolder.synchronize()
        return (name, path(of: name))
    }

    /// One higher than the highest there. In the history a reason that nothing came of gives way:
    /// its number is not taken.
    private func nextName(for shown: String) throws(IOError) -> String {
        let number = 1 + (try folder.names().compactMap(number).max() ?? 0)
        guard number <= NumberedName.highest else {
            throw IOError(.create, path: path(of: "\(number)"), code: EOVERFLOW)
        }
        switch kind {
        case .history: return "\(NumberedName.text(number))\(GenerationName.suffix)"
        case .quarantine: return "\(NumberedName.text(number))-\(shown)"
        }
    }

    /// The number that a name takes, if it takes one.
    private func number(of name: String) -> Int? {
        switch kind {
        case .history: GenerationName(file: name)?.number
        case .quarantine: NumberedName.number(of: name)
        }
    }

    /// A generation must not be lost for want of a line about it, so there a failure is no error;
    /// what is left of the line then is not read.
    private func leaveReason(_ reason: String, of name: String) throws(IOError) {
        let line = String(reason.map { $0.isNewline ? " " : $0 })
        do throws(IOError) {
            try folder.remove(name + Self.reasonSuffix)
            try folder.writeNew(name + Self.reasonSuffix, Array("\(line)\n".utf8))
        } catch {
            if kind == .quarantine { throw error }
        }
    }

    // MARK: Listing

    /// What is kept here. In the history that is the generations by their numbers; in quarantine
    /// whatever somebody put there is listed, by its kind, in the order of the names' bytes.
    ///
    /// - Parameter readsReasons: whether the reasons are wanted; else there are none.
    func list(readsReasons: Bool = true) throws(IOError) -> [KeptFile] {
        let names =
            switch kind {
            case .history: try generationNames().map(\.file)
            case .quarantine: try folder.names().filter(isListed)
            }
        return try files(named: names, readsReasons: readsReasons)
    }

    /// The files with these names, without those that are not there any more.
    ///
    /// - Parameter readsReasons: Whether the reasons are wanted; otherwise each reason is `nil`.
    func files(named names: [String], readsReasons: Bool = true) throws(IOError) -> [KeptFile] {
        var all: [KeptFile] = []
        for name in names {
            guard let status = try status(of: name) else { continue }
            if kind == .history, status.kind != .file { continue }
            let reasonFile = name + Self.reasonSuffix
            let noted = try folder.entryStatus(of: reasonFile)?.modified
            all.append(
                KeptFile(
                    name: shown(name), path: path(of: name), kind: status.kind,
                    reason: readsReasons ? reason(reasonFile) : nil, byteCount: status.size,
                    time: kind == .history ? noted ?? status.modified : noted))
        }
        return all
    }

    /// What a person calls a file: a generation by its number.
    private func shown(_ name: String) -> String {
        kind == .history ? GenerationName(file: name)?.description ?? name : name
    }

    /// Reads a file that is listed; nil if none of that name is.
    func contents(
        of name: String, at place: ArchivePlace,
        salvaging namesUsed: ((ObjectRecord) -> [UInt32]?)? = nil
    ) throws(KeptStateError) -> KeptContents? {
        // Only what is listed: a name may not lead elsewhere.
        let kind = try KeptStateError.wrapping { () throws(IOError) -> FileKind? in
            guard isListed(name) else { return nil }
            return try status(of: name)?.kind
        }
        guard let kind else { return nil }
        guard kind == .file else { throw .noFile(path: path(of: name), kind: kind) }
        return try place.readFiles { () throws(KeptStateError) in
            let bytes = try KeptStateError.wrapping(try folder.read(name, limit: place.limit))
            return try bytes.map { bytes throws(KeptStateError) in
                try KeptContents(
                    bytes, path: path(of: name), bundleIdentifier: place.bundleIdentifier,
                    salvaging: namesUsed)
            }
        }
    }

    private func isListed(_ name: String) -> Bool {
        switch kind {
        case .history: GenerationName(file: name) != nil
        case .quarantine:
            !name.hasSuffix(Self.reasonSuffix)
                && ![Self.temporaryName, "", ".", ".."].contains(name)
                && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
        }
    }

    /// What is under a name; a generation may lie elsewhere, with a symbolic link to it.
    private func status(of name: String) throws(IOError) -> FileStatus? {
        kind == .history ? try folder.status(of: name) : try folder.entryStatus(of: name)
    }

    /// The most bytes of a reason that are told.
    private static let mostReasonBytes = 4096

    /// The first line of a file with a reason; nil if it cannot be read or, in the history, is cut
    /// off.
    private func reason(_ name: String) -> String? {
        let bytes: [UInt8]
        do throws(IOError) {
            guard try folder.entryStatus(of: name)?.kind == .file,
                let read = try folder.openForReading(name)?.read(upTo: Self.mostReasonBytes + 1)
            else { return nil }
            bytes = read
        } catch {
            return nil
        }
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
        if line.isEmpty { return nil }
        if kind == .history {
            return line.count < bytes.count ? String(validating: line, as: UTF8.self) : nil
        }
        let told = String(decoding: line.prefix(Self.mostReasonBytes), as: UTF8.self)
        return line.count > Self.mostReasonBytes ? "\(told)…" : told
    }

    // MARK: Removing

    /// Removes the oldest files that have numbers, as long as there are more than so many, or as
    /// they have more bytes; never the newest one, and none of those that are to stay, which count.
    ///
    /// One that cannot be removed counts as gone: the others do not have to give way to it. Nothing
    /// is made durable, because what comes back after a power cut is removed the next time; and so
    /// is a reason that is left alone, unless its number would be given again.
    ///
    /// - Parameters:
    ///   - stays: the names of files that stay, although they count.
    ///   - belongs: whether a file is one of those that are looked at.
    func prune(
        count: Int, bytes: Int, keeping stays: [String] = [],
        where belongs: (String) throws(IOError) -> Bool = { _ in true }
    ) throws(IOError) -> PrunedFiles {
        var pruned = PrunedFiles()
        let stays = Set(stays.map { ExactString($0) })
        let names = try folder.names()
        var present = Set(names.map { ExactString($0) })
        var files: [(name: String, number: Int, size: Int)] = []
        for name in names where isListed(name) {
            guard let number = number(of: name), try belongs(name),
                let status = try status(of: name), status.kind == .file
            else { continue }
            files.append((name, number, status.size))
        }
        files.sort { $0.number != $1.number ? $0.number < $1.number : $0.name < $1.name }
        // The sum of the reported sizes may exceed Int.max.
        var left = (count: files.count, bytes: files.reduce(Int128(0)) { $0 + Int128($1.size) })
        for file in files.dropLast() where !stays.contains(ExactString(file.name)) {
            if left.count <= count, left.bytes <= Int128(bytes) { break }
            left = (left.count - 1, left.bytes - Int128(file.size))
            if remove(file.name, &pruned) {
                pruned.removed.append(shown(file.name))
                present.remove(ExactString(file.name))
            }
        }
        let highest = files.last?.number ?? 0
        for name in names where name.hasSuffix(Self.reasonSuffix) {
            let file = String(name.dropLast(Self.reasonSuffix.count))
            guard let number = number(of: file), !present.contains(ExactString(file)),
                kind == .history || number < highest
            else { continue }
            _ = remove(name, &pruned)
        }
        return pruned
    }

    /// Removes a file that nobody needs after all, and its reason.
    func remove(_ name: String) throws(IOError) {
        try folder.remove(name)
        try folder.remove(name + Self.reasonSuffix)
    }

    /// Deletes a listed file and its reason, durably.
    ///
    /// - Returns: Whether there was such a file.
    func delete(_ name: String) throws(IOError) -> Bool {
        guard isListed(name), try status(of: name) != nil else { return false }
        try remove(name)
        try folder.synchronize()
        return true
    }

    private func remove(_ file: String, _ pruned: inout PrunedFiles) -> Bool {
        do throws(IOError) {
            return try folder.remove(file)
        } catch {
            pruned.failure = error
            return false
        }
    }
}

/// Something that is kept in quarantine or in the history.
package struct KeptFile: Sendable, Equatable {
    /// Its name: `000002-main.archive`, or of a generation its number.
    package var name: String
    /// Its path.
    package var path: String
    /// What it is; only a file can be put back.
    package var kind = FileKind.file
    /// Why it is there; nil if nobody left a reason.
    package var reason: String?
    /// How many bytes it has.
    package var byteCount: Int
    /// When it was put there, going by the file with the reason: microseconds since 1970, UTC.
    /// Without that file nil; of a generation the time of its own file.
    package var time: Int64?
}

/// What became of the files that were too many; what stayed is tried again the next time.
package struct PrunedFiles: Sendable, Equatable {
    /// The names of those that were removed, the oldest first.
    package var removed: [String] = []
    /// Reason something could not be removed, or looked at; nil: everything could.
    package var failure: IOError?
}
