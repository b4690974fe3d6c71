import Glibc
package import LinuxIO
package import StateRecords

// Generations and quarantined files.

extension ApplicationArchive {
    // MARK: Adding generations

    /// Requires that the current state be saved as a generation before the next write.
    ///
    /// The current state includes changes that could not be saved yet. The next write adds the generation to the
    /// history, or throws an error if that fails.
    ///
    /// - Parameter reason: Phrase that explains why the generation is added.
    package func requireGeneration(because reason: String) throws(SaveError) {
        try checkLoaded()
        if generationTracker.requiredGeneration != nil { return }
        let state = log.needsWrite ? try encodedState() : nil
        generationTracker.requiredGeneration = GenerationTracker.RequiredGeneration(
            archiveBytes: state, reason: reason)
    }

    /// Whether a generation must be added to the history before anything else is written.
    package var isGenerationRequired: Bool {
        generationTracker.requiredGeneration?.isDeferred == false
    }

    /// Whether the archive may be written even though the required generation exists only in memory.
    package var isGenerationDeferred: Bool {
        generationTracker.requiredGeneration?.isDeferred == true
    }

    /// Phrase that explains why the required generation is added, or an empty string if no generation is required.
    package var requiredGenerationReason: String {
        generationTracker.requiredGeneration?.reason ?? ""
    }

    /// Adds the required generation to the history. After an error, the generation is still required.
    ///
    /// - Returns: Path of the generation, or `nil` if no generation is required or there is no file to copy.
    @discardableResult
    package func makeRequiredGeneration() throws(SaveError) -> String? {
        try checkLoaded()
        return try storeRequiredGeneration { bytes, reason throws(IOError) in
            try addGeneration(bytes, in: openOrCreateDirectory(), because: reason)
        }
    }

    /// Stores the required generation in quarantine because it could not be added to the history.
    ///
    /// - Parameter failure: Sentence that explains why the generation could not be added to the history.
    /// - Returns: Path of the file in quarantine, or `nil` if no generation is required or there is no file to copy.
    package func quarantineRequiredGeneration(because failure: String) throws(SaveError) -> String?
    {
        try storeRequiredGeneration { bytes, reason throws(IOError) in
            try NumberedFileDirectory(.quarantine, in: openOrCreateDirectory()).store(
                bytes, as: StateDirectoryLayout.archiveFileName,
                because:
                    "It should have been added to the history, because \(reason), but this failed: \(failure)"
            ).path
        }
    }

    /// Stores the required generation, if there is one, and clears the requirement.
    ///
    /// - Parameter store: Closure that stores bytes together with a reason, and returns the path of the new file.
    private func storeRequiredGeneration(
        _ store: (_ bytes: [UInt8], _ reason: String) throws(IOError) -> String
    ) throws(SaveError) -> String? {
        guard let requiredGeneration = generationTracker.requiredGeneration else { return nil }
        return try SaveError.wrapping { () throws(IOError) in
            var path: String?
            if let bytes = try bytes(of: requiredGeneration) {
                path = try store(bytes, requiredGeneration.reason)
            }
            generationTracker.markRequiredGenerationStored()
            return path
        }
    }

    /// Retains the required generation in memory until it can be stored. In the meantime, the archive may be written.
    ///
    /// - Throws: ``SaveError`` if the state cannot be read. In this case, the archive must not be written.
    package func deferRequiredGeneration() throws(SaveError) {
        guard var requiredGeneration = generationTracker.requiredGeneration else { return }
        requiredGeneration.archiveBytes = try SaveError.wrapping(try bytes(of: requiredGeneration))
        requiredGeneration.isDeferred = true
        generationTracker.requiredGeneration =
            requiredGeneration.archiveBytes == nil ? nil : requiredGeneration
    }

    private func bytes(of generation: GenerationTracker.RequiredGeneration) throws(IOError)
        -> [UInt8]?
    {
        if let state = generation.archiveBytes { return state }
        guard
            let bytes = try location.openDirectory()?.read(
                StateDirectoryLayout.archiveFileName, limit: location.maximumFileBytes)
        else {
            return nil
        }
        return Array(bytes.prefix(RecordParser.usedByteCount(bytes)))
    }

    /// Returns whether the application's directory, or a history directory that existed in it, has been removed (L4).
    package func isHistoryRemoved() throws(IOError) -> Bool {
        guard let directory = try location.openDirectory() else { return true }
        if !generationTracker.historyDirectoryExisted { return false }
        return try directory.entryStatus(of: NumberedFileDirectory.Kind.history.rawValue) == nil
    }

