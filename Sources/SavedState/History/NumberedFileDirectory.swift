import ExactText
import Glibc
package import LinuxIO
import StateRecords

/// Directory of numbered files that belongs to an application: its history or its quarantine.
///
/// The name of a new file begins with a number that is one higher than the highest number in use. A file is never a
/// hard link to the archive's file. The reason for storing a file is a line of text in a second file, whose name is the
/// first file's name followed by `.reason`. Existing files are never replaced.
struct NumberedFileDirectory: Sendable {
    /// Kind of the directory.
    enum Kind: String, Sendable {
        /// Generations, for example `000012.archive`. The reason is optional.
        case history
        /// Refused or damaged state, for example `000002-main.archive`. The reason is required.
        case quarantine
    }

    static let reasonSuffix = ".reason"
    static let temporaryName = "archive.new"

    private let kind: Kind
    private let applicationDirectory: any DirectoryProtocol
    let directory: any DirectoryProtocol

    /// Opens the directory. If the directory does not exist, creates it durably.
    init(_ kind: Kind, in applicationDirectory: any DirectoryProtocol) throws(IOError) {
        self.kind = kind
        self.applicationDirectory = applicationDirectory
        directory = try applicationDirectory.openOrCreateSubdirectory(kind.rawValue)
        // The directory entry may not be durable even if it already exists, because an earlier attempt to create the
        // directory may have failed before the sync.
        try applicationDirectory.synchronize()
    }

    /// Opens the directory, or returns `nil` if it does not exist.
    init?(_ kind: Kind, existingIn applicationDirectory: (any DirectoryProtocol)?) throws(IOError) {
        guard let applicationDirectory,
            let directory = try applicationDirectory.openSubdirectory(kind.rawValue)
        else { return nil }
        self.kind = kind
        self.applicationDirectory = applicationDirectory
        self.directory = directory
    }

    /// Returns the path of a file in this directory.
    func path(of file: String) -> String { "\(directory.path)/\(file)" }

    // MARK: Storing

    /// Stores bytes durably under a new name.
    ///
    /// - Parameters:
    ///   - suffix: Suffix of the file name in quarantine.
    ///   - reason: Reason for storing the file. It is a phrase in the history, and a sentence in quarantine.
    @discardableResult
    func store(
        _ bytes: [UInt8], as suffix: String = "", because reason: String
    ) throws(IOError) -> (name: String, path: String) {
        let name = try nextName(for: suffix)
        try writeReason(reason, of: name)
        try directory.replace(name, with: bytes, temporaryName: Self.temporaryName)
        return (name, path(of: name))
    }

    /// Moves a file from the application's directory to this directory.
    ///
    /// For the other parameters, see ``store(_:as:because:)``.
    ///
    /// - Parameter didRename: Closure that is called with the file's new path before the new name is made durable.
    @discardableResult
    func move(
        _ file: String, as suffix: String = "", because reason: String,
        didRename: (_ path: String) -> Void = { _ in }
    ) throws(IOError) -> (name: String, path: String) {
        let name = try nextName(for: suffix)
        try writeReason(reason, of: name)
        try applicationDirectory.rename(file, to: "\(kind.rawValue)/\(name)")
        didRename(path(of: name))
        // The new name becomes durable first, so that the file has at least one of the two names after a power cut.
        try directory.synchronize()
        try applicationDirectory.synchronize()
        return (name, path(of: name))
    }

    /// Returns a new name with a number that is one higher than the highest number in use.
    ///
    /// In the history, a number counts as unused if only a reason file has that number. The reason file is then
    /// replaced.
    private func nextName(for suffix: String) throws(IOError) -> String {
        let number = 1 + (try directory.names().compactMap(number).max() ?? 0)
        guard number <= NumberedName.highestNumber else {
            throw IOError(.create, path: path(of: "\(number)"), code: EOVERFLOW)
        }
        switch kind {
        case .history: return "\(NumberedName.paddedNumber(number))\(GenerationName.suffix)"
        case .quarantine: return "\(NumberedName.paddedNumber(number))-\(suffix)"
        }
    }

    /// Returns the number that a file with this name occupies, or `nil` if it occupies no number.
    private func number(of name: String) -> Int? {
        switch kind {
        case .history: GenerationName(fileName: name)?.number
        case .quarantine: NumberedName.number(of: name)
        }
    }

    /// Writes the file with the reason.
    ///
    /// In the history, errors are ignored, because a generation is more important than its reason. An incomplete line
    /// is ignored when the reason is read.
    private func writeReason(_ reason: String, of name: String) throws(IOError) {
        let line = String(reason.map { $0.isNewline ? " " : $0 })
        do throws(IOError) {
            try directory.remove(name + Self.reasonSuffix)
            try directory.writeNewFile(name + Self.reasonSuffix, Array("\(line)\n".utf8))
        } catch {
            if kind == .quarantine { throw error }
        }
    }

