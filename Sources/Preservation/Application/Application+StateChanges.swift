import ExactText
import LinuxIO
import Logging
import SavedState
import StateRestoration

// How scenes get another saved state, or other storyboards, while they live (L6, L8): see
// ``StateChange``.

extension Application {
    /// Goes back to a generation: what is saved and live becomes a generation, and the scenes are
    /// launched from the earlier one beside those from before, with the reason `replace` (R2), and
    /// take their places. Scenes that were closed then are closed again; those that did not exist
    /// then are launched without state if they are configured, and end otherwise. The model data
    /// stays as it is (P19).
    ///
    /// An application that was stopped launches its scenes from that state when it is launched
    /// next; one that could not be launched is launched from it now.
    ///
    /// - Parameters:
    ///   - generation: its number, with or without the zeros in front.
    ///   - scene: the only scene that goes back; nil: all of the application.
    /// - Throws: ``ApplicationError``: `notRolledBack` with the cause; nothing has changed then.
    @discardableResult
    public func rollBack(
        to generation: String, scene: String? = nil
    ) async throws -> ReplacedState {
        try refuseWithinLaunch()
        do throws(StateChangeFailure) {
            let name = scene.map(RestorationIdentifier.init(recorded:))
            var path = ""
            let replaced = try await carryOut { archive throws(StateChangeFailure) in
                let kept = try StateChangeFailure.reading { () throws(KeptStateError) in
                    try archive.contents(ofGeneration: generation)
                }
                if let name, !kept.contents.sceneNames.contains(name) {
                    throw StateChangeFailure(
                        cause: .unknown,
                        reason: "it has no scene \"\(name)\"; it has "
                            + kept.contents.sceneNames.map(\.text).joined(separator: ", "),
                        scene: name)
                }
                path = kept.path
                let number = GenerationName(generation).map(\.description) ?? generation
                return StateChange(
                    .kept(kept), scenes: name.map { [$0] },
                    generation: .rollBack(generation: number), definition: definition)
            }
            let what = name.map { "the scene \($0)" } ?? "everything"
            log.tell(
                .notice, .replaced, "\(what) went back to \(path)\(replaced.partly)", scene: scene,
                generation: path, reason: "rollback")
            return replaced
        } catch {
            if error.cause == .unknown {
                guard let scene = error.scene else {
                    throw try savedHistory.noSuchGeneration(generation)
                }
                _ = try knownScene(scene.text)
            }
            if activity == .ended { throw ApplicationError.ending(application: bundleIdentifier) }
            throw ApplicationError.notRolledBack(
                application: bundleIdentifier, generation: generation, cause: error.cause,
                reason: error.sentence)
        }
    }

    /// Forgets what is saved, and launches the scenes without state beside those from before, whose
    /// places they take. What was saved and live becomes a generation first; the model data stays.
    ///
    /// - Parameter scene: the only scene that is reset; nil: all of the application. One that is
    ///   neither configured nor named here ends.
    /// - Throws: ``ApplicationError``: `notReset` with the cause; nothing has changed then.
    @discardableResult
    public func reset(scene: String? = nil) async throws -> ReplacedState {
        try refuseWithinLaunch()
        await waitUntilLaunchesEnd()
        if activity == .ended { throw ApplicationError.ending(application: bundleIdentifier) }
        do throws(SaveError) { try loadUnlaunched() } catch {
            throw notReset(StateChangeFailure(cause: .notSaved, reason: "\(error)"))
        }
        let name = try scene.map { try knownScene($0) }
        if let name { await launchIfWaiting(name) }
        do throws(StateChangeFailure) {
            let replaced = try await carryOut { _ in
                StateChange(
                    .nothing, scenes: name.map { [$0] }, generation: .reset, definition: definition)
            }
            log.tell(.notice, .replaced, "was reset", scene: scene, reason: "reset")
            return replaced
        } catch {
            throw notReset(error)
        }
    }

    /// Launches scenes again from what is saved of them, in place, as a restart would: for those
    /// who work on an application. What could be saved of them is saved first.
    ///
    /// - Parameter scene: the only scene that is launched again; nil: all that are launched.
    /// - Throws: ``ApplicationError``: `notReset` with the cause; the scenes from before go on
    ///   then.
    @discardableResult
    public func resetToSaved(scene: String? = nil) async throws -> ReplacedState {
        try refuseWithinLaunch()
        await waitUntilLaunchesEnd()
        let name = try scene.map { try knownScene($0) }
        if let name { await launchIfWaiting(name) }
        _ = try runningScenes()
        do throws(StateChangeFailure) {
            let replaced = try await carryOut(onlyLive: true) { _ in
                StateChange(
                    .saved, scenes: name.map { [$0] }, reason: .restore, generation: nil,
                    definition: definition)
            }
            log.tell(
                .notice, .replaced, "was launched again from its saved state", scene: scene,
                reason: "reset to saved")
            return replaced
        } catch {
            throw notReset(error)
        }
    }

