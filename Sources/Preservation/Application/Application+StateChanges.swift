import ExactText
import LinuxIO
import Logging
import SavedState
import StateRestoration

// Replacement of the saved state or storyboards of running scenes (L6, L8; see ``StateChange``).

extension Application {
    /// Rolls the application or a single scene back to a generation.
    ///
    /// The current state is first added to the history. New scenes are then launched from the earlier generation, with
    /// the launch reason `replace` (R2). After all new scenes have been launched, they replace the old scenes. Scenes
    /// that were closed in the generation are closed. A scene that is not in the generation is launched without state
    /// if it is configured, and is closed otherwise. The model data does not change (P19).
    ///
    /// If the application is stopped, its next launch uses the restored state. If the last launch failed, the
    /// application is launched from the restored state immediately.
    ///
    /// - Parameters:
    ///   - generation: The number of the generation, with or without leading zeros.
    ///   - scene: The name of the scene to roll back, or `nil` to roll back the whole application.
    /// - Throws: ``ApplicationError/notRolledBack(application:generation:cause:reason:)`` if the state cannot be rolled
    ///   back. Nothing has then changed.
    @discardableResult
    public func rollBack(
        to generation: String, scene: String? = nil
    ) async throws -> StateChangeResult {
        try throwIfLaunchWouldDeadlock()
        do throws(StateChangeFailure) {
            let name = scene.map(RestorationIdentifier.init(recorded:))
            var path = ""
            let replaced = try await performChange { archive throws(StateChangeFailure) in
                let stored = try StateChangeFailure.reading { () throws(StoredStateError) in
                    try archive.contents(ofGeneration: generation)
                }
                if let name, !stored.contents.sceneNames.contains(name) {
                    throw StateChangeFailure(
                        cause: .unknown,
                        reason: "it has no scene \"\(name)\"; it has "
                            + stored.contents.sceneNames.map(\.text).joined(separator: ", "),
                        scene: name)
                }
                path = stored.path
                let number = GenerationName(generation).map(\.description) ?? generation
                return StateChange(
                    .stored(stored), scenes: name.map { [$0] },
                    generation: .rollBack(generation: number), definition: definition)
            }
            let target = name.map { "the scene \($0)" } ?? "the application"
            log.log(
                .notice, .replaced,
                "\(target) was rolled back to \(path)\(replaced.shortfallPhrase)",
                scene: scene,
                generation: path, reason: "rollback")
            return replaced
        } catch {
            if error.cause == .unknown {
                guard let scene = error.scene else {
                    throw try savedHistory.noSuchGeneration(generation)
                }
                _ = try knownScene(scene.text)
            }
            if hasEnded { throw ApplicationError.ending(application: bundleIdentifier) }
            throw ApplicationError.notRolledBack(
                application: bundleIdentifier, generation: generation, cause: error.cause,
                reason: error.sentence)
        }
    }

    /// Discards the saved state of the application or of a single scene, and launches new scenes without state.
    ///
    /// The current state is first added to the history. The old scenes continue to run until the new scenes replace
    /// them. If the whole application is reset, scenes that are not configured are closed. The model data does not
    /// change.
    ///
    /// - Parameter scene: The name of the scene to reset, or `nil` to reset the whole application.
    /// - Throws: ``ApplicationError/notReset(application:cause:reason:)`` if the state cannot be reset. Nothing has
    ///   then changed.
    @discardableResult
    public func reset(scene: String? = nil) async throws -> StateChangeResult {
        try throwIfLaunchWouldDeadlock()
        await waitUntilLaunchesEnd()
        if hasEnded { throw ApplicationError.ending(application: bundleIdentifier) }
        do throws(SaveError) { try loadIfNotRunning() } catch {
            throw notReset(StateChangeFailure(cause: .notSaved, reason: "\(error)"))
        }
        let name = try scene.map { try knownScene($0) }
        if let name { await launchIfDeferred(name) }
        do throws(StateChangeFailure) {
            let replaced = try await performChange { _ in
                StateChange(
                    .nothing, scenes: name.map { [$0] }, generation: .reset, definition: definition)
            }
            log.log(.notice, .replaced, "was reset", scene: scene, reason: "reset")
            return replaced
        } catch {
            throw notReset(error)
        }
    }