    // MARK: Listing

    /// Returns the files in this directory.
    ///
    /// In the history, only generations are returned, ordered by number. In quarantine, entries of any kind are
    /// returned, ordered by name.
    ///
    /// - Parameter readsReasons: Whether to read the reasons. If not, each reason is `nil`.
    func list(readsReasons: Bool = true) throws(IOError) -> [StoredFile] {
        let names =
            switch kind {
            case .history: try generationNames().map(\.fileName)
            case .quarantine: try directory.names().filter(isListed)
            }
        return try files(named: names, readsReasons: readsReasons)
    }

    /// Returns the files with these names, except files that no longer exist.
    ///
    /// - Parameter readsReasons: Whether to read the reasons. If not, each reason is `nil`.
    func files(named names: [String], readsReasons: Bool = true) throws(IOError) -> [StoredFile] {
        var storedFiles: [StoredFile] = []
        for name in names {
            guard let status = try status(of: name) else { continue }
            if kind == .history, status.kind != .file { continue }
            let reasonFile = name + Self.reasonSuffix
            var time = try directory.entryStatus(of: reasonFile)?.modificationTime
            if kind == .history, time == nil {
                time = try directory.entryStatus(of: name)?.modificationTime
            }
            storedFiles.append(
                StoredFile(
                    name: displayName(name), path: path(of: name), kind: status.kind,
                    reason: readsReasons ? readReason(from: reasonFile) : nil,
                    byteCount: status.size,
                    time: time))
        }
        return storedFiles
    }

    /// Returns a file's name for display. A generation is displayed as its number.
    private func displayName(_ name: String) -> String {
        kind == .history ? GenerationName(fileName: name)?.description ?? name : name
    }

    /// Reads a listed archive, or returns `nil` if no listed file has this name.
    func contents(
        of name: String, at location: ArchiveLocation,
        salvaging referencedNameNumbers: ((ObjectRecord) -> [UInt32]?)? = nil
    ) throws(StoredStateError) -> StoredContents? {
        // Only listed names are accepted, because other names could lead outside the directory.
        let kind = try StoredStateError.wrapping { () throws(IOError) -> FileKind? in
            guard isListed(name) else { return nil }
            return try status(of: name)?.kind
        }
        guard let kind else { return nil }
        guard kind == .file else { throw .notAFile(path: path(of: name), kind: kind) }
        return try location.readFiles { () throws(StoredStateError) in
            let bytes = try StoredStateError.wrapping(
                try directory.read(name, limit: location.maximumFileBytes))
            return try bytes.map { bytes throws(StoredStateError) in
                try StoredContents(
                    bytes, path: path(of: name), bundleIdentifier: location.bundleIdentifier,
                    salvaging: referencedNameNumbers)
            }
        }
    }

    /// Reads a quarantined document, or returns `nil` if no quarantined document has this name.
    ///
    /// - Parameter limit: Maximum size in bytes.
    func document(
        in file: String, limit: Int
    ) throws(IOError) -> (name: String, bytes: [UInt8])? {
        guard isListed(file), NumberedName.number(of: file) != nil,
            let dash = file.utf8.firstIndex(of: UInt8(ascii: "-")),
            !file.hasSuffix(GenerationName.suffix), try status(of: file)?.kind == .file,
            let bytes = try directory.read(file, limit: limit)
        else { return nil }
        return (String(file[file.utf8.index(after: dash)...]), bytes)
    }

    private func isListed(_ name: String) -> Bool {
        switch kind {
        case .history: GenerationName(fileName: name) != nil
        case .quarantine:
            !name.hasSuffix(Self.reasonSuffix)
                && ![Self.temporaryName, "", ".", ".."].contains(name)
                && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
        }
    }

    /// Returns the status of an entry. For a generation, a symbolic link is followed.
    private func status(of name: String) throws(IOError) -> FileStatus? {
        kind == .history ? try directory.status(of: name) : try directory.entryStatus(of: name)
    }

    /// Maximum number of bytes of a reason that are displayed.
    private static let maximumReasonBytes = 4096