    /// Returns a digest of the state in memory, excluding pass times.
    package func stateDigest() -> UInt64 { store.digest() }

    /// Returns the newest generation, or `nil` if no generation exists or the history cannot be read.
    package func newestGeneration() -> StoredFile? {
        do throws(IOError) { return try generations().last } catch { return nil }
    }

    /// Adds the state in memory to the history as a durable generation, regardless of the file's contents.
    ///
    /// If another generation is required, it is added first.
    ///
    /// - Returns: Path of the generation, or `nil` if there is no state to save.
    @discardableResult
    package func makeGeneration(because reason: String) throws(SaveError) -> String? {
        try makeRequiredGeneration()
        if store.count == 0 { return nil }
        let state = try encodedState()
        generationTracker.invalidateNewestGeneration()
        let path = try SaveError.wrapping(
            try addGeneration(state, in: openOrCreateDirectory(), because: reason))
        generationTracker.recordGeneration(at: path, store.digest())
        return path
    }

    /// Returns the path of the newest generation if its contents equal the state in memory, or `nil` otherwise.
    ///
    /// Pass times are not compared. The result is also `nil` if the history cannot be read or another generation must
    /// be made first.
    package func unchangedGenerationPath() -> String? {
        store.count == 0
            ? nil : generationTracker.newestGenerationPath(withDigest: store.digest(), at: location)
    }

    func addGeneration(
        _ bytes: [UInt8], in directory: any DirectoryProtocol, because reason: String
    ) throws(IOError) -> String {
        let path = try location.readFiles { () throws(IOError) in
            try NumberedFileDirectory(.history, in: directory).store(bytes, because: reason).path
        }
        generationTracker.historyDirectoryExisted = true
        return path
    }

    /// Returns the complete state in memory, encoded as an archive.
    func encodedState() throws(SaveError) -> [UInt8] {
        let records = store.allRecords()
        try log.checkLength(of: records)
        return log.encodeCopy(records)
    }

    // MARK: Existing generations

    /// Creates a reader for the application's generations.
    package func historyReader() throws(IOError) -> HistoryReader {
        try HistoryReader(at: location)
    }

    /// Returns all generations (see ``HistoryReader/generations(before:limit:)``).
    package func generations() throws(IOError) -> [StoredFile] {
        try historyReader().generations().files
    }

    /// Reads a generation (see ``HistoryReader/contents(of:)``).
    package func contents(ofGeneration name: String) throws(StoredStateError) -> StoredContents {
        try StoredStateError.wrapping(try historyReader()).contents(of: name)
    }

    /// Reads a generation, given the path of its file.
    package func contents(ofGenerationAt path: String) throws(StoredStateError) -> StoredContents {
        guard let name = GenerationName(path: path) else {
            throw .unknown(name: path, in: location.path(of: .history))
        }
        return try contents(ofGeneration: name.description)
    }

    /// Deletes the generation of a cancelled operation.
    ///
    /// - Parameter path: Path that ``makeGeneration(because:)`` returned.
    package func removeGeneration(at path: String) {
        guard let name = GenerationName(path: path) else { return }
        generationTracker.invalidateNewestGeneration()
        do throws(IOError) { try openDirectory(.history)?.remove(name.fileName) } catch {}
    }

    /// Deletes a generation durably.
    ///
    /// - Parameter name: Number of the generation, with or without leading zeros.
    /// - Throws: ``StoredStateError/unknown(name:in:)`` if no generation has this name, or ``StoredStateError/io(_:)``
    ///   if the generation cannot be removed.
    package func deleteGeneration(_ name: String) throws(StoredStateError) {
        generationTracker.invalidateNewestGeneration()
        let isDeleted = try StoredStateError.wrapping { () throws(IOError) in
            guard let generation = GenerationName(name) else { return false }
            return try openDirectory(.history)?.delete(generation.fileName) ?? false
        }
        if !isDeleted { throw .unknown(name: name, in: location.path(of: .history)) }
    }

    /// Deletes a file from quarantine durably.
    ///
    /// - Throws: ``StoredStateError/unknown(name:in:)`` if no file has this name, or ``StoredStateError/io(_:)`` if the
    ///   file cannot be removed.
    package func deleteQuarantinedFile(_ name: String) throws(StoredStateError) {
        let isDeleted = try StoredStateError.wrapping { () throws(IOError) in
            try openDirectory(.quarantine)?.delete(name) ?? false
        }
        if !isDeleted { throw .unknown(name: name, in: quarantinePath(of: "")) }
    }