    /// A scene that waits for its launch is launched now, so that it makes no difference when a
    /// command that names it comes (S3).
    private func launchIfWaiting(_ name: RestorationIdentifier) async {
        guard let hosted, hosted.isToLaunch(name) else { return }
        hosted.table.wait(for: name)
        advanceLaunches()
        await waitUntilLaunchesEnd()
    }

    /// Puts back every scene that something in quarantine holds. The file itself stays there.
    ///
    /// Of one that is torn or damaged that is the state after the last complete pass before. What
    /// is saved now, with their live state, becomes a generation before. Those that are launched
    /// give way to others that are launched beside them from what came back, with the reason
    /// `replace` (R2); those that were in use, and those that could not be launched, are launched
    /// too. An application that was stopped launches them when it is launched next, and one that
    /// could not be launched now.
    ///
    /// Returns when they are launched.
    ///
    /// - Parameters:
    ///   - name: its name in quarantine.
    ///   - isSalvage: whether of a damaged file every object comes back whose own newest records
    ///     are intact (L5).
    /// - Throws: ``ApplicationError``: `notInQuarantine`, or `notPutBack` with the cause; nothing
    ///   has changed then.
    @discardableResult
    public func putBack(_ name: String, salvaging isSalvage: Bool = false) async throws
        -> ReplacedState
    {
        try refuseWithinLaunch()
        do throws(StateChangeFailure) {
            var path = ""
            var scenes: [RestorationIdentifier] = []
            var replaced = try await carryOut { archive throws(StateChangeFailure) in
                let kept = try StateChangeFailure.reading { () throws(KeptStateError) in
                    try archive.contents(
                        ofQuarantined: name, salvaging: isSalvage ? \.namesUsed : nil)
                }
                (path, scenes) = (kept.path, try kept.scenesToPutBack)
                return StateChange(
                    .kept(kept), scenes: scenes, generation: .putBack(path: path),
                    definition: definition)
            }
            launches.sceneGuard.note(LaunchEvent.putBack, of: scenes, durably: true)
            for scene in scenes {
                log.tell(
                    .notice, .putBack,
                    "its saved state was put back from \(path)\(replaced.partly)",
                    scene: scene.text)
            }
            replaced.scenes = scenes.map(\.text)
            do throws(ApplicationError) {
                acknowledge(try await quarantined().filter { $0.name == name })
            } catch {
                // The status reports a quarantine that cannot be read.
            }
            return replaced
        } catch {
            if activity == .ended { throw ApplicationError.ending(application: bundleIdentifier) }
            if error.cause == .unknown {
                throw ApplicationError.notInQuarantine(application: bundleIdentifier, name: name)
            }
            throw ApplicationError.notPutBack(
                application: bundleIdentifier, name: name, cause: error.cause,
                reason: error.sentence)
        }
    }

    /// Takes what the application is to be made of from now on: other storyboards, other scenes
    /// that are made at the first start.
    ///
    /// If the resources are others than before, the state is kept as a generation, and every
    /// launched scene gives way to one that is launched beside it from what is saved, with the
    /// reason `reload` (R2). What has no place in the new interface stays as unclaimed (R16).
    /// Scenes that could not be launched, or were not to be, are launched too. If a new scene
    /// cannot be launched all go on as before.
    ///
    /// - Parameter new: of the same application and bundle version (L6).
    /// - Throws: ``ApplicationError/notReloaded(application:reason:)``; nothing has changed then.
    public func reload(_ new: ApplicationDefinition) async throws {
        try refuseWithinLaunch()
        guard new.bundleIdentifier == bundleIdentifier,
            new.bundleVersion == definition.bundleVersion
        else {
            throw notReloaded("it is for another application, or another version of the program")
        }
        await waitUntilLaunchesEnd()
        if activity == .ended { throw ApplicationError.ending(application: bundleIdentifier) }
        if let hosted, new.resourceFingerprint != definition.resourceFingerprint {
            let failed = hosted.table.failures.map(\.name)
            do throws(StateChangeFailure) {
                _ = try await carryOut(onlyLive: true) { _ in
                    StateChange(.saved, reason: .reload, generation: .reload, definition: new)
                }
            } catch {
                if activity == .ended {
                    throw ApplicationError.ending(application: bundleIdentifier)
                }
                throw notReloaded(error.sentence)
            }
            log.tell(.notice, .reloaded, "its interface was loaded again", reason: "reload")
            for name in failed.sorted(by: { $0.text < $1.text }) {
                if case .failed = hosted.table[name] { hosted.table.wait(for: name) }
            }
        }
        launches.definition = new
        hosted?.definition = new
        guard let hosted else { return }
        // The configured scenes that were never saved are launched (S3).
        for name in new.scenes {
            if case .unknown = hosted.state(of: name) { hosted.table.wait(for: name) }
        }
        advanceLaunches()
    }