    /// Relaunches scenes from their saved state, as a restart would, without stopping the process.
    ///
    /// This method is meant for application development. State that can be saved is saved first.
    ///
    /// - Parameter scene: The name of the scene to relaunch, or `nil` for all launched scenes.
    /// - Throws: ``ApplicationError/notReset(application:cause:reason:)`` if the scenes cannot be relaunched. The old
    ///   scenes then continue to run.
    @discardableResult
    public func resetToSaved(scene: String? = nil) async throws -> StateChangeResult {
        try throwIfLaunchWouldDeadlock()
        await waitUntilLaunchesEnd()
        let name = try scene.map { try knownScene($0) }
        if let name { await launchIfDeferred(name) }
        _ = try runningScenes()
        do throws(StateChangeFailure) {
            let replaced = try await performChange(requiresRunning: true) { _ in
                StateChange(
                    .saved, scenes: name.map { [$0] }, reason: .restore, generation: nil,
                    definition: definition)
            }
            log.log(
                .notice, .replaced, "was launched again from its saved state", scene: scene,
                reason: "reset to saved")
            return replaced
        } catch {
            throw notReset(error)
        }
    }

    /// Launches a scene whose launch has been deferred.
    ///
    /// The launch ensures that an operation on the scene has the same effect before and after the deferred launch (S3).
    private func launchIfDeferred(_ name: RestorationIdentifier) async {
        guard let hosted, hosted.isLaunchDeferred(name) else { return }
        hosted.table.scheduleLaunch(for: name)
        advanceLaunches()
        await waitUntilLaunchesEnd()
    }

    /// Restores all scenes in a quarantined file. The file remains in quarantine.
    ///
    /// If the file is damaged or incomplete, the state of the last complete pass before the damage is restored. The
    /// current state of the scenes is first added to the history. New scenes are launched from the restored state, with
    /// the launch reason `replace` (R2). After all new scenes have been launched, they replace the old scenes. Scenes
    /// that were in use and scenes whose launch has failed are also launched.
    ///
    /// If the application is stopped, its next launch uses the restored state. If the last launch failed, the
    /// application is launched immediately. The method returns after the scenes have been launched.
    ///
    /// If the file is a document that belongs to the model data, it replaces the current document, which is moved to
    /// quarantine. A running application is stopped first and launched again afterwards, so that the model reads the
    /// document.
    ///
    /// - Parameters:
    ///   - name: The name of the file in quarantine.
    ///   - salvages: Whether to restore every object in a damaged file whose own newest records are intact (L5).
    /// - Throws: ``ApplicationError``: `notInQuarantine` if the file does not exist, or `notPutBack` if its state
    ///   cannot be restored. In both cases, nothing has changed.
    @discardableResult
    public func putBack(_ name: String, salvaging salvages: Bool = false) async throws
        -> StateChangeResult
    {
        try throwIfLaunchWouldDeadlock()
        if let document = try quarantinedDocument(name) {
            return try await putBack(document, from: name)
        }
        do throws(StateChangeFailure) {
            var path = ""
            var scenes: [RestorationIdentifier] = []
            var replaced = try await performChange { archive throws(StateChangeFailure) in
                let stored = try StateChangeFailure.reading { () throws(StoredStateError) in
                    try archive.contents(
                        ofQuarantined: name, salvaging: salvages ? \.referencedNames : nil)
                }
                (path, scenes) = (stored.path, try stored.scenesToPutBack)
                return StateChange(
                    .stored(stored), scenes: scenes, generation: .putBack(path: path),
                    definition: definition)
            }
            launches.sceneLaunchGuard.record(
                LaunchEvent.restoredFromQuarantine, of: scenes, durably: true)
            for scene in scenes {
                log.log(
                    .notice, .putBack,
                    "its saved state was put back from \(path)\(replaced.shortfallPhrase)",
                    scene: scene.text)
            }
            replaced.scenes = scenes.map(\.text)
            await acknowledgeQuarantined(name)
            return replaced
        } catch {
            if hasEnded { throw ApplicationError.ending(application: bundleIdentifier) }
            if error.cause == .unknown {
                throw ApplicationError.notInQuarantine(application: bundleIdentifier, name: name)
            }
            throw ApplicationError.notPutBack(
                application: bundleIdentifier, name: name, cause: error.cause,
                reason: error.sentence)
        }
    }

    /// Reads a document in quarantine, or returns `nil` if the file is not a document.
    private func quarantinedDocument(
        _ file: String
    ) throws(ApplicationError) -> (name: String, bytes: [UInt8])? {
        do throws(StoredStateError) {
            return try saver.archive.quarantinedDocument(
                file, limit: DocumentsDirectory.defaultLimit)
        } catch {
            let failure = StateChangeFailure(error)
            throw .notPutBack(
                application: bundleIdentifier, name: file, cause: failure.cause,
                reason: failure.sentence)
        }
    }