    /// Removes the oldest generations until both limits are met, but never the newest generation.
    ///
    /// Call this function after adding a generation.
    ///
    /// - Parameters:
    ///   - count: Maximum number of generations.
    ///   - bytes: Maximum total size of the generations in bytes.
    package func pruneGenerations(count: Int, bytes: Int) -> PrunedFiles {
        prune(.history, count: count, bytes: bytes)
    }

    // MARK: Quarantine

    /// Durably copies the saved state of the given scenes to a new archive in quarantine (L2).
    ///
    /// The copy includes changes that have not been saved yet. To remove the scenes from this archive, append the turns
    /// that ``removalTurn(ofScene:)`` returns.
    ///
    /// - Parameters:
    ///   - scenes: Numbers of the scenes' records.
    ///   - reason: Reason for the quarantine, as a sentence.
    /// - Returns: Name of the file in quarantine, or `nil` if the archive contains none of these scenes.
    package func quarantineScenes(
        _ scenes: [UInt32], reason: String
    ) throws(SaveError) -> String? {
        try checkLoaded()
        let scenesToQuarantine = scenes.compactMap { store[$0] }.filter { $0.header.parent == 0 }
        guard let first = scenesToQuarantine.first else { return nil }
        let records = store.allRecords(of: scenesToQuarantine.map(\.header.number))
        try log.checkLength(of: records)
        let bytes = log.encodeNewFile(records).bytes
        let suffix =
            scenesToQuarantine.count == 1
            ? NumberedName.suffix(for: first.header.identifier)
            : StateDirectoryLayout.archiveFileName
        return try SaveError.wrapping(
            try NumberedFileDirectory(.quarantine, in: openOrCreateDirectory())
                .store(bytes, as: suffix, because: reason).name)
    }

    /// Returns a turn that removes a scene and all of its objects from the archive.
    package func removalTurn(ofScene scene: UInt32) -> TurnRecords {
        var turn = TurnRecords()
        turn.addRemoval(scene)
        turn.endPass(PassEnd())
        return turn
    }

    /// Deletes the quarantined copy of scenes whose removal has been cancelled.
    ///
    /// - Parameter name: Name that ``quarantineScenes(_:reason:)`` returned.
    package func removeQuarantinedFile(_ name: String) {
        do throws(IOError) {
            try openDirectory(.quarantine)?.remove(name)
        } catch {
            log.incidents.append(.cleanupFailed(error))
        }
    }

    /// Copies another program's archive to quarantine durably.
    ///
    /// - Parameter reason: Reason for the quarantine, as a sentence.
    /// - Returns: Path of the copy.
    package func quarantine(
        _ replacement: ReplacementArchive, reason: String
    ) throws(IOError) -> String {
        try NumberedFileDirectory(.quarantine, in: openOrCreateDirectory())
            .store(replacement.bytes, as: StateDirectoryLayout.archiveFileName, because: reason)
            .path
    }

    /// Moves another program's file, if there is one, from the archive's path to quarantine.
    ///
    /// The change is reported after the state has been saved.
    func quarantineForeignFile(
        in directory: any DirectoryProtocol, because reason: String
    ) throws(IOError) {
        guard try directory.entryStatus(of: StateDirectoryLayout.archiveFileName) != nil else {
            // If a report is deferred, an earlier attempt moved the file but may not have made its new name durable.
            guard log.incidents.hasDeferredIncidents else { return }
            try NumberedFileDirectory(.quarantine, existingIn: directory)?.directory.synchronize()
            return
        }
        try NumberedFileDirectory(.quarantine, in: directory).move(
            StateDirectoryLayout.archiveFileName, as: StateDirectoryLayout.archiveFileName,
            because: "Another program changed or replaced the archive: \(reason)."
        ) { quarantinePath in
            log.incidents.appendDeferred(
                .changedExternally(reason: reason, quarantinePath: quarantinePath))
        }
    }

    /// Copies the loaded file to quarantine if it had a torn end. Call this method before the file is replaced.
    func quarantineTornCopy(in directory: any DirectoryProtocol) throws(IOError) {
        guard let tornArchive else { return }
        let pruningError = try tornArchive.quarantine(in: directory)
        self.tornArchive = nil
        if let pruningError { log.incidents.append(.cleanupFailed(pruningError)) }
    }

