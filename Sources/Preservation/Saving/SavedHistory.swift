import ExactText
import FoundationEssentials
import LinuxIO
import Logging
import SavedState
import ServiceLifecycle
import StateRestoration

/// Object that reads an application's history and quarantine on behalf of clients.
///
/// Generations are read on a separate thread, because reading can take a long time.
final class SavedHistory {
    /// Maximum number of generations listed in an error.
    private static let maximumListedGenerations = 100
    /// Maximum number of generations that a search reads, newest first.
    private static let maximumSearchedGenerations = 16

    private let archive: ApplicationArchive
    private let log: ApplicationLog
    let queue: DiskQueue
    /// Quarantined files that do not count as new: acknowledged files, and files that existed when the program started.
    private var knownFiles: Set<QuarantinedFile>
    /// Error from the last attempt to list the quarantine, or `nil` if the attempt succeeded. A repeated error is
    /// logged only once.
    private var lastQuarantineError: String?

    private var bundleIdentifier: String { archive.bundleIdentifier }

    init(_ archive: ApplicationArchive, log: ApplicationLog) {
        self.archive = archive
        self.log = log
        queue = DiskQueue(label: "\(archive.bundleIdentifier).history")
        knownFiles = []
        do throws(IOError) {
            knownFiles = Set(
                try archive.quarantinedFiles(readsReasons: false).map(QuarantinedFile.init))
        } catch {
            log.log(
                .warning, .quarantineUnreadable,
                "the quarantine cannot be listed, so all files in it count as new: \(error)"
            )
        }
    }

    /// Returns the newest generations that precede the given generation, oldest first.
    ///
    /// - Parameters:
    ///   - name: The name of a generation, or `nil` to return the newest generations in the history.
    ///   - limit: The maximum number of generations to return.
    /// - Returns: The generations, and the number of older generations that were omitted because of the limit.
    func generations(
        before name: String?, limit: Int
    ) async throws(ApplicationError) -> (generations: [SavedGeneration], omittedCount: Int) {
        let generationName = name.flatMap { GenerationName($0) }
        if let name, generationName == nil { throw try noSuchGenerationError(name) }
        let reader = try makeReader()
        let result = try await runOnDiskQueue { isCancelled in
            Result { () throws(IOError) in
                let (files, omittedCount) = try reader.generations(
                    before: generationName, limit: limit)
                let generations = files.prefix { _ in !isCancelled() }.map { file in
                    SavedGeneration(
                        file,
                        Result { () throws(StoredStateError) in try reader.contents(of: file.name) }
                    )
                }
                return (generations, omittedCount)
            }
        }
        do throws(IOError) { return try result.get() } catch { throw historyUnreadableError(error) }
    }

    /// Returns the names of all generations without reading their files.
    func generationNames() async throws(ApplicationError) -> [GenerationName] {
        let reader = try makeReader()
        let result = try await runOnDiskQueue { _ in
            Result { () throws(IOError) in try reader.generations(limit: .max).files }
        }
        do throws(IOError) {
            return try result.get().compactMap { GenerationName($0.name) }
        } catch {
            throw historyUnreadableError(error)
        }
    }

    /// Reads a generation.
    ///
    /// - Parameter name: The name of the generation, with or without leading zeros.
    func readGeneration(_ name: String) async throws(ApplicationError) -> StoredContents {
        let result = try await readGeneration(name, from: try makeReader())
        do throws(StoredStateError) {
            return try result.get()
        } catch {
            if case .unknown = error { throw try noSuchGenerationError(name) }
            throw .generationUnreadable(
                application: bundleIdentifier, generation: name, reason: "\(error)")
        }
    }

    /// Reads a generation for a rollback, which reports failures in its own way.
    ///
    /// - Parameter name: The name of the generation, with or without leading zeros.
    func readResult(
        ofGeneration name: String
    ) async throws(ApplicationError) -> Result<StoredContents, StoredStateError> {
        let reader: HistoryReader
        do throws(IOError) { reader = try archive.historyReader() } catch {
            return .failure(.io(error))
        }
        return try await readGeneration(name, from: reader)
    }

    private func readGeneration(
        _ name: String, from reader: HistoryReader
    ) async throws(ApplicationError) -> Result<StoredContents, StoredStateError> {
        try await runOnDiskQueue { _ in
            Result { () throws(StoredStateError) in try reader.contents(of: name) }
        }
    }

    /// Finds the newest generation that contains an object.
    ///
    /// Only the newest ``maximumSearchedGenerations`` generations are searched.
    ///
    /// - Parameters:
    ///   - path: The restoration path of the object.
    ///   - scene: The name of the object's scene.
    /// - Returns: A sentence with the command that rolls back to the generation, or `nil` if no readable generation
    ///   contains the object.
    func findNewestGeneration(
        of path: String, in scene: RestorationIdentifier
    ) async throws(ApplicationError) -> String? {
        let reader = try makeReader()
        let foundGeneration = try await runOnDiskQueue { isCancelled -> (StoredFile, String)? in
            do throws(IOError) {
                for file in try reader.generations(limit: Self.maximumSearchedGenerations).files
                    .reversed()
                {
                    if isCancelled() { return nil }
                    let classToken = Result { () throws(StoredStateError) in
                        try reader.contents(of: file.name).contents.classToken(at: path, in: scene)
                    }
                    if case .success(let classToken?) = classToken { return (file, classToken) }
                }
            } catch {
                // This error is reported by requests that list the history.
            }
            return nil
        }
        guard let (file, classToken) = foundGeneration else { return nil }
        return "Generation \(file.name) contains it as \(classToken): "
            + "\(archive.rollBackCommand(to: file.path, scene: scene.text)) brings it back, with the rest of the scene."
    }

