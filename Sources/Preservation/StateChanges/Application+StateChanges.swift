import ExactText
import LinuxIO
import Logging
import SavedState
import StateRestoration

// Changes to the saved state or storyboards of running scenes (L6, L8; see ``StateChange``), and changes that other
// programs make to the archive (see ``ExternalChangeHandler``).

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
    /// - Throws: ``ApplicationError``: `notRolledBack` if the state cannot be rolled back, `historyUnreadable` if the task
    ///   is cancelled while the generation is being read, or another error. In all cases, nothing has changed.
    @discardableResult
    public func rollBack(
        to generation: String, scene: String? = nil
    ) async throws -> StateChangeResult {
        try throwIfLaunchWouldDeadlock()
        let readResult = try await savedHistory.readResult(ofGeneration: generation)
        do throws(StateChangeFailure) {
            let name = scene.map(RestorationIdentifier.init(recorded:))
            var path = ""
            let changeResult = try await performChange { _ throws(StateChangeFailure) in
                let stored = try StateChangeFailure.reading { () throws(StoredStateError) in
                    try readResult.get()
                }
                if let name, !stored.contents.sceneNames.contains(name) {
                    throw StateChangeFailure(
                        cause: .unknown,
                        reason: "it has no scene \"\(name)\"; it has "
                            + stored.contents.sceneNames.map(\.text).joined(separator: ", "),
                        sceneName: name)
                }
                path = stored.path
                let generationNumber = GenerationName(generation).map(\.description) ?? generation
                return StateChange(
                    .storedFile(stored), sceneNames: name.map { [$0] },
                    generationReason: .rollBack(generation: generationNumber),
                    definition: definition)
            }
            let targetDescription = name.map { "the scene \($0)" } ?? "the application"
            log.log(
                .notice, .replaced,
                "\(targetDescription) was rolled back to \(path)\(changeResult.shortfallPhrase)",
                scene: scene,
                generation: path, reason: "rollback")
            return changeResult
        } catch {
            if error.cause == .unknown {
                guard let sceneName = error.sceneName else {
                    throw try savedHistory.noSuchGenerationError(generation)
                }
                _ = try knownSceneName(sceneName.text)
            }
            if hasStoppedPermanently {
                throw ApplicationError.ending(application: bundleIdentifier)
            }
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
    /// - Throws: ``ApplicationError/notReset(application:cause:reason:)`` if the state cannot be reset. In this case,
    ///   nothing has changed.
    @discardableResult
    public func reset(scene: String? = nil) async throws -> StateChangeResult {
        try throwIfLaunchWouldDeadlock()
        await waitUntilLaunchesEnd()
        if hasStoppedPermanently { throw ApplicationError.ending(application: bundleIdentifier) }
        do throws(SaveError) { try loadIfNotRunning() } catch {
            throw notResetError(StateChangeFailure(cause: .notSaved, reason: "\(error)"))
        }
        let name = try scene.map { try knownSceneName($0) }
        if let name { await launchIfDeferred(name) }
        do throws(StateChangeFailure) {
            let changeResult = try await performChange { _ in
                StateChange(
                    .noState, sceneNames: name.map { [$0] }, generationReason: .reset,
                    definition: definition)
            }
            log.log(.notice, .replaced, "was reset", scene: scene, reason: "reset")
            return changeResult
        } catch {
            throw notResetError(error)
        }
    }

    /// Relaunches scenes from their saved state, as a restart would, without stopping the process.
    ///
    /// This method is meant for application development. State that can be saved is saved first.
    ///
    /// - Parameter scene: The name of the scene to relaunch, or `nil` for all launched scenes.
    /// - Throws: ``ApplicationError/notReset(application:cause:reason:)`` if the scenes cannot be relaunched. In this
    ///   case, the old scenes continue to run.
    @discardableResult
    public func resetToSaved(scene: String? = nil) async throws -> StateChangeResult {
        try throwIfLaunchWouldDeadlock()
        await waitUntilLaunchesEnd()
        let name = try scene.map { try knownSceneName($0) }
        if let name { await launchIfDeferred(name) }
        _ = try runningScenes()
        do throws(StateChangeFailure) {
            let changeResult = try await performChange { _ in
                StateChange(
                    .savedState, sceneNames: name.map { [$0] }, launchReason: .restore,
                    generationReason: nil, definition: definition)
            }
            log.log(
                .notice, .replaced, "was launched again from its saved state", scene: scene,
                reason: "reset to saved")
            return changeResult
        } catch {
            throw notResetError(error)
        }
    }

    /// Launches a scene now if its launch has been deferred.
    ///
    /// An operation on the scene then has the same effect as after the deferred launch (S3).
    private func launchIfDeferred(_ name: RestorationIdentifier) async {
        guard let hostedScenes, hostedScenes.isLaunchDeferred(name) else { return }
        hostedScenes.table.scheduleLaunch(for: name)
        advanceLaunches()
        await waitUntilLaunchesEnd()
    }

    /// Restores all scenes in a quarantined file. The file remains in quarantine.
    ///
    /// If the file is damaged or incomplete, the state of the last complete pass before the damage is restored. The
    /// current state of the scenes is first added to the history. New scenes are launched from the restored state, with
    /// the launch reason `replace` (R2). After all new scenes have been launched, they replace the old scenes. Restored
    /// scenes that are not running are also launched if they were in use when they were saved, or if their last launch
    /// failed.
    ///
    /// If the application is stopped, its next launch uses the restored state. If the last launch failed, the
    /// application is launched immediately. The method returns after the scenes have been launched.
    ///
    /// If the file is a document from the model data, it replaces the current document, which is moved to quarantine. A
    /// running application is stopped first and launched again afterwards, so that the model reads the document.
    ///
    /// - Parameters:
    ///   - name: The name of the file in quarantine.
    ///   - salvages: Whether to restore every intact object in a damaged file, instead of the state before the damage
    ///     (L5).
    /// - Throws: ``ApplicationError``: `notInQuarantine` if the file does not exist, or `notPutBack` if it cannot be put
    ///   back. In both cases, nothing has changed. If a document was put back but the application could not be launched
    ///   again, the error of the launch, such as `failed`, is thrown, and the document remains put back.
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
            var changeResult = try await performChange { archive throws(StateChangeFailure) in
                let stored = try StateChangeFailure.reading { () throws(StoredStateError) in
                    try archive.contents(
                        ofQuarantinedFile: name, salvaging: salvages ? \.referencedNameNumbers : nil
                    )
                }
                (path, scenes) = (stored.path, try stored.sceneNamesToPutBack)
                return StateChange(
                    .storedFile(stored), sceneNames: scenes,
                    generationReason: .putBack(path: path), definition: definition)
            }
            launchSequence.sceneLaunchGuard.record(
                LaunchEvent.restoredFromQuarantine, of: scenes, durably: true)
            for scene in scenes {
                log.log(
                    .notice, .putBack,
                    "its saved state was put back from \(path)\(changeResult.shortfallPhrase)",
                    scene: scene.text)
            }
            changeResult.scenes = scenes.map(\.text)
            await acknowledgeQuarantined(name)
            return changeResult
        } catch {
            if hasStoppedPermanently {
                throw ApplicationError.ending(application: bundleIdentifier)
            }
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
        _ fileName: String
    ) throws(ApplicationError) -> (name: String, bytes: [UInt8])? {
        do throws(StoredStateError) {
            return try saver.archive.quarantinedDocument(
                fileName, limit: DocumentsDirectory.maximumDocumentSize)
        } catch {
            let failure = StateChangeFailure(error)
            throw .notPutBack(
                application: bundleIdentifier, name: fileName, cause: failure.cause,
                reason: failure.sentence)
        }
    }

    /// Replaces a document with a document from quarantine.
    ///
    /// A running application is stopped first and launched again afterwards. If the launch fails, the new document
    /// remains, because documents are never deleted and the replaced document can be put back from quarantine.
    private func putBack(
        _ document: (name: String, bytes: [UInt8]), from fileName: String
    ) async throws -> StateChangeResult {
        await waitUntilLaunchesEnd()
        if hasStoppedPermanently { throw ApplicationError.ending(application: bundleIdentifier) }
        let isRunning = hostedScenes != nil
        do {
            try quitUntilLaunch()
            let currentBytes = try documents.read(document.name)
            if let currentBytes, currentBytes != document.bytes {
                try saver.archive.quarantineDocument(
                    currentBytes, name: document.name,
                    because: "The document \(fileName) was put back.")
            }
            try documents.replace(document.name, with: document.bytes)
        } catch {
            var reason = "\(error)"
            do {
                if isRunning { try await launch() }
            } catch {
                reason += "; the application could not be launched again: \(error)"
            }
            throw ApplicationError.notPutBack(
                application: bundleIdentifier, name: fileName, cause: .notSaved, reason: reason)
        }
        log.log(
            .notice, .putBack,
            "the document \(document.name) was put back from \(saver.archive.quarantinePath(of: fileName))"
        )
        do {
            if isRunning { try await launch() }
        } catch {
            await acknowledgeQuarantined(fileName)
            throw error
        }
        await acknowledgeQuarantined(fileName)
        return StateChangeResult(
            scenes: [], document: document.name, saved: await waitUntilReplicated(.durable))
    }

    /// Marks a quarantined file as known after it has been put back.
    private func acknowledgeQuarantined(_ fileName: String) async {
        do throws(ApplicationError) {
            savedHistory.acknowledge(try await quarantined().filter { $0.name == fileName })
        } catch {
            // The `status` command reports that the quarantine cannot be read.
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
    /// - Parameter newDefinition: A definition with the same bundle identifier and bundle version (L6).
    /// - Throws: ``ApplicationError/notReloaded(application:reason:)`` if the definition cannot be applied. In this
    ///   case, nothing has changed.
    public func reload(_ newDefinition: ApplicationDefinition) async throws {
        try throwIfLaunchWouldDeadlock()
        guard newDefinition.bundleIdentifier == bundleIdentifier,
            newDefinition.bundleVersion == definition.bundleVersion
        else {
            throw notReloadedError(
                "the new definition belongs to another application or to another version of the program"
            )
        }
        await waitUntilLaunchesEnd()
        if hasStoppedPermanently { throw ApplicationError.ending(application: bundleIdentifier) }
        if let hostedScenes, newDefinition.resourceFingerprint != definition.resourceFingerprint {
            let failedSceneNames = hostedScenes.table.failures.map(\.name)
            do throws(StateChangeFailure) {
                _ = try await performChange { _ in
                    StateChange(
                        .savedState, launchReason: .reload, generationReason: .reload,
                        definition: newDefinition)
                }
            } catch {
                if hasStoppedPermanently {
                    throw ApplicationError.ending(application: bundleIdentifier)
                }
                throw notReloadedError(error.sentence)
            }
            log.log(.notice, .reloaded, "its interface was reloaded", reason: "reload")
            for name in failedSceneNames.sorted(by: { $0.text < $1.text }) {
                if case .failed = hostedScenes.table[name] {
                    hostedScenes.table.scheduleLaunch(for: name)
                }
            }
        }
        launchSequence.definition = newDefinition
        hostedScenes?.definition = newDefinition
        guard let hostedScenes else { return }
        // Configured scenes without saved state are launched (S3).
        for name in newDefinition.scenes {
            if case .unknown = hostedScenes.state(of: name) {
                hostedScenes.table.scheduleLaunch(for: name)
            }
        }
        advanceLaunches()
        launchesDidAdvance()
    }

    // MARK: Performing

    /// Performs a state change.
    ///
    /// If the application is running or its launch has failed, its scenes are launched from the new state.
    ///
    /// The method returns after the scenes have been launched. If replies wait for replication, the method also waits
    /// until the state is replicated.
    ///
    /// - Parameter makeChange: A closure that creates the change. It is called when no scene is being launched or
    ///   replaced and the saved state is known.
    /// - Throws: ``StateChangeFailure``. Its cause is `unknown` if a name does not exist.
    private func performChange(
        _ makeChange: (ApplicationArchive) throws(StateChangeFailure) -> StateChange
    ) async throws(StateChangeFailure) -> StateChangeResult {
        await waitUntilLaunchesEnd()
        if hasStoppedPermanently {
            throw StateChangeFailure(cause: .notSaved, reason: "the program is stopping")
        }
        if CommandCaller.hasDisconnected {
            throw StateChangeFailure(cause: .notSaved, reason: "the client has disconnected")
        }
        do throws(SaveError) { try loadIfNotRunning() } catch { throw StateChangeFailure(error) }
        let change = try makeChange(saver.archive)
        var changeResult: StateChangeResult
        if let hostedScenes {
            let result = await withCheckedContinuation { continuation in
                performChange(change, of: hostedScenes) { continuation.resume(returning: $0) }
            }
            changeResult = try result.get()
        } else {
            changeResult = try await performChangeWhileStopped(change)
        }
        changeResult.saved = await waitUntilReplicated(changeResult.saved)
        return changeResult
    }

    /// Performs a state change while the application is running.
    ///
    /// Do not call this method while a scene is being launched or replaced.
    ///
    /// The live state is saved and added to the history. The new state is written durably, and new scenes are launched
    /// from it while the previous scenes are still running. The new scenes then replace the previous scenes. If a scene
    /// cannot be launched, or if the application stops first, the change is undone.
    ///
    /// - Parameter completion: A closure that is called with the result, or with the reason why nothing has changed. It
    ///   is called before any other turn.
    func performChange(
        _ change: StateChange, of hostedScenes: HostedScenes,
        completion: @escaping (Result<StateChangeResult, StateChangeFailure>) -> Void
    ) {
        let writtenChange: WrittenChange
        do throws(StateChangeFailure) {
            // The generation must contain the live state.
            turnExecutor.operationTimer.measure("a pass of all scenes") {
                turnExecutor.save(hostedScenes, .demand)
            }
            if change.replacingArchive == nil,
                let reason = saver.failureReason ?? saver.unhandledChangeReason
            {
                throw StateChangeFailure(cause: .notSaved, reason: reason)
            }
            writtenChange = try write(change, hostedScenes)
        } catch {
            return completion(.failure(error))
        }
        hostedScenes.beginChange(change, launching: writtenChange.namesToLaunch) { [self] outcome in
            let sceneNames: [RestorationIdentifier]
            switch outcome {
            case .success(let (oldScenes, newScenes)):
                sceneNames = oldScenes.map(\.name) + newScenes.map(\.name)
                replace(oldScenes, with: newScenes, of: hostedScenes, change.definition)
                completion(.success(commit(change, writtenChange, hostedScenes)))
            case .failure(let failure):
                sceneNames = resumePreviousScenes(of: hostedScenes, failure)
                writtenChange.undo(by: saver, launchSequence.sceneLaunchGuard)
                markUnlaunchedSceneAsFailed(failure, of: hostedScenes)
                completion(.failure(failure))
            }
            commandInbox.withQueue { for name in sceneNames { $0.resume(name) } }
            wakeUps.sendStatusChange()
            wakeUps.sceneChange.send()
            commandInbox.wake()
            launchesDidAdvance()
        }
        advanceLaunches()
    }

    /// Performs a state change while the application is not running.
    ///
    /// If the last launch failed, the application is launched from the new state.
    private func performChangeWhileStopped(
        _ change: StateChange
    ) async throws(StateChangeFailure) -> StateChangeResult {
        let writtenChange = try write(change, nil)
        var sceneNames = writtenChange.changedSceneNames
        if case .failed = phase {
            beginLaunch(isUserRequested: true)
            let launchedScenes = hostedScenes
            await waitForLaunch(of: launchedScenes)
            if case .failed(let reason) = phase {
                writtenChange.undo(by: saver, launchSequence.sceneLaunchGuard)
                stateDidChange()
                throw StateChangeFailure(cause: .notLaunched, reason: reason)
            }
            guard let hostedScenes, hostedScenes === launchedScenes else {
                let event = hostedScenes == nil ? "quit" : "launched again"
                throw StateChangeFailure(
                    cause: .notLaunched,
                    reason: "the application was \(event) before the change was undone, so the "
                        + "change remains")
            }
            sceneNames = hostedScenes.table.launchedScenes.map(\.name).filter(change.covers)
        } else {
            saver.closeArchive()
        }
        saver.generations.pruneHistory()
        turnExecutor.logArchiveEvents()
        stateDidChange()
        return change.result(
            scenes: sceneNames, generation: writtenChange.historyEntry?.path,
            saved: saver.durabilityLevel)
    }

    private func write(
        _ change: StateChange, _ hostedScenes: HostedScenes?
    ) throws(StateChangeFailure) -> WrittenChange {
        try turnExecutor.operationTimer.measure("replacing its state") {
            () throws(StateChangeFailure) in
            try change.write(
                by: saver, launchSequence.sceneLaunchGuard, hostedScenes: hostedScenes)
        }
    }

    /// Closes the previous scenes, and allows the new scenes to accept commands.
    private func replace(
        _ oldScenes: [HostedScene], with newScenes: [HostedScene], of hostedScenes: HostedScenes,
        _ definition: ApplicationDefinition
    ) {
        launchSequence.definition = definition
        hostedScenes.definition = definition
        for scene in oldScenes { scene.terminate() }
        let newSceneNames = newScenes.map(\.name)
        launchSequence.sceneLaunchGuard.record(
            LaunchEvent.closed, of: oldScenes.map(\.name).filter { !newSceneNames.contains($0) })
        for scene in newScenes { startAcceptingCommands(scene, of: hostedScenes) }
    }

    /// Saves the new scenes, and records that the replacement is complete.
    private func commit(
        _ change: StateChange, _ writtenChange: WrittenChange, _ hostedScenes: HostedScenes
    ) -> StateChangeResult {
        turnExecutor.operationTimer.measure("finishing the replacement of its state") {
            // The durability level in the reply also covers state that the launches have changed, such as whether each
            // scene is in use.
            turnExecutor.save(hostedScenes, .launch)
            if saver.recordDurability == .written { _ = saver.writeDurably(TurnRecords()) }
            writtenChange.commit(launchSequence.sceneLaunchGuard)
            defer { saver.generations.pruneHistory() }
            return change.result(
                scenes: writtenChange.namesToLaunch, generation: writtenChange.historyEntry?.path,
                saved: saver.durabilityLevel)
        }
    }

    /// Closes the new scenes of a failed change. The previous scenes continue to run.
    ///
    /// - Returns: The names of the scenes that were being exchanged.
    private func resumePreviousScenes(
        of hostedScenes: HostedScenes, _ failure: StateChangeFailure
    ) -> [RestorationIdentifier] {
        if let launchingScene = hostedScenes.table.launchingScene,
            hostedScenes.table.isBeingExchanged(launchingScene.name)
        {
            launchSequence.sceneLaunchGuard.recordAbandonedLaunch()
        }
        let sceneNames = hostedScenes.table.abandonExchange()
        // A closed scene may hold the launch ticket or may be waiting for it.
        if hostedScenes.table.launchingScene == nil {
            launchSequence.sceneLaunchGuard.launchTicket.release()
        }
        log.log(
            .error, .replacementFailed,
            "the previous scenes continue to run, because \(failure.sentence)",
            scene: failure.sceneName?.text, reason: failure.reason)
        log.recordProblem(failure.sentence)
        return sceneNames
    }

    /// Marks a scene as failed if it could not be launched by a failed change.
    ///
    /// A scene that is running or has no state is not marked.
    ///
    /// Call this method after the change has been undone, because the scene may have had state only in the change.
    private func markUnlaunchedSceneAsFailed(
        _ failure: StateChangeFailure, of hostedScenes: HostedScenes
    ) {
        guard let name = failure.sceneName, hostedScenes.record(of: name) != nil else { return }
        switch hostedScenes.state(of: name) {
        case .launched, .launching: break
        case .failed, .saved, .unknown: hostedScenes.markFailed(name, failure.reason)
        }
    }

    // MARK: Changes by other programs

    /// Checks whether another program has changed the archive, and handles the change (L4).
    ///
    /// - If another archive has replaced the application's archive, the application restores the other archive without
    ///   stopping. The live state is first added to the history.
    /// - If the archive is unusable and no program is still writing to it, the archive is quarantined. The live state
    ///   is then written to a new archive.
    /// - If the archive or one of its parent directories has been removed and does not reappear, the application is
    ///   reset.
    ///
    /// Call this method after another program has changed the file or one of its parent directories.
    ///
    /// - Returns: Whether the archive could be checked.
    @discardableResult
    package func checkArchive() -> Bool {
        guard let hostedScenes = beginArchiveCheck() else { return false }
        switch turnExecutor.checkArchive() {
        case nil: return false
        case .unchanged?, .unreachable?, .unusable?: break
        case .replaced(let replacement)?:
            let change = StateChange(
                .replacementArchive(replacement), generationReason: .archiveReplaced,
                definition: definition)
            performChange(change, of: hostedScenes) { [turnExecutor] result in
                turnExecutor.didAdopt(replacement, result)
            }
        case .removed?:
            if let removalDescription = turnExecutor.removeState(of: hostedScenes) {
                beginLaunch(removalDescription: removalDescription)
            }
        }
        turnExecutor.sendDeferredReplies()
        stateDidChange()
        return true
    }

    /// Recreates documents that another program removed while the application was running.
    ///
    /// Call this method after another program has changed the documents directory.
    package func checkDocuments() {
        guard hostedScenes != nil else { return }
        for (name, failure) in documents.recreateRemovedDocuments() {
            let path = documents.path(of: name)
            if let failure {
                log.logProblem(
                    .error, .documentMissing,
                    "another program removed the document \(path), which is now only in memory: \(failure) Then run "
                        + saver.archive.instruction("preserve", orCall: "preserve()"),
                    reason: "\(failure)")
            } else {
                log.log(
                    .warning, .documentRestored,
                    "another program removed the document \(path), and it was written again; quit the application before "
                        + "removing its documents", path: path)
            }
        }
    }

    /// Starts the waiting period for an external change that was detected during a save.
    ///
    /// The program that made the change may still be writing. The change is handled after the waiting period.
    ///
    /// - Parameter evenAfterFailure: Whether to start the waiting period even if a failure to save has already been
    ///   reported.
    func debounceExternalChange(evenAfterFailure: Bool = false) {
        // If a failure to save has already been reported, replies do not wait until the change has been handled.
        let isFailureReported = saver.failureReason != nil
        guard saver.archive.isChangedExternally, externalChange.pendingChangeNumber == nil,
            evenAfterFailure || !isFailureReported,
            beginArchiveCheck() != nil
        else { return }
        externalChange.didDetectChange(isFailureReported: isFailureReported)
        wakeUps.externalChange.send()
    }

    /// Rechecks an external change after its waiting period.
    ///
    /// - Parameter changeNumber: The number of the change.
    func recheckExternalChange(_ changeNumber: Int) {
        if externalChange.debounceDidElapse(for: changeNumber), !checkArchive() {
            externalChange.endWaiting()
        }
        externalChange.limitReplyDelay()
        turnExecutor.sendDeferredReplies()
        stateDidChange()
    }

    /// Returns the application's scenes, or schedules a later check and returns `nil` if the archive cannot be checked
    /// now.
    private func beginArchiveCheck() -> HostedScenes? {
        guard case .running(let hostedScenes) = phase, !areScenesLaunching, activity == .active
        else {
            externalChange.requireCheck()
            return nil
        }
        externalChange.didBeginCheck()
        return hostedScenes
    }

    // MARK: Applications that are not running

    /// Reads the saved state while the application is not running, unless the state is already known.
    ///
    /// If another program has replaced the archive, the new archive is used, as during a launch. The application's
    /// unsaved state is added to the history before another archive replaces it.
    ///
    /// - Returns: `true` if this call read the archive and the archive was damaged.
    /// - Throws: An error that states why the archive cannot be read. In this case, the archive must not be
    ///   overwritten.
    @discardableResult
    func loadIfNotRunning() throws(SaveError) -> Bool {
        if hostedScenes != nil { return false }
        let archive = saver.archive
        guard archive.contents != nil else { return try loadArchive() }
        let hasUnsavedState = archive.hasPendingChanges
        switch try SaveError.wrapping(try archive.check(readingContents: true)) {
        case .unchanged:
            return false
        case .unreachable(let reason) where hasUnsavedState:
            throw .changedExternally(path: archive.path, reason: reason)
        case .removed where hasUnsavedState, .unusable where hasUnsavedState:
            archive.quarantineOnNextWrite()
            return false
        case .replaced where hasUnsavedState:
            try saver.generations.saveToHistory(because: .archiveReplaced)
            saver.abandonFile()
            return try loadArchive()
        case .unreachable, .removed, .unusable, .replaced:
            return try loadArchive()
        }
    }

    private func loadArchive() throws(SaveError) -> Bool {
        // Pending state has already been stored elsewhere, because the other program's change has been handled.
        saver.archive.discardState()
        do throws(LoadError) {
            return try turnExecutor.operationTimer.measure("reading its archive") {
                () throws(LoadError) in
                try ArchiveLoader(archive: saver.archive, log: log).load().damage != nil
            }
        } catch {
            throw .loadFailed(path: saver.archive.path, because: error)
        }
    }

    /// Returns the identifier of a scene that is launched, saved or configured.
    private func knownSceneName(_ text: String) throws(ApplicationError) -> RestorationIdentifier {
        let name = RestorationIdentifier(recorded: text)
        if let hostedScenes {
            if case .unknown = hostedScenes.state(of: name) {
                throw hostedScenes.noSuchSceneError(name, of: bundleIdentifier)
            }
            return name
        }
        let names = saver.archive.scenes.map(\.sceneName)
        if !names.contains(name), !definition.scenes.contains(name) {
            throw .noSuchScene(
                application: bundleIdentifier, scene: text, scenes: names.map(\.text))
        }
        return name
    }

    // MARK: Errors

    private func notResetError(_ failure: StateChangeFailure) -> ApplicationError {
        if hasStoppedPermanently { return .ending(application: bundleIdentifier) }
        return .notReset(
            application: bundleIdentifier, cause: failure.cause, reason: failure.sentence)
    }

    private func notReloadedError(_ reason: String) -> ApplicationError {
        .notReloaded(application: bundleIdentifier, reason: reason)
    }
}

extension StateChangeResult {
    /// Phrase that describes the unusable part of the state, or an empty string if all of the state was used.
    fileprivate var shortfallPhrase: String {
        shortfall.map { ", except for the part that cannot be used: \($0)" } ?? ""
    }
}