    /// Returns all entries in quarantine, ordered by name.
    ///
    /// The list includes entries that an operator added. If the reason for an entry cannot be read, the reason is
    /// `nil`.
    ///
    /// - Parameter readsReasons: Whether to read the reasons. If not, each reason is `nil`.
    package func quarantinedFiles(readsReasons: Bool = true) throws(IOError) -> [StoredFile] {
        try makeQuarantineListing(readsReasons: readsReasons)()
    }

    /// Returns a function that lists the quarantine (see ``quarantinedFiles(readsReasons:)``).
    ///
    /// Any thread may call the function.
    package func makeQuarantineListing(readsReasons: Bool = true)
        throws(IOError) -> @Sendable () throws(IOError) -> [StoredFile]
    {
        let directory = try openDirectory(.quarantine)
        return { [location] () throws(IOError) in
            try location.readFiles { () throws(IOError) in
                try directory?.list(readsReasons: readsReasons) ?? []
            }
        }
    }

    /// Reads a quarantined document, or returns `nil` if the file contains saved state or does not exist.
    ///
    /// - Parameter limit: Maximum size in bytes.
    package func quarantinedDocument(
        _ file: String, limit: Int
    ) throws(StoredStateError) -> (name: String, bytes: [UInt8])? {
        try StoredStateError.wrapping { () throws(IOError) in
            try openDirectory(.quarantine)?.document(in: file, limit: limit)
        }
    }

    /// Reads an archive in quarantine (see ``StoredContents``).
    ///
    /// - Parameter referencedNameNumbers: See ``ArchiveSalvage/init(_:bundleIdentifier:referencedNameNumbers:)``. If this parameter
    ///   is `nil`, individual objects are not salvaged.
    package func contents(
        ofQuarantinedFile name: String,
        salvaging referencedNameNumbers: ((ObjectRecord) -> [UInt32]?)? = nil
    ) throws(StoredStateError) -> StoredContents {
        let quarantine = try StoredStateError.wrapping(try openDirectory(.quarantine))
        func read(
            _ referencedNameNumbers: ((ObjectRecord) -> [UInt32]?)?
        ) throws(StoredStateError) -> StoredContents {
            let contents = try quarantine?.contents(
                of: name, at: location, salvaging: referencedNameNumbers)
            guard let contents else { throw .unknown(name: name, in: quarantinePath(of: "")) }
            return contents
        }
        do throws(StoredStateError) {
            return try read(referencedNameNumbers)
        } catch {
            guard case .damaged(let path, let reason) = error, referencedNameNumbers == nil else {
                throw error
            }
            do throws(StoredStateError) { _ = try read { _ in [] } } catch { throw error }
            throw .damaged(
                path: path,
                reason:
                    "\(reason) ("
                    + instruction(
                        "quarantine put-back \(name) --salvage",
                        orCall: "putBack(\"\(name)\", salvaging: true)")
                    + " puts back its intact objects)")
        }
    }

    /// Returns the path of a file in quarantine.
    package func quarantinePath(of name: String) -> String {
        "\(location.path(of: .quarantine))/\(name)"
    }

    /// Removes the oldest files from quarantine until both limits are met (see ``pruneGenerations(count:bytes:)``).
    ///
    /// Files without a number are retained.
    ///
    /// - Parameter names: Names of files that may still be restored. These files are retained but count toward the
    ///   limits.
    package func pruneQuarantine(
        count: Int, bytes: Int, keeping names: [String] = []
    ) -> PrunedFiles {
        prune(.quarantine, count: count, bytes: bytes, keeping: names)
    }

    private func prune(
        _ kind: NumberedFileDirectory.Kind, count: Int, bytes: Int, keeping names: [String] = []
    ) -> PrunedFiles {
        do throws(IOError) {
            let directory = try openDirectory(kind)
            if kind == .history { generationTracker.historyDirectoryExisted = directory != nil }
            return try location.readFiles { () throws(IOError) in
                try directory?.prune(count: count, bytes: bytes, keeping: names) ?? PrunedFiles()
            }
        } catch {
            return PrunedFiles(failure: error)
        }
    }

    /// Opens the history or quarantine directory, or returns `nil` if the directory does not exist.
    private func openDirectory(_ kind: NumberedFileDirectory.Kind) throws(IOError)
        -> NumberedFileDirectory?
    {
        try NumberedFileDirectory(kind, existingIn: location.openDirectory())
    }
}
