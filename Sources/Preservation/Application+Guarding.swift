import LinuxIO
import Logging
import SavedState
import StateRestoration

// What the launch guard and the application have to do with each other (L2, L3, L8).

extension Application {
    /// The scene among those of all applications.
    func key(of name: RestorationIdentifier) -> SceneKey {
        SceneKey(application: bundleIdentifier, scene: name.text)
    }

    /// The program, with what it launches scenes from, as the guard tells it from others.
    func identity(of definition: ApplicationDefinition) -> ProgramIdentity {
        launches.identity(
            version: definition.bundleVersion, resources: definition.resourceFingerprint)
    }

    /// Whether no other application is launching a scene; else this one is woken when it may.
    func mayLaunch() -> Bool {
        ticket.take { [wakeUps] in wakeUps.continuation.yield() }
    }

    /// The launch of a scene begins.
    ///
    /// - Returns: where a thread is that runs the scene's code.
    func beginGuarding(
        _ name: RestorationIdentifier, of hosted: HostedScenes
    ) -> CrashStamp.Place? {
        let scene = key(of: name)
        let known = launches.launches(of: scene)
        if known?.awaitsNewState == true { hosted.noteReplaced(name) }
        if let known, let end = known.lastEnd {
            hosted.noteDeath(of: name)
            log.tell(
                .warning, .launchedAgain,
                "is launched again; the program died "
                    + (known.endCount == 1 ? "" : "\(known.endCount) times in a row ")
                    + "while it launched it, or soon after: \(end)", scene: name.text, reason: end)
        }
        launches.begin(
            scene, reason: hosted.launchReason(of: name).rawValue,
            stage: Stage.launchBegin.rawValue,
            identity: identity(of: hosted.definition(of: name)))
        return launches.place(of: scene)
    }

    /// A launch or a pass has reached a stage.
    func noteStage(_ stage: Stage) {
        if stage.isOfLaunch, stage != .launchBegin {
            launches.note(.stage(name: stage.rawValue))
        }
        debugExit?.reach(stage)
    }

    /// No scene is launched any more.
    func stopLaunching(_ hosted: HostedScenes) {
        let restoring = hosted.restoring
        hosted.stopLaunching()
        if let restoring, hosted.restoring !== restoring { launches.noteAbandoned() }
        if hosted.restoring == nil { ticket.giveBack() }
    }

    /// Tells what the program died with before, where nothing else would: of a scene that is launched
    /// again now its launch does.
    func tellDeaths(_ hosted: HostedScenes) {
        for (scene, end) in launches.takeDeaths(of: definition.bundleIdentifier) {
            if hosted.waiting.contains(RestorationIdentifier(recorded: scene)) { continue }
            let sentence =
                "the program died while it launched the scene, or soon after: \(end); it is not "
                + "launched again before somebody asks for it"
            log.tell(.warning, .died, sentence, scene: scene, reason: end)
            saver.lastError = "the scene \(scene): \(sentence)"
        }
    }

    /// Tells what is wrong with the guard, once.
    func tellGuardProblems() {
        for problem in launches.takeProblems() {
            log.tell(.warning, .guardImpaired, "\(problem)", reason: "\(problem)")
            saver.lastError = "\(problem)"
        }
    }

    // MARK: What earlier crashes lead to

    /// Why a scene is not to be launched; nil: it is, and what is saved of it may have gone to
    /// quarantine.
    func obstacle(to name: RestorationIdentifier, of hosted: HostedScenes) -> String? {
        let scene = key(of: name)
        let isAsked = hosted.takeAsked(name)
        let identity = identity(of: definition)
        let limits = LaunchLimits(crashes: settings.crashLimit)
        while true {
            let decision = launches.decide(
                scene, identity: identity, hasState: hosted.record(of: name) != nil,
                limits: limits)
            switch decision {
            case .launch:
                return nil
            case .quarantine(let cause, let reason):
                if let failure = quarantine(name, of: hosted, cause, reason) { return failure }
            case .fallBack(let generation, let reason):
                if let failure = fallBack(to: generation, name, of: hosted, reason) {
                    return failure
                }
            case .takeOut(let record):
                guard takeOut(record, name, of: hosted) else { return nil }
            case .putBack(let quarantined, let stop):
                launches.note(.stopped(scene: scene, stop: stop), durably: true)
                if let failure = putBack(quarantined, name, of: hosted) { return failure }
            case .stop(let stop):
                if launches.launches(of: scene)?.stopped != stop {
                    launches.note(.stopped(scene: scene, stop: stop), durably: true)
                }
                return isAsked ? nil : stop.reason
            }
        }
    }

    /// Puts what is saved of a scene into quarantine; it goes out of the archive after that.
    ///
    /// - Returns: why that failed. The scene is not launched then: its state may well crash it again.
    private func quarantine(
        _ name: RestorationIdentifier, of hosted: HostedScenes, _ cause: LaunchFault,
        _ reason: String
    ) -> String? {
        do throws(SaveError) {
            guard let record = hosted.record(of: name),
                let quarantined = try archive.quarantineScene(
                    record.header.number, reason: "The scene was launched and \(reason).")
            else { return reason }
            let state = Quarantined(
                name: quarantined, record: record.header.number, cause: cause)
            launches.note(.quarantined(scene: key(of: name), state: state), durably: true)
            let path = archive.quarantinePath(of: quarantined)
            let sentence =
                "starts without its saved state, which is kept as \(path), because \(reason)"
            log.tell(.error, .quarantined, sentence, scene: name.text, reason: reason)
            saver.lastError = "the scene \(name) \(sentence)"
            return nil
        } catch {
            return "\(reason); its saved state is to go to quarantine, which failed: \(error)"
        }
    }

    /// Takes a scene out of the archive that lies in quarantine.
    ///
    /// - Returns: false if that is not safe on the disk; the next process does it again then.
    private func takeOut(
        _ record: UInt32, _ name: RestorationIdentifier, of hosted: HostedScenes
    ) -> Bool {
        if hosted.record(of: name)?.header.number == record {
            guard saver.writeDurably(archive.removal(ofScene: record)) else { return false }
        }
        launches.note(.takenOut(scene: key(of: name)), durably: true)
        return true
    }

    /// Puts back what lies in quarantine and was not to blame.
    ///
    /// - Returns: why that failed and is to be tried again.
    private func putBack(
        _ quarantined: String, _ name: RestorationIdentifier, of hosted: HostedScenes
    ) -> String? {
        let path = archive.quarantinePath(of: quarantined)
        do throws(ReplacementFailure) {
            _ = try saver.putBack(
                quarantinedState(quarantined), names: hosted.names, numbering: hosted.numbering)
            log.tell(
                .notice, .putBack, "its saved state was put back from \(path)", scene: name.text)
        } catch {
            let sentence = "its saved state could not be put back from \(path): \(error.reason)"
            log.tell(.error, .putBack, sentence, scene: name.text, reason: error.reason)
            if error.cause.isOfDisk { return sentence }
        }
        launches.note(.putBack(scene: key(of: name)), durably: true)
        return nil
    }

    private func quarantinedState(
        _ name: String
    ) throws(ReplacementFailure) -> KeptContents {
        do throws(KeptStateError) {
            return try archive.contents(ofQuarantined: name)
        } catch {
            throw ReplacementFailure(error)
        }
    }
}