    /// Replaces a document with a document from quarantine. A running application is stopped first and launched again
    /// afterwards.
    private func putBack(
        _ document: (name: String, bytes: [UInt8]), from file: String
    ) async throws -> StateChangeResult {
        await waitUntilLaunchesEnd()
        let isRunning = hosted != nil
        try quitUntilLaunch()
        let result = Result {
            let old = try documents.read(document.name)
            if let old, old != document.bytes {
                try saver.archive.quarantineDocument(
                    old, name: document.name, because: "The document \(file) was put back.")
            }
            try documents.replace(document.name, with: document.bytes)
        }
        if isRunning { try await launch() }
        do {
            try result.get()
        } catch {
            throw ApplicationError.notPutBack(
                application: bundleIdentifier, name: file, cause: .notSaved, reason: "\(error)")
        }
        log.log(
            .notice, .putBack,
            "the document \(document.name) was put back from \(saver.archive.quarantinePath(of: file))"
        )
        await acknowledgeQuarantined(file)
        return StateChangeResult(
            scenes: [], document: document.name, saved: await waitUntilReplicated(.durable))
    }

    /// Marks a quarantined file as known after it has been put back.
    private func acknowledgeQuarantined(_ file: String) async {
        do throws(ApplicationError) {
            savedHistory.acknowledge(try await quarantined().filter { $0.name == file })
        } catch {
            // `status` reports that the quarantine cannot be read.
        }
    }

    /// Applies a new definition, for example with different storyboards or initial scenes.
    ///
    /// If the resources have changed, the state is first added to the history. New scenes are then launched from the
    /// saved state, with the launch reason `reload` (R2). After all new scenes have been launched, they replace the old
    /// scenes. Records that do not belong to any object in the new interface remain as unclaimed records (R16). Scenes
    /// whose launch has failed and newly configured scenes are also launched. If a new scene cannot be launched, all
    /// old scenes continue to run.
    ///
    /// - Parameter new: A definition with the same bundle identifier and bundle version (L6).
    /// - Throws: ``ApplicationError/notReloaded(application:reason:)`` if the definition cannot be applied. Nothing has
    ///   then changed.
    public func reload(_ new: ApplicationDefinition) async throws {
        try throwIfLaunchWouldDeadlock()
        guard new.bundleIdentifier == bundleIdentifier,
            new.bundleVersion == definition.bundleVersion
        else {
            throw notReloaded(
                "the new definition belongs to another application or to another version of the program"
            )
        }
        await waitUntilLaunchesEnd()
        if hasEnded { throw ApplicationError.ending(application: bundleIdentifier) }
        if let hosted, new.resourceFingerprint != definition.resourceFingerprint {
            let failed = hosted.table.failures.map(\.name)
            do throws(StateChangeFailure) {
                _ = try await performChange(requiresRunning: true) { _ in
                    StateChange(.saved, reason: .reload, generation: .reload, definition: new)
                }
            } catch {
                if hasEnded {
                    throw ApplicationError.ending(application: bundleIdentifier)
                }
                throw notReloaded(error.sentence)
            }
            log.log(.notice, .reloaded, "its interface was reloaded", reason: "reload")
            for name in failed.sorted(by: { $0.text < $1.text }) {
                if case .failed = hosted.table[name] { hosted.table.scheduleLaunch(for: name) }
            }
        }
        launches.definition = new
        hosted?.definition = new
        guard let hosted else { return }
        // Configured scenes without saved state are launched (S3).
        for name in new.scenes {
            if case .unknown = hosted.state(of: name) { hosted.table.scheduleLaunch(for: name) }
        }
        advanceLaunches()
    }

    // MARK: Carrying out

    /// Performs a state change. If the application is running or its launch has failed, its scenes are launched from
    /// the new state.
    ///
    /// The method returns after the scenes have been launched. If replies wait for replication, the method also waits
    /// until the state is replicated.
    ///
    /// - Parameters:
    ///   - requiresRunning: Whether to reject the change, without reading any state, if the application is not running.
    ///   - make: A closure that creates the change. It is called when no scene is being launched or replaced and the
    ///     saved state is known.
    /// - Throws: ``StateChangeFailure``. Its cause is `unknown` if a name does not exist.
    private func performChange(
        requiresRunning: Bool = false,
        _ make: (ApplicationArchive) throws(StateChangeFailure) -> StateChange
    ) async throws(StateChangeFailure) -> StateChangeResult {
        await waitUntilLaunchesEnd()
        if hasEnded {
            throw StateChangeFailure(cause: .notSaved, reason: "the program is stopping")
        }
        if CommandCaller.hasDisconnected {
            throw StateChangeFailure(cause: .notSaved, reason: "the client has disconnected")
        }
        if requiresRunning, hosted == nil {
            throw StateChangeFailure(cause: .notLaunched, reason: "the application is not running")
        }
        do throws(SaveError) { try loadIfNotRunning() } catch { throw StateChangeFailure(error) }
        let change = try make(saver.archive)
        var replaced: StateChangeResult
        if let hosted {
            let result = await withCheckedContinuation { continuation in
                begin(change, of: hosted) { continuation.resume(returning: $0) }
            }
            replaced = try result.get()
        } else {
            replaced = try await performChangeWhileStopped(change)
        }
        replaced.saved = await waitUntilReplicated(replaced.saved)
        return replaced
    }