    /// Reads a file in quarantine.
    func readQuarantined(_ name: String) async throws(ApplicationError) -> StoredContents {
        do throws(StoredStateError) {
            return try archive.contents(ofQuarantinedFile: name)
        } catch {
            if case .unknown = error {
                throw .notInQuarantine(application: bundleIdentifier, name: name)
            }
            throw .quarantineUnreadable(application: bundleIdentifier, reason: "\(error)")
        }
    }

    /// Compares two states value by value.
    ///
    /// - Parameters:
    ///   - from: The name of the generation that contains the first state.
    ///   - to: The name of the generation that contains the second state, or `nil` for the current saved state.
    func compare(
        _ first: StoredContents, named from: String, with second: StoredContents, named to: String?
    ) async throws(ApplicationError) -> GenerationComparison {
        let differences = try await runOnDiskQueue { _ in
            StateComparison.differences(
                from: first.contents.comparisonSide, to: second.contents.comparisonSide)
        }
        func displayName(_ name: String) -> String { GenerationName(name).map { "\($0)" } ?? name }
        return GenerationComparison(
            from: displayName(from), to: to.map(displayName), differences: differences,
            problems: [first, second].compactMap(\.problem))
    }

    /// Returns the error for a generation that does not exist.
    func noSuchGenerationError(_ name: String) throws(ApplicationError) -> ApplicationError {
        let reader = try makeReader()
        do throws(IOError) {
            return .noSuchGeneration(
                application: bundleIdentifier, generation: name,
                generations: try reader.generations(limit: Self.maximumListedGenerations).files.map(
                    \.name))
        } catch {
            throw historyUnreadableError(error)
        }
    }

    /// Returns the entries in quarantine, oldest first.
    ///
    /// - Parameter readsReasons: Whether to read the reasons. If `false`, the entries have no reasons.
    func quarantineEntries(readsReasons: Bool = true) async throws(ApplicationError)
        -> [QuarantineEntry]
    {
        let listFiles: @Sendable () throws(IOError) -> [StoredFile]
        do throws(IOError) {
            listFiles = try archive.makeQuarantineListing(readsReasons: readsReasons)
        } catch {
            throw quarantineUnreadableError(error)
        }
        let result = try await runOnDiskQueue(orThrow: ApplicationError.quarantineUnreadable) { _ in
            Result(catching: listFiles)
        }
        do throws(IOError) {
            return try result.get().map {
                QuarantineEntry(
                    name: $0.name, path: $0.path, kind: QuarantineEntry.Kind($0.kind),
                    reason: $0.reason, time: $0.time.map { Date(microseconds: $0) },
                    byteCount: $0.byteCount)
            }
        } catch {
            throw quarantineUnreadableError(error)
        }
    }

    /// Returns the new entries in quarantine, oldest first and without their reasons.
    ///
    /// If the quarantine cannot be listed, the error is logged once and thrown.
    func newQuarantineEntries() async throws(ApplicationError) -> [QuarantineEntry] {
        do throws(ApplicationError) {
            let entries = try await quarantineEntries(readsReasons: false)
            lastQuarantineError = nil
            return entries.filter { !knownFiles.contains(QuarantinedFile($0)) }
        } catch {
            if case .quarantineUnreadable = error, !Task.isCancelled {
                if lastQuarantineError != "\(error)" {
                    log.log(.warning, .quarantineUnreadable, "\(error)")
                }
                lastQuarantineError = "\(error)"
            }
            throw error
        }
    }

    /// Marks quarantined files as known, so that they no longer count as new.
    func acknowledge(_ entries: [QuarantineEntry]) {
        knownFiles.formUnion(entries.map(QuarantinedFile.init))
    }

    /// Runs a closure on the queue's thread.
    ///
    /// - Parameter unreadableError: A closure that returns the error to throw if the task is cancelled.
    /// - Throws: `ending` if a graceful shutdown begins before the closure has returned, or the error from
    ///   `unreadableError` if the task is cancelled. A graceful shutdown does not wait for reads.
    private func runOnDiskQueue<Result: Sendable>(
        orThrow unreadableError: (_ application: String, _ reason: String) -> ApplicationError =
            ApplicationError.historyUnreadable,
        _ body: @escaping @Sendable (_ isCancelled: () -> Bool) -> Result
    ) async throws(ApplicationError) -> Result {
        let result = await cancelWhenGracefulShutdown { [queue] in
            await queue.runUnlessCancelled(body)
        }
        if let result { return result }
        guard Task.isCancelled else { throw .ending(application: bundleIdentifier) }
        throw unreadableError(bundleIdentifier, "the call was cancelled")
    }

    private func makeReader() throws(ApplicationError) -> HistoryReader {
        do throws(IOError) { return try archive.historyReader() } catch {
            throw historyUnreadableError(error)
        }
    }

    private func quarantineUnreadableError(_ error: IOError) -> ApplicationError {
        .quarantineUnreadable(application: bundleIdentifier, reason: "\(error)")
    }

    private func historyUnreadableError(_ error: IOError) -> ApplicationError {
        .historyUnreadable(application: bundleIdentifier, reason: "\(error)")
    }
}

/// Identity of a quarantined file. It is used to recognize known files.
private struct QuarantinedFile: Hashable {
    let name: ExactString
    /// Time at which the file was quarantined, or `nil` if it is unknown.
    let time: Date?

    init(_ file: StoredFile) {
        name = ExactString(file.name)
        time = file.time.map { Date(microseconds: $0) }
    }

    init(_ entry: QuarantineEntry) {
        name = ExactString(entry.name)
        time = entry.time
    }
}
