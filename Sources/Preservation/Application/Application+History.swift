import ExactText
import Logging
import SavedState
public import StateRestoration

// The history and the quarantine of an application, and its snapshots.

extension Application {
    /// Returns the generations of the application, the oldest first.
    ///
    /// The application need not run.
    ///
    /// - Throws: ``ApplicationError/historyUnreadable(application:reason:)``, or
    ///   ``ApplicationError/ending(application:)`` during the graceful shutdown of the program.
    public func history() async throws(ApplicationError) -> [SavedGeneration] {
        try await history(before: nil, limit: .max).generations
    }

    /// Returns the newest generations of the application, the oldest of them first.
    ///
    /// The application need not run.
    ///
    /// - Parameters:
    ///   - name: Name of a generation. Only older generations are returned. If it is `nil`, all generations
    ///     are considered.
    ///   - limit: Maximum number of generations.
    /// - Returns: The generations, and the number of older generations that the limit omits.
    /// - Throws: ``ApplicationError/historyUnreadable(application:reason:)``,
    ///   ``ApplicationError/ending(application:)`` during the graceful shutdown of the program, or
    ///   ``ApplicationError/noSuchGeneration(application:generation:generations:)`` if no generation is named
    ///   `name`.
    package func history(
        before name: String?, limit: Int
    ) async throws(ApplicationError) -> (generations: [SavedGeneration], omitted: Int) {
        try await savedHistory.generations(before: name, limit: limit)
    }

    /// Finds the newest generation that contains an object.
    ///
    /// - Parameters:
    ///   - path: Restoration path of the object.
    ///   - scene: Name of its scene.
    /// - Returns: A sentence with the command that rolls back to the generation, or `nil` if no generation
    ///   contains the object.
    package func copy(
        of path: String, in scene: RestorationIdentifier
    ) async throws(ApplicationError) -> String? {
        try await savedHistory.copy(of: path, in: scene)
    }

    /// Compares a generation with another generation, or with the current saved state, value by value.
    ///
    /// If the application runs and the current state is needed, a full pass is made first (P18).
    ///
    /// - Parameters:
    ///   - from: Name of a generation, with or without leading zeros.
    ///   - to: Name of another generation. If it is `nil`, the generation is compared with the current saved
    ///     state.
    /// - Throws: ``ApplicationError``: `noSuchGeneration`, `generationUnreadable` or `historyUnreadable`. If
    ///   the current saved state is unknown, the error is `notRunning` or `failed`.
    public func diff(
        from: String, to: String? = nil
    ) async throws(ApplicationError) -> GenerationComparison {
        try await diff(from: from, to: to, looking: false)
    }

    /// Compares a generation, like ``diff(from:to:)``.
    ///
    /// - Parameter isReadOnly: Whether the comparison must neither save nor read the archive. The comparison then
    ///   uses the state of the last pass. If the archive was not read yet, the error is `notRunning`.
    package func diff(
        from: String, to: String?, looking isReadOnly: Bool
    ) async throws(ApplicationError) -> GenerationComparison {
        let first = try await savedHistory.read(from)
        let second: StoredContents
        if let to {
            second = try await savedHistory.read(to)
        } else {
            await waitForLaunch()
            if hosted != nil, !isReadOnly { runTurn(.demand) }
            second = StoredContents(path: archivePath, contents: try savedNow(looking: isReadOnly))
        }
        return try await savedHistory.compare(first, named: from, with: second, named: to)
    }

    /// Returns the text rendering of a scene that was stored with its saved state.
    ///
    /// A snapshot is stored by each pass over all objects: when the application stops, when the scene is
    /// closed, and before a generation is added. The application need not run.
    ///
    /// - Parameters:
    ///   - scene: Name of the scene. If it is `nil`, the first configured scene is used.
    ///   - source: State that contains the scene.
    /// - Returns: The snapshot, or `nil` if none was stored.
    /// - Throws: ``ApplicationError``: `noSuchScene` if the saved or quarantined state has no such scene, or
    ///   another error if the state cannot be read.
    public func snapshot(
        of scene: String? = nil, in source: SavedStateSource
    ) async throws(ApplicationError) -> SceneSnapshot? {
        try await snapshot(of: scene, in: source, looking: false)
    }