    // MARK: Carrying out

    /// Carries out a change of state, and launches the scenes from it unless the application was
    /// stopped.
    ///
    /// Returns when they are launched.
    ///
    /// - Parameters:
    ///   - onlyLive: whether it is refused, and nothing read, if the application does not run.
    ///   - make: makes the change, when no scene is being launched or exchanged and what is saved is
    ///     known.
    /// - Throws: ``StateChangeFailure``: `unknown` if there is nothing of a name.
    private func carryOut(
        onlyLive: Bool = false,
        _ make: (ApplicationArchive) throws(StateChangeFailure) -> StateChange
    ) async throws(StateChangeFailure) -> ReplacedState {
        await waitUntilLaunchesEnd()
        if activity == .ended {
            throw StateChangeFailure(cause: .notSaved, reason: "the program is stopping")
        }
        if CommandCaller.hasGone {
            throw StateChangeFailure(cause: .notSaved, reason: "the client has disconnected")
        }
        if onlyLive, hosted == nil {
            throw StateChangeFailure(cause: .notLaunched, reason: "the application does not run")
        }
        do throws(SaveError) { try loadUnlaunched() } catch { throw StateChangeFailure(error) }
        let change = try make(saver.archive)
        guard let hosted else { return try await carryOutUnlaunched(change) }
        let result = await withCheckedContinuation { continuation in
            begin(change, of: hosted) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// Begins a change of the state of scenes that live; nothing is being launched or exchanged.
    ///
    /// - Parameter conclude: told when the scenes are launched, or why nothing has changed.
    func begin(
        _ request: StateChange, of hosted: HostedScenes, conclude: @escaping StateChange.Conclusion
    ) {
        var change = request
        do throws(StateChangeFailure) {
            // The live state belongs into the generation.
            timing("a pass of all scenes") { save(hosted, .demand) }
            if change.replacing == nil, let reason = saver.failure ?? saver.undecided {
                throw StateChangeFailure(cause: .notSaved, reason: reason)
            }
            let names = try timing("an exchange of its state") { () throws(StateChangeFailure) in
                try change.write(
                    by: saver, launches.sceneGuard, names: hosted.names,
                    numbering: hosted.numbering, hosted: hosted, conclude: conclude)
            }
            self.change = change
            hosted.table.beginExchange(
                of: names,
                ending: hosted.table.launched.map(\.name).filter {
                    change.covers($0) && !names.contains($0)
                })
        } catch {
            return conclude(.failure(error))
        }
        advanceLaunches()
    }

    /// Ends a change whose scenes are all launched: they take the places of those from before.
    func completeChange(of hosted: HostedScenes) {
        guard let change, let (old, new) = hosted.table.completeExchange() else { return }
        self.change = nil
        launches.definition = change.definition
        hosted.definition = change.definition
        for scene in old { scene.terminate() }
        let names = new.map(\.name)
        launches.sceneGuard.note(
            LaunchEvent.ended, of: old.map(\.name).filter { !names.contains($0) })
        for scene in new { takeCommands(scene, of: hosted) }
        timing("the end of an exchange of its state") {
            // The answer counts for what the launches changed as well: whether each scene is in use.
            save(hosted, .launch)
            if saver.written == .written { _ = saver.writeDurably(TurnRecords()) }
            change.commit(launches.sceneGuard, saved: saver.saved)
            saver.generations.prune()
        }
        resumeCommands(to: old.map(\.name) + names)
    }

    /// Gives a change up, if one is going on: the scenes from before go on.
    func abandonChange(of hosted: HostedScenes, _ failure: StateChangeFailure) {
        guard let change else { return }
        self.change = nil
        if let launching = hosted.table.launching, hosted.table.isExchanged(launching.name) {
            launches.sceneGuard.noteAbandoned()
        }
        let names = hosted.table.abandonExchange()
        // It may have waited for its turn, or been given it meanwhile.
        if hosted.table.launching == nil { launches.sceneGuard.ticket.giveBack() }
        if let name = failure.scene, hosted.record(of: name) != nil {
            switch hosted.state(of: name) {
            case .launched, .launching: break
            case .failed, .saved, .unknown: hosted.table.noteFailed(name, failure.reason)
            }
        }
        log.tell(
            .error, .exchangeFailed, "the previous scenes continue, because \(failure.sentence)",
            scene: failure.scene?.text, reason: failure.reason)
        log.noteProblem(failure.sentence)
        change.undo(by: saver, launches.sceneGuard, because: failure)
        resumeCommands(to: names)
    }

    private func resumeCommands(to names: [RestorationIdentifier]) {
        turns.withQueue { for name in names { $0.resume(name) } }
        signals.changed.send()
        turnsMade.send()
        turns.wake()
        noteLaunchesAdvanced()
    }

    // MARK: Applications that do not run

    /// Carries out a change of state of an application that does not run; one that could not be
    /// launched is launched from it.
    private func carryOutUnlaunched(
        _ request: StateChange
    ) async throws(StateChangeFailure) -> ReplacedState {
        var change = request
        _ = try timing("an exchange of its state") { () throws(StateChangeFailure) in
            try change.write(
                by: saver, launches.sceneGuard, names: NameTable(saver.archive.names),
                numbering: RecordNumbering(after: saver.archive.highestObjectNumber), hosted: nil)
        }
        var replaced = change.result(saved: saver.saved)
        if case .failed = phase {
            replaced.scenes = try await launch(from: change)
        } else {
            saver.closeArchive()
        }
        saver.generations.prune()
        tellIncidents()
        noteStepEnded()
        replaced.saved = saver.saved
        return replaced
    }

    /// Launches an application again that could not be launched, from another state.
    ///
    /// - Returns: the names of the scenes that are launched and were to get another state.
    private func launch(from change: StateChange) async throws(StateChangeFailure) -> [String] {
        beginLaunch(isAsked: true)
        let launched = hosted
        await waitForLaunch(of: launched)
        if case .failed(let reason) = phase {
            let failure = StateChangeFailure(cause: .notLaunched, reason: reason)
            change.undo(by: saver, launches.sceneGuard, because: failure)
            noteStepEnded()
            throw failure
        }
        guard let hosted, hosted === launched else {
            throw StateChangeFailure(
                cause: .notLaunched,
                reason: "the application was launched again before the change was undone")
        }
        return hosted.table.launched.map(\.name).filter(change.covers).map(\.text)
    }

    /// Reads what is saved of an application that does not run, unless that is known: what another
    /// program left there counts, as it would for a launch. What could not be saved of the
    /// application becomes a generation before it gives way to another archive.
    ///
    /// - Returns: whether it is read now, and was damaged.
    /// - Throws: why it cannot be read, and so not be written over either.
    @discardableResult
    func loadUnlaunched() throws(SaveError) -> Bool {
        if hosted != nil { return false }
        let archive = saver.archive
        guard archive.contents != nil else { return try load() }
        let isUnsaved = archive.hasPending
        let finding: ExternalFinding
        do throws(IOError) { finding = try archive.look(closely: true) } catch { throw .io(error) }
        switch finding {
        case .ours:
            return false
        case .elsewhere(let reason) where isUnsaved:
            throw .changedExternally(path: archive.path, reason: reason)
        case .removed where isUnsaved, .unusable where isUnsaved:
            archive.quarantineOnNextWrite()
            return false
        case .replaced where isUnsaved:
            try saver.generations.keep(because: .replacement)
            saver.noteLeft()
            return try load()
        case .elsewhere, .removed, .unusable, .replaced:
            return try load()
        }
    }

    private func load() throws(SaveError) -> Bool {
        // The change is decided: everything that is pending is kept elsewhere by now.
        saver.archive.forget()
        do throws(LoadError) {
            return try timing("reading its archive") { () throws(LoadError) in
                try ArchiveLoader(archive: saver.archive, log: log).load().damage != nil
            }
        } catch {
            throw .refused(path: saver.archive.path, because: error)
        }
    }

    /// A scene that is launched, saved or configured.
    private func knownScene(_ text: String) throws(ApplicationError) -> RestorationIdentifier {
        let name = RestorationIdentifier(recorded: text)
        if let hosted {
            if case .unknown = hosted.state(of: name) { throw noSuchScene(name, in: hosted) }
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
        if activity == .ended { return .ending(application: bundleIdentifier) }
        return .notReset(
            application: bundleIdentifier, cause: failure.cause, reason: failure.sentence)
    }

    private func notReloaded(_ reason: String) -> ApplicationError {
        .notReloaded(application: bundleIdentifier, reason: reason)
    }
}

extension ReplacedState {
    /// A clause that tells what of the other state could not be used; empty if all could.
    fileprivate var partly: String {
        shortfall.map { " as far as it can be used: \($0)" } ?? ""
    }
}
