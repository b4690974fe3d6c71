import ExactText
import Logging
import SavedState
public import StateRestoration

// History, quarantine and snapshots of an application.

extension Application {
    /// Returns the application's generations, oldest first.
    ///
    /// The application does not need to be running.
    ///
    /// - Throws: ``ApplicationError/historyUnreadable(application:reason:)`` if the history cannot be read, or
    ///   ``ApplicationError/ending(application:)`` during the graceful shutdown of the program.
    public func history() async throws(ApplicationError) -> [SavedGeneration] {
        try await history(before: nil, limit: .max).generations
    }

    /// Returns the application's newest generations, oldest first.
    ///
    /// The application does not need to be running.
    ///
    /// - Parameters:
    ///   - name: The name of a generation. Only older generations are returned. If the name is `nil`, generations of
    ///     any age are returned.
    ///   - limit: The maximum number of generations to return.
    /// - Returns: The generations, and the number of older generations that were omitted because of the limit.
    /// - Throws: ``ApplicationError/historyUnreadable(application:reason:)`` if the history cannot be read,
    ///   ``ApplicationError/ending(application:)`` during the graceful shutdown of the program, or
    ///   ``ApplicationError/noSuchGeneration(application:generation:generations:)`` if no generation has the name
    ///   `name`.
    package func history(
        before name: String?, limit: Int
    ) async throws(ApplicationError) -> (generations: [SavedGeneration], omittedCount: Int) {
        try await savedHistory.generations(before: name, limit: limit)
    }

    /// Finds the newest generation that contains an object.
    ///
    /// - Parameters:
    ///   - path: The restoration path of the object.
    ///   - scene: The name of the object's scene.
    /// - Returns: A sentence with the command that rolls back to the generation, or `nil` if no generation contains the
    ///   object.
    package func findNewestGeneration(
        of path: String, in scene: RestorationIdentifier
    ) async throws(ApplicationError) -> String? {
        try await savedHistory.findNewestGeneration(of: path, in: scene)
    }

    /// Compares a generation with another generation, or with the current saved state, value by value.
    ///
    /// If the application is running and the current state is needed, a full pass is made first (P18).
    ///
    /// - Parameters:
    ///   - from: The name of a generation, with or without leading zeros.
    ///   - to: The name of another generation, or `nil` for the current saved state.
    /// - Throws: ``ApplicationError``: `noSuchGeneration`, `generationUnreadable` or `historyUnreadable`. If the
    ///   current saved state is unknown, the error is `notRunning` or `failed`.
    public func diff(
        from: String, to: String? = nil
    ) async throws(ApplicationError) -> GenerationComparison {
        try await diff(from: from, to: to, readOnly: false)
    }

    /// Makes the same comparison as ``diff(from:to:)``, optionally without saving state.
    ///
    /// - Parameter isReadOnly: Whether the comparison must neither save state nor read the archive. If `true`, the
    ///   comparison uses the state of the last pass, or throws `notRunning` if the archive has not been read yet.
    package func diff(
        from: String, to: String?, readOnly isReadOnly: Bool
    ) async throws(ApplicationError) -> GenerationComparison {
        let firstContents = try await savedHistory.readGeneration(from)
        let secondContents: StoredContents
        if let to {
            secondContents = try await savedHistory.readGeneration(to)
        } else {
            await waitForLaunch()
            if hostedScenes != nil, !isReadOnly { runTurn(.demand) }
            secondContents = StoredContents(
                path: archivePath, contents: try currentContents(readOnly: isReadOnly))
        }
        return try await savedHistory.compare(
            firstContents, named: from, with: secondContents, named: to)
    }

    /// Returns the snapshot that was stored with a scene's saved state.
    ///
    /// Every full pass stores a snapshot. Full passes are made when the application stops, when the scene is closed,
    /// and before a generation is added. The application does not need to be running.
    ///
    /// - Parameters:
    ///   - scene: The name of the scene, or `nil` for the first configured scene.
    ///   - source: The state that contains the scene.
    /// - Returns: The snapshot, or `nil` if no snapshot was stored.
    /// - Throws: ``ApplicationError``: `noSuchScene` if the saved or quarantined state does not contain the scene, or
    ///   another error if the state cannot be read.
    public func snapshot(
        of scene: String? = nil, in source: SavedStateSource
    ) async throws(ApplicationError) -> SceneSnapshot? {
        try await snapshot(of: scene, in: source, readOnly: false)
    }

    /// Returns the same snapshot as ``snapshot(of:in:)``, optionally without reading the archive.
    ///
    /// - Parameter isReadOnly: Whether the archive must not be read. If `true` and the archive has not been read yet,
    ///   the method throws `notRunning`.
    package func snapshot(
        of scene: String?, in source: SavedStateSource, readOnly isReadOnly: Bool
    ) async throws(ApplicationError) -> SceneSnapshot? {
        let contents: ArchiveContents
        switch source {
        case .saved: contents = try currentContents(readOnly: isReadOnly)
        case .generation(let name): contents = try await savedHistory.readGeneration(name).contents
        case .quarantined(let name):
            contents = try await savedHistory.readQuarantined(name).contents
        }
        let scenes = contents.savedScenes
        let name = scene ?? definition.scenes.first?.text ?? scenes.first?.name.text ?? ""
        guard let savedScene = scenes.first(where: { $0.name.text == name }) else {
            if case .generation(let generation) = source {
                throw .generationUnreadable(
                    application: bundleIdentifier, generation: generation,
                    reason: "it has no scene \(name), but "
                        + scenes.map(\.name.text).joined(separator: ", "))
            }
            throw .noSuchScene(
                application: bundleIdentifier, scene: name, scenes: scenes.map(\.name.text))
        }
        return savedScene.saved.reservedState(names: NameTable(contents.names)).snapshot
    }