    /// Returns the snapshot of a scene, like ``snapshot(of:in:)``.
    ///
    /// - Parameter isReadOnly: Whether the archive must not be read. If it was not read yet, the error is
    ///   `notRunning`.
    package func snapshot(
        of scene: String?, in source: SavedStateSource, looking isReadOnly: Bool
    ) async throws(ApplicationError) -> SceneSnapshot? {
        let contents: ArchiveContents
        switch source {
        case .saved: contents = try savedNow(looking: isReadOnly)
        case .generation(let name): contents = try await savedHistory.read(name).contents
        case .quarantined(let name):
            contents = try await savedHistory.readQuarantined(name).contents
        }
        let scenes = contents.savedScenes
        let name = scene ?? definition.scenes.first?.text ?? scenes.first?.name.text ?? ""
        guard let found = scenes.first(where: { $0.name.text == name }) else {
            if case .generation(let generation) = source {
                throw .generationUnreadable(
                    application: bundleIdentifier, generation: generation,
                    reason: "it has no scene \(name), but "
                        + scenes.map(\.name.text).joined(separator: ", "))
            }
            throw .noSuchScene(
                application: bundleIdentifier, scene: name, scenes: scenes.map(\.name.text))
        }
        return found.saved.reservedState(names: NameTable(contents.names)).snapshot
    }

    /// Returns the current saved state.
    ///
    /// - Parameter isReadOnly: Whether the archive must not be read. Reading it can move a damaged archive to
    ///   quarantine and add a generation.
    private func savedNow(looking isReadOnly: Bool) throws(ApplicationError) -> ArchiveContents {
        if !isReadOnly {
            do throws(SaveError) {
                try loadUnlaunched()
            } catch {
                throw .failed(application: bundleIdentifier, reason: "\(error)")
            }
        }
        guard let contents = saver.archive.contents else { throw unavailableError }
        return contents
    }

    /// Returns the files in the application's quarantine, the oldest first.
    ///
    /// The application need not run.
    ///
    /// - Throws: ``ApplicationError/quarantineUnreadable(application:reason:)``, or
    ///   ``ApplicationError/ending(application:)`` during the graceful shutdown of the program.
    public func quarantined() async throws(ApplicationError) -> [QuarantineEntry] {
        try await savedHistory.quarantined()
    }

    /// Returns the files that were quarantined since this start, the oldest first, without their reasons.
    ///
    /// A quarantine that cannot be read is logged once. A call that is cancelled, or that the end of the
    /// program interrupts, says nothing about the quarantine and is not logged.
    package func newlyQuarantined() async throws(ApplicationError) -> [QuarantineEntry] {
        try await savedHistory.newlyQuarantined()
    }

    // MARK: Deleting

    /// Deletes generations from the history, durably.
    ///
    /// The application need not run.
    ///
    /// - Parameter names: Names of the generations, with or without leading zeros.
    /// - Throws: ``ApplicationError``: `noSuchGeneration` if a generation does not exist, in which case no
    ///   generation is deleted. `historyUnreadable` if the history cannot be read. `notDeleted` if the file
    ///   system returns an error, in which case the generations before it in `names` are already deleted.
    public func deleteGenerations(_ names: [String]) async throws(ApplicationError) {
        let existing = Set(try await savedHistory.names())
        for name in names where !(GenerationName(name).map(existing.contains) ?? false) {
            throw try savedHistory.noSuchGeneration(name)
        }
        for name in names {
            try delete(name) { () throws(StoredStateError) in
                try saver.archive.deleteGeneration(name)
            }
            log.log(.notice, .generationsRemoved, "deleted from the history: \(name)")
            let deleted = GenerationName(name)
            for (scene, known) in launches.sceneGuard.replaced
            where known.replaced.flatMap({ GenerationName(path: $0) }) == deleted {
                launches.sceneGuard.record(
                    { .replaced(scene: $0, generation: nil) }, of: [scene], durably: true)
            }
        }
    }

    /// Deletes files from the quarantine, durably.
    ///
    /// The application need not run. Afterwards, the saved state of scenes in these files can no longer be
    /// restored.
    ///
    /// - Parameter names: Names of the files in quarantine.
    /// - Throws: ``ApplicationError``: `notInQuarantine` if a file does not exist, in which case no file is
    ///   deleted. `quarantineUnreadable` if the quarantine cannot be read. `notDeleted` if the file system
    ///   returns an error, in which case the files before it in `names` are already deleted.
    public func deleteQuarantined(_ names: [String]) async throws(ApplicationError) {
        let existing = Set(try await quarantined().map { ExactString($0.name) })
        for name in names where !existing.contains(ExactString(name)) {
            throw .notInQuarantine(application: bundleIdentifier, name: name)
        }
        for name in names {
            try delete(name) { () throws(StoredStateError) in
                try saver.archive.deleteQuarantined(name)
            }
            log.log(.notice, .quarantineRemoved, "deleted from quarantine: \(name)")
            launches.sceneGuard.record(
                LaunchEvent.putBack, of: launches.sceneGuard.scenes(withQuarantined: name),
                durably: true)
        }
    }

    /// Marks all files in quarantine as known, so that they are no longer reported as new until the program
    /// restarts.
    ///
    /// - Throws: ``ApplicationError/quarantineUnreadable(application:reason:)``.
    public func acknowledgeQuarantine() async throws(ApplicationError) {
        savedHistory.acknowledge(try await quarantined())
    }

    private func delete(
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