    /// Begins a state change of running scenes. Do not call this method while a scene is being launched or replaced.
    ///
    /// - Parameter completion: A closure that is called with the result after the scenes have been launched, or with
    ///   the reason why nothing has changed.
    func begin(
        _ request: StateChange, of hosted: HostedScenes,
        completion: @escaping StateChange.Completion
    ) {
        var change = request
        do throws(StateChangeFailure) {
            // The generation must contain the live state.
            turnExecutor.timer.measure("a pass of all scenes") {
                turnExecutor.save(hosted, .demand)
            }
            if change.replacingArchive == nil,
                let reason = saver.failure ?? saver.unhandledExternalChange
            {
                throw StateChangeFailure(cause: .notSaved, reason: reason)
            }
            let names = try turnExecutor.timer.measure("replacing its state") {
                () throws(StateChangeFailure) in
                try change.write(
                    by: saver, launches.sceneLaunchGuard, names: hosted.names,
                    numbering: hosted.numbering, hosted: hosted, completion: completion)
            }
            hosted.change = change
            hosted.table.beginExchange(
                of: names,
                ending: hosted.table.launched.map(\.name).filter {
                    change.covers($0) && !names.contains($0)
                })
        } catch {
            return completion(.failure(error))
        }
        advanceLaunches()
    }

    /// Finishes a change after all of its scenes have been launched. The new scenes replace the old scenes.
    func completeChange(of hosted: HostedScenes) {
        guard let change = hosted.change, let (old, new) = hosted.table.completeExchange() else {
            return
        }
        hosted.change = nil
        launches.definition = change.definition
        hosted.definition = change.definition
        for scene in old { scene.terminate() }
        let names = new.map(\.name)
        launches.sceneLaunchGuard.record(
            LaunchEvent.ended, of: old.map(\.name).filter { !names.contains($0) })
        for scene in new { acceptCommands(scene, of: hosted) }
        turnExecutor.timer.measure("finishing the replacement of its state") {
            // The reply also covers state that the launches have changed, such as whether each scene is in use.
            turnExecutor.save(hosted, .launch)
            if saver.written == .written { _ = saver.writeDurably(TurnRecords()) }
            change.commit(launches.sceneLaunchGuard, saved: saver.saved)
            saver.generations.prune()
        }
        resumeCommands(to: old.map(\.name) + names)
    }

    /// Cancels the change in progress, if any. The old scenes continue to run.
    func abandonChange(of hosted: HostedScenes, _ failure: StateChangeFailure) {
        guard let change = hosted.change.take() else { return }
        if let launching = hosted.table.launching, hosted.table.isBeingExchanged(launching.name) {
            launches.sceneLaunchGuard.recordAbandonedLaunch()
        }
        let names = hosted.table.abandonExchange()
        // The scene may hold the launch ticket or may be waiting for it.
        if hosted.table.launching == nil { launches.sceneLaunchGuard.ticket.release() }
        if let name = failure.scene, hosted.record(of: name) != nil {
            switch hosted.state(of: name) {
            case .launched, .launching: break
            case .failed, .saved, .unknown: hosted.table.markFailed(name, failure.reason)
            }
        }
        log.log(
            .error, .replacementFailed,
            "the previous scenes continue to run, because \(failure.sentence)",
            scene: failure.scene?.text, reason: failure.reason)
        log.recordProblem(failure.sentence)
        change.undo(by: saver, launches.sceneLaunchGuard, because: failure)
        resumeCommands(to: names)
    }

    private func resumeCommands(to names: [RestorationIdentifier]) {
        commandInbox.withQueue { for name in names { $0.resume(name) } }
        wakeUps.sendChanged()
        wakeUps.turns.send()
        commandInbox.wake()
        launchesDidAdvance()
    }

    // MARK: Applications that do not run