    /// Returns the current saved state.
    ///
    /// - Parameter isReadOnly: Whether the archive must not be read. Reading can quarantine a damaged archive and add a
    ///   generation.
    private func currentContents(readOnly isReadOnly: Bool) throws(ApplicationError)
        -> ArchiveContents
    {
        if !isReadOnly {
            do throws(SaveError) {
                try loadIfNotRunning()
            } catch {
                throw .failed(application: bundleIdentifier, reason: "\(error)")
            }
        }
        guard let contents = saver.archive.contents else { throw unavailableError }
        return contents
    }

    /// Returns the files in the application's quarantine, oldest first.
    ///
    /// The application does not need to be running.
    ///
    /// - Throws: ``ApplicationError/quarantineUnreadable(application:reason:)`` if the quarantine cannot be read, or
    ///   ``ApplicationError/ending(application:)`` during the graceful shutdown of the program.
    public func quarantined() async throws(ApplicationError) -> [QuarantineEntry] {
        try await savedHistory.quarantineEntries()
    }

    /// Returns the new files in quarantine, oldest first and without their reasons.
    ///
    /// A file is new if it was quarantined after the program started and has not been acknowledged.
    ///
    /// If the quarantine cannot be read, the error is logged once. Nothing is logged if the task is cancelled or if the
    /// program's shutdown interrupts the call.
    package func newQuarantineEntries() async throws(ApplicationError) -> [QuarantineEntry] {
        try await savedHistory.newQuarantineEntries()
    }

    // MARK: Deleting

    /// Deletes generations from the history. The deletion is durable.
    ///
    /// The application does not need to be running.
    ///
    /// - Parameter names: The names of the generations, with or without leading zeros.
    /// - Throws: ``ApplicationError``: `noSuchGeneration` if a generation does not exist, or `historyUnreadable` if the
    ///   history cannot be read. In both cases, no generation is deleted. If the file system returns an error, the
    ///   method throws `notDeleted`, and the preceding generations in `names` have already been deleted.
    public func deleteGenerations(_ names: [String]) async throws(ApplicationError) {
        let existingNames = Set(try await savedHistory.generationNames())
        for name in names where !(GenerationName(name).map(existingNames.contains) ?? false) {
            throw try savedHistory.noSuchGenerationError(name)
        }
        for name in names {
            try deleteStoredFile(name) { () throws(StoredStateError) in
                try saver.archive.deleteGeneration(name)
            }
            log.log(.notice, .generationsRemoved, "deleted from the history: \(name)")
            let deletedGeneration = GenerationName(name)
            for (scene, launchRecords) in launchSequence.sceneLaunchGuard
                .launchRecordsOfReplacedScenes
            where launchRecords.replaced.flatMap({ GenerationName(path: $0) }) == deletedGeneration
            {
                launchSequence.sceneLaunchGuard.record(
                    { .replaced(scene: $0, generation: nil) }, of: [scene], durably: true)
            }
        }
    }

    /// Deletes files from the quarantine. The deletion is durable.
    ///
    /// The application does not need to be running. Scenes whose state is only in the deleted files can no longer be
    /// restored.
    ///
    /// - Parameter names: The names of the files in quarantine.
    /// - Throws: ``ApplicationError``: `notInQuarantine` if a file does not exist, or `quarantineUnreadable` if the
    ///   quarantine cannot be read. In both cases, no file is deleted. If the file system returns an error, the method
    ///   throws `notDeleted`, and the preceding files in `names` have already been deleted.
    public func deleteQuarantined(_ names: [String]) async throws(ApplicationError) {
        let existingNames = Set(try await quarantined().map { ExactString($0.name) })
        for name in names where !existingNames.contains(ExactString(name)) {
            throw .notInQuarantine(application: bundleIdentifier, name: name)
        }
        for name in names {
            try deleteStoredFile(name) { () throws(StoredStateError) in
                try saver.archive.deleteQuarantinedFile(name)
            }
            log.log(.notice, .quarantineRemoved, "deleted from quarantine: \(name)")
            launchSequence.sceneLaunchGuard.record(
                LaunchEvent.restoredFromQuarantine,
                of: launchSequence.sceneLaunchGuard.scenes(withQuarantined: name),
                durably: true)
        }
    }

    /// Marks all files in quarantine as known, so that they are no longer reported as new.
    ///
    /// - Throws: ``ApplicationError/quarantineUnreadable(application:reason:)`` if the quarantine cannot be read.
    public func acknowledgeQuarantine() async throws(ApplicationError) {
        savedHistory.acknowledge(try await quarantined())
    }

    private func deleteStoredFile(
        _ name: String, _ body: () throws(StoredStateError) -> Void
    ) throws(ApplicationError) {
        do throws(StoredStateError) {
            try body()
        } catch {
            // Another program may already have removed the file.
            if case .unknown = error { return }
            throw .notDeleted(application: bundleIdentifier, name: name, reason: "\(error)")
        }
    }
}
