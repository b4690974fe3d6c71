import LinuxIO
import Logging
import SavedState
import StateRestoration

extension Application {
    /// Launches the application again after ``quit(force:)``, or after a launch that failed.
    ///
    /// Returns when every scene is launched; a restoration that is extended is waited for (R13).
    ///
    /// - Throws: ``ApplicationError`` if it is running, if its service has ended, or if it cannot
    ///   be launched.
    public func launch() async throws {
        let application = bundleIdentifier
        if hasEnded { throw ApplicationError.ending(application: application) }
        if hosted != nil { throw ApplicationError.alreadyRunning(application: application) }
        beginLaunch(isAsked: true)
        if isLaunching { await waitForLaunch() }
        _ = try runningScenes()
    }

    /// Loads what is saved and launches the scenes, as far as they do not have to be waited for.
    ///
    /// - Parameter isAsked: whether a person asks for it.
    func beginLaunch(isAsked: Bool = false) {
        launchCount += 1
        saver.begin()
        do {
            let classes = definition.makeClasses()
            try classes.validate()
            let loaded = try ArchiveLoader(archive: archive, log: log).load()
            if let damage = loaded.damage { saver.lastError = damage }
            saver.lastPass = archive.lastPass?.timestamp
            let model = try saver.takeModel(definition.makeModel, in: documents)
            let hosted = HostedScenes(
                definition: definition, archive: archive, classes: classes, model: model,
                reason: loaded.reason, limits: settings.limits)
            phase = .launching(hosted)
            fallBack(hosted)
            saver.pruneGenerations()
            if isAsked { hosted.askFor() }
            tellDeaths(hosted)
            advanceLaunches()
        } catch {
            failLaunch(String(describing: error))
        }
    }

    /// Launches the scenes that wait for it, until one has to be waited for.
    func advanceLaunches() {
        guard let hosted else { return }
        repeat {
            if let completed = hosted.takeCompleted() { noteLaunched(completed, of: hosted) }
            guard hosted.hasNext, mayLaunch(), let name = hosted.takeNext() else { break }
            launch(name, of: hosted)
        } while true
        tellGuardProblems()
        completeExchange(of: hosted)
        if case .launching = phase, hosted.restoring == nil, !hosted.hasNext {
            completeLaunch(hosted)
        }
        noteSettled()
    }

    private func launch(_ name: RestorationIdentifier, of hosted: HostedScenes) {
        let isExchanged = hosted.exchange?.names.contains(name) == true
        if !isExchanged, let reason = obstacle(to: name, of: hosted) {
            ticket.giveBack()
            fail(name, of: hosted, reason, .heldBack)
            return
        }
        let place = beginGuarding(name, of: hosted)
        do {
            let generation = try place.run(at: .launchBegin) {
                try hosted.launch(name) { host($0, place) }
            }
            if let generation { saver.needGeneration(generation) }
        } catch {
            launches.noteAbandoned()
            ticket.giveBack()
            let reason = String(describing: error)
            if isExchanged {
                abandonExchange(of: hosted, ExchangeFailure(scene: name, reason: reason))
            } else {
                fail(name, of: hosted, reason, .launchFailed)
            }
            return
        }
        guard let restoring = hosted.restoring, !restoring.scene.isLaunched else { return }
        log.tell(
            .info, .extended, "extends its restoration, which is waited for", scene: name.text)
        restorations.continuation.yield(name)
    }

    private func fail(
        _ name: RestorationIdentifier, of hosted: HostedScenes, _ reason: String, _ event: LogEvent
    ) {
        hosted.fail(name, reason)
        saver.lastError = "the scene \(name) could not be launched: \(reason)"
        log.tell(
            .error, event, "could not be launched: \(reason)", scene: name.text, reason: reason)
        for command in queue.takeHeld(name) { command.refuse(sceneFailed(name, reason)) }
    }

    private func host(_ scene: Scene, _ place: CrashStamp.Place?) -> HostedScene {
        scene.onLaunchCompleted = { [wakeUps] in wakeUps.continuation.yield() }
        let hosted = HostedScene(
            scene, tasks: SceneTasks { [wakeUps] in wakeUps.continuation.yield() }, place: place)
        hosted.onStage = { [unowned self] in noteStage($0) }
        return hosted
    }

    /// A scene's launch has completed.
    private func noteLaunched(_ scene: HostedScene, of hosted: HostedScenes) {
        launches.noteLaunched(
            key(of: scene.name), identity: identity(of: hosted.definition(of: scene.name)))
        ticket.giveBack()
        // One that takes the place of another takes commands when that ends.
        if hosted.exchange?.names.contains(scene.name) == true { return }
        takeCommands(scene)
        queue.release(scene.name)
    }

    /// A scene takes commands from now on.
    func takeCommands(_ scene: HostedScene) {
        scene.scene.records.onMark = { [wakeUps] in wakeUps.continuation.yield() }
        if scene.scene.needsPass { wakeUps.continuation.yield() }
        tellLaunch(of: scene.scene)
    }

    /// Every scene is launched, or could not be.
    private func completeLaunch(_ hosted: HostedScenes) {
        if hosted.scenes.isEmpty, let reason = hosted.failures.values.first {
            failLaunch(reason)
            return
        }
        phase = .running(hosted)
        saver.markOpened()
        noteLaunchEnded()
        // What another program did during the launch is not to be written over.
        if isLookNeeded { lookAtArchive() }
        save(hosted, .launch)
        wakeUps.continuation.yield()
    }

    private func failLaunch(_ reason: String) {
        if let hosted {
            stopLaunching(hosted)
            hosted.endAll()
        }
        phase = .failed(reason: reason)
        saver.releaseModel()
        saver.lastError = reason
        log.tell(.error, .launchFailed, "could not be launched: \(reason)", reason: reason)
        for command in queue.takeAll() { command.refuse(notTaking) }
        noteLaunchEnded()
    }

    private func tellLaunch(of scene: Scene) {
        let report = scene.report
        let name = scene.name.text
        let reason = report.reason.rawValue
        log.tell(.notice, .launched, "launched (\(reason))", scene: name, reason: reason)
        guard report.reason != .pristine else { return }
        log.tell(
            .notice, .restored, "restored \(report.restored) of \(report.recorded) objects",
            scene: name, reason: reason)
        for object in report.unrestored.prefix(100) {
            log.tell(
                .warning, .notRestored,
                "\(object.path) was not restored (\(object.code.rawValue)): \(object.detail)",
                scene: name, path: object.path, reason: object.code.rawValue)
        }
    }

    // MARK: Extended restoration

    /// Ends each restoration that is extended for too long (R13).
    func limitRestorations() async {
        await withDiscardingTaskGroup { group in
            for await name in restorations.stream {
                guard let restoring = hosted?.restoring, restoring.name == name else { continue }
                let launch = ObjectIdentifier(restoring)
                group.addTask { [settings] in
                    do {
                        try await settings.clock.sleep(for: settings.launchTimeout)
                    } catch {
                        return  // The sleep ends early only when the application does.
                    }
                    await self.endRestoration(launch)
                }
            }
        }
    }

    private func endRestoration(_ launch: ObjectIdentifier) {
        guard let restoring = hosted?.restoring, ObjectIdentifier(restoring) == launch,
            !restoring.scene.isLaunched
        else { return }
        restoring.hasTimedOut = true
        let sentence =
            "its restoration was not completed within \(settings.launchTimeout): the launch goes on"
        saver.lastError = "\(restoring.name): \(sentence)"
        log.tell(.warning, .extensionMisused, sentence, scene: restoring.name.text)
        restoring.scene.completeLaunch()
    }
}