    /// Returns the first line of a reason file.
    ///
    /// Returns `nil` if the file cannot be read, if the line is empty or, in the history, if the line is incomplete.
    private func readReason(from name: String) -> String? {
        let bytes: [UInt8]
        do throws(IOError) {
            guard try directory.entryStatus(of: name)?.kind == .file,
                let read = try directory.openForReading(name)?.read(
                    upTo: Self.maximumReasonBytes + 1)
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
        let text = String(decoding: line.prefix(Self.maximumReasonBytes), as: UTF8.self)
        return line.count > Self.maximumReasonBytes ? "\(text)…" : text
    }

    // MARK: Removing

    /// Removes the oldest numbered files until both limits are met.
    ///
    /// The newest file and the files to retain count toward the limits but are not removed.
    ///
    /// A file that cannot be removed counts as removed, so that no other file is removed in its place. The removal is
    /// not made durable, because the next pruning removes a file that reappears after a power cut. Reasons without a
    /// file are also removed, unless their numbers could then be reused.
    ///
    /// - Parameters:
    ///   - count: Maximum number of files.
    ///   - bytes: Maximum total size of the files in bytes.
    ///   - retainedNames: Names of the files to retain.
    ///   - isIncluded: Closure that returns whether the limits apply to a file. All other files are retained and do not
    ///     count toward the limits.
    func prune(
        count: Int, bytes: Int, keeping retainedNames: [String] = [],
        where isIncluded: (String) throws(IOError) -> Bool = { _ in true }
    ) throws(IOError) -> PrunedFiles {
        var prunedFiles = PrunedFiles()
        let retainedNames = Set(retainedNames.map { ExactString($0) })
        let names = try directory.names()
        var presentNames = Set(names.map { ExactString($0) })
        var files: [(name: String, number: Int, size: Int)] = []
        for name in names where isListed(name) {
            guard let number = number(of: name), try isIncluded(name),
                let status = try status(of: name), status.kind == .file
            else { continue }
            files.append((name, number, status.size))
        }
        files.sort { $0.number != $1.number ? $0.number < $1.number : $0.name < $1.name }
        // The sum of the reported sizes may exceed Int.max.
        var remainingTotals = (
            count: files.count, bytes: files.reduce(Int128(0)) { $0 + Int128($1.size) }
        )
        for file in files.dropLast() where !retainedNames.contains(ExactString(file.name)) {
            if remainingTotals.count <= count, remainingTotals.bytes <= Int128(bytes) { break }
            remainingTotals = (remainingTotals.count - 1, remainingTotals.bytes - Int128(file.size))
            if remove(file.name, &prunedFiles) {
                prunedFiles.removedNames.append(displayName(file.name))
                presentNames.remove(ExactString(file.name))
            }
        }
        let highestNumber = files.last?.number ?? 0
        for name in names where name.hasSuffix(Self.reasonSuffix) {
            let file = String(name.dropLast(Self.reasonSuffix.count))
            guard let number = number(of: file), !presentNames.contains(ExactString(file)),
                kind == .history || number < highestNumber
            else { continue }
            _ = remove(name, &prunedFiles)
        }
        return prunedFiles
    }

    /// Removes a file and its reason, without making the removal durable.
    func remove(_ name: String) throws(IOError) {
        try directory.remove(name)
        try directory.remove(name + Self.reasonSuffix)
    }

    /// Deletes a listed file and its reason durably.
    ///
    /// - Returns: Whether the file existed.
    func delete(_ name: String) throws(IOError) -> Bool {
        guard isListed(name), try status(of: name) != nil else { return false }
        try remove(name)
        try directory.synchronize()
        return true
    }

    private func remove(_ file: String, _ prunedFiles: inout PrunedFiles) -> Bool {
        do throws(IOError) {
            return try directory.remove(file)
        } catch {
            prunedFiles.failure = error
            return false
        }
    }
}

/// Entry in quarantine or in the history.
package struct StoredFile: Sendable, Equatable {
    /// Name of the entry, for example `000002-main.archive`. The name of a generation is its number.
    package var name: String
    /// Path of the entry.
    package var path: String
    /// Kind of the entry. State can be restored only from a regular file.
    package var kind = FileKind.file
    /// Reason for storing the entry, or `nil` if there is no reason or if the reason was not read.
    package var reason: String?
    /// Size in bytes.
    package var byteCount: Int
    /// Time at which the entry was stored, in microseconds since 1970-01-01 UTC.
    ///
    /// This is the modification time of the file that contains the reason. If there is no such file, the time is the
    /// generation's own modification time in the history, or `nil` in quarantine.
    package var time: Int64?
}

/// Result of pruning a directory.
///
/// The next pruning retries the files that could not be removed.
package struct PrunedFiles: Sendable, Equatable {
    /// Names of the files that have been removed, oldest first.
    package var removedNames: [String] = []
    /// Error that prevented a file from being checked or removed, or `nil` if there was no error.
    package var failure: IOError?
}