    /// Performs a state change while the application is not running.
    ///
    /// If the last launch failed, the application is launched from the new state.
    private func performChangeWhileStopped(
        _ request: StateChange
    ) async throws(StateChangeFailure) -> StateChangeResult {
        var change = request
        _ = try turnExecutor.timer.measure("replacing its state") {
            () throws(StateChangeFailure) in
            try change.write(
                by: saver, launches.sceneLaunchGuard, names: NameTable(saver.archive.names),
                numbering: RecordNumbering(after: saver.archive.highestObjectNumber), hosted: nil)
        }
        var replaced = change.result(saved: saver.saved)
        if case .failed = phase {
            replaced.scenes = try await launch(from: change)
        } else {
            saver.closeArchive()
        }
        saver.generations.prune()
        turnExecutor.logArchiveEvents()
        stateDidChange()
        replaced.saved = saver.saved
        return replaced
    }

    /// Retries a failed launch from a different state.
    ///
    /// - Returns: The names of the launched scenes whose state the change replaced.
    private func launch(from change: StateChange) async throws(StateChangeFailure) -> [String] {
        beginLaunch(isUserRequested: true)
        let launched = hosted
        await waitForLaunch(of: launched)
        if case .failed(let reason) = phase {
            let failure = StateChangeFailure(cause: .notLaunched, reason: reason)
            change.undo(by: saver, launches.sceneLaunchGuard, because: failure)
            stateDidChange()
            throw failure
        }
        guard let hosted, hosted === launched else {
            throw StateChangeFailure(
                cause: .notLaunched,
                reason: "the application was launched again before the change was undone")
        }
        return hosted.table.launched.map(\.name).filter(change.covers).map(\.text)
    }

    /// Reads the saved state while the application is not running, unless the state is already known.
    ///
    /// If another program has replaced the archive, the new archive is used, as during a launch. The application's
    /// unsaved state is added to the history before another archive replaces it.
    ///
    /// - Returns: `true` if this call read the archive and the archive was damaged.
    /// - Throws: An error that states the reason if the archive cannot be read. In this case, the archive must not be
    ///   overwritten.
    @discardableResult
    func loadIfNotRunning() throws(SaveError) -> Bool {
        if hosted != nil { return false }
        let archive = saver.archive
        guard archive.contents != nil else { return try load() }
        let isUnsaved = archive.hasPendingChanges
        let finding: ExternalCheckResult
        do throws(IOError) { finding = try archive.check(readingContents: true) } catch {
            throw .io(error)
        }
        switch finding {
        case .unchanged:
            return false
        case .unreachable(let reason) where isUnsaved:
            throw .changedExternally(path: archive.path, reason: reason)
        case .removed where isUnsaved, .unusable where isUnsaved:
            archive.quarantineOnNextWrite()
            return false
        case .replaced where isUnsaved:
            try saver.generations.saveToHistory(because: .replacement)
            saver.abandonFile()
            return try load()
        case .unreachable, .removed, .unusable, .replaced:
            return try load()
        }
    }

    private func load() throws(SaveError) -> Bool {
        // Pending state was stored elsewhere when the other program's change was handled.
        saver.archive.forget()
        do throws(LoadError) {
            return try turnExecutor.timer.measure("reading its archive") { () throws(LoadError) in
                try ArchiveLoader(archive: saver.archive, log: log).load().damage != nil
            }
        } catch {
            throw .loadFailed(path: saver.archive.path, because: error)
        }
    }

    /// Returns the identifier of a scene that is launched, saved or configured.
    private func knownScene(_ text: String) throws(ApplicationError) -> RestorationIdentifier {
        let name = RestorationIdentifier(recorded: text)
        if let hosted {
            if case .unknown = hosted.state(of: name) {
                throw hosted.noSuchScene(name, of: bundleIdentifier)
            }
            return name
        }
        let names = saver.archive.scenes.map(\.name)
        if !names.contains(name), !definition.scenes.contains(name) {
            throw .noSuchScene(
                application: bundleIdentifier, scene: text, scenes: names.map(\.text))
        }
        return name
    }

    // MARK: Errors

    private func notReset(_ failure: StateChangeFailure) -> ApplicationError {
        if hasEnded { return .ending(application: bundleIdentifier) }
        return .notReset(
            application: bundleIdentifier, cause: failure.cause, reason: failure.sentence)
    }

    private func notReloaded(_ reason: String) -> ApplicationError {
        .notReloaded(application: bundleIdentifier, reason: reason)
    }
}

extension StateChangeResult {
    /// Phrase that describes the unusable part of the state, or an empty string if all of the state was used.
    fileprivate var shortfallPhrase: String {
        shortfall.map { ", except for the part that cannot be used: \($0)" } ?? ""
    }
}
