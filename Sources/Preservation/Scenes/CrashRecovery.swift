import ExactText
import Logging
import SavedState
import StateRecords
import StateRestoration

/// Does what earlier crashes lead to before a scene is launched: its state goes to quarantine, or
/// comes back, or the scene is not launched (L2, L3, L8).
struct CrashRecovery {
    let sceneGuard: SceneGuard
    let saver: StateSaver

    private var archive: ApplicationArchive { saver.archive }
    private var log: ApplicationLog { saver.log }

    /// The reason for which a scene is not to be launched; nil: it is, and what is saved of it may
    /// have gone to quarantine.
    ///
    /// - Parameters:
    ///   - isAsked: whether a person asks for the scene.
    ///   - crashLimit: after so many crashes it starts without its saved state.
    func obstacle(
        to name: RestorationIdentifier, of hosted: HostedScenes, isAsked: Bool, crashLimit: Int
    ) -> String? {
        while true {
            let decision = sceneGuard.decide(
                name, hosted.definition, hasState: hosted.record(of: name) != nil,
                crashLimit: crashLimit)
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
                noteStopped(name, stop)
                if let failure = putBack(quarantined, name, of: hosted) { return failure }
            case .stop(let stop):
                noteStopped(name, stop)
                return isAsked ? nil : "\(stop.reason); `\(command) open \(name)` tries again"
            }
        }
    }

    /// Gives back what they had before to scenes of which it is known that another state made the
    /// program die, before any scene is launched.
    ///
    /// - Returns: whether a scene got something back.
    func fallBack(_ hosted: HostedScenes, crashLimit: Int) -> Bool {
        var isAnyBack = false
        for name in sceneGuard.replaced.keys.sorted(by: { $0.text < $1.text }) {
            let decision = sceneGuard.decide(
                name, hosted.definition, hasState: hosted.record(of: name) != nil,
                crashLimit: crashLimit)
            guard case .fallBack(let generation, let reason) = decision else { continue }
            // What fails is tried again, and told, when the scene is launched.
            _ = fallBack(to: generation, name, of: hosted, reason)
            isAnyBack = true
        }
        return isAnyBack
    }

    /// Lets the scenes be launched, as new ones, whose state lies in quarantine, and that the program
    /// did not live with since.
    func launchThoseWithoutState(_ hosted: HostedScenes) {
        for name in sceneGuard.withoutState where !hosted.isKnown(name) {
            hosted.table.wait(for: name)
        }
    }

    /// Tells what the program died with before, where nothing else would: of a scene that is
    /// launched again now its launch does.
    func tellDeaths(_ hosted: HostedScenes) {
        let deaths = sceneGuard.takeDeaths()
        let launching = deaths.isEmpty ? [] : Set(hosted.namesToLaunch)
        for (scene, end) in deaths {
            if launching.contains(RestorationIdentifier(recorded: scene)) { continue }
            let sentence =
                "the program died while it launched the scene, or soon after: \(end); it is not "
                + "launched again without a request"
            log.tell(.warning, .died, sentence, scene: scene, reason: end)
            log.noteProblem("the scene \(scene): \(sentence)")
        }
    }

    /// Tells what is wrong with the guard, once.
    func tellGuardProblems() {
        for problem in sceneGuard.takeProblems() {
            log.tellProblem(.warning, .guardImpaired, "\(problem)", reason: "\(problem)")
        }
    }

    /// How the program died with a scene that is launched now, and which command tries again what
    /// lies in quarantine for that; a sentence.
    func account(of death: String, _ name: RestorationIdentifier) -> String {
        let sentence = "the program died with the scene earlier: \(death)"
        guard let quarantined = sceneGuard.known(name)?.quarantined?.name else { return sentence }
        return "\(sentence); its saved state is in quarantine, and \(retrial(of: quarantined))"
    }

    private func retrial(of quarantined: String) -> String {
        "`\(command) quarantine put-back \(quarantined)` tries it again"
    }

    /// The command line up to a command to this application.
    private var command: String { "reprisectl --app \(archive.bundleIdentifier)" }

    private func noteStopped(_ name: RestorationIdentifier, _ stop: LaunchStop) {
        if sceneGuard.known(name)?.stopped == stop { return }
        sceneGuard.note({ .stopped(scene: $0, stop: stop) }, of: [name], durably: true)
    }

    // MARK: Quarantine

    /// Puts what is saved of a scene into quarantine; it goes out of the archive after that.
    ///
    /// - Returns: why that failed. The scene is not launched then: its state may well crash it
    ///   again.
    private func quarantine(
        _ name: RestorationIdentifier, of hosted: HostedScenes, _ cause: LaunchFault,
        _ reason: String
    ) -> String? {
        do throws(SaveError) {
            guard let record = hosted.record(of: name),
                let quarantined = try archive.quarantineScenes(
                    [record.header.number], reason: "The scene was launched and \(reason).")
            else { return reason }
            let state = Quarantined(
                name: quarantined, record: record.header.number, cause: cause)
            sceneGuard.note(
                { .quarantined(scene: $0, state: state) }, of: [name], durably: true)
            let path = archive.quarantinePath(of: quarantined)
            log.tellProblem(
                .error, .quarantined,
                "starts without its saved state, which is in quarantine as \(path), "
                    + "because \(reason); "
                    + retrial(of: quarantined),
                scene: name.text, reason: reason)
            return nil
        } catch {
            return "\(reason); its saved state could not be moved to quarantine: \(error)"
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
        sceneGuard.note(LaunchEvent.takenOut, of: [name], durably: true)
        return true
    }

    /// Puts back what lies in quarantine and was not to blame.
    ///
    /// - Returns: why that failed and is to be tried again.
    private func putBack(
        _ quarantined: String, _ name: RestorationIdentifier, of hosted: HostedScenes
    ) -> String? {
        let path = archive.quarantinePath(of: quarantined)
        do throws(StateChangeFailure) {
            let kept = try StateChangeFailure.reading { () throws(KeptStateError) in
                try archive.contents(ofQuarantined: quarantined)
            }
            let transfer = try StateTransfer(
                kept.contents, of: kept.scenesToPutBack, into: archive, names: hosted.names,
                numbering: hosted.numbering)
            try transfer.replaceStanding(by: saver, because: .putBack(path: path))
            log.tell(
                .notice, .putBack, "its saved state was put back from \(path)", scene: name.text)
        } catch {
            let sentence = "its saved state could not be put back from \(path): \(error.reason)"
            log.tell(.error, .putBackFailed, sentence, scene: name.text, reason: error.reason)
            if error.cause.isOfDisk { return sentence }
        }
        sceneGuard.note(LaunchEvent.putBack, of: [name], durably: true)
        return nil
    }

    // MARK: Falling back

    /// What took the place of a scene's state goes to quarantine, and what it had before comes back
    /// from its generation; so it does of all scenes that got another state, or lost theirs,
    /// together with it, were not changed by a person since, and are not launched.
    ///
    /// - Parameter generation: its path.
    /// - Returns: why that failed. The scene is not launched then.
    private func fallBack(
        to generation: String, _ name: RestorationIdentifier, of hosted: HostedScenes,
        _ reason: String
    ) -> String? {
        let others = sceneGuard.replaced.filter { other, known in
            if case .launched = hosted.state(of: other) { return false }
            return known.replaced == generation && known.isChanged == nil && other != name
        }
        do throws(StateChangeFailure) {
            let others = others.keys.sorted { $0.text < $1.text }
            try fallBack(to: generation, [name] + others, of: hosted, reason)
        } catch {
            if error.cause.isOfDisk {
                return
                    "\(reason); its state from before the replacement could not be restored: "
                    + "\(error.reason)"
            }
            // Then what there is is blamed as any other state.
            sceneGuard.note(
                { .replaced(scene: $0, generation: nil) }, of: [name], durably: true)
            log.tell(
                .error, .putBackFailed,
                "its state from before the replacement cannot be used: \(error.reason)",
                scene: name.text, reason: error.reason)
        }
        return nil
    }

    private func fallBack(
        to generation: String, _ names: [RestorationIdentifier], of hosted: HostedScenes,
        _ reason: String
    ) throws(StateChangeFailure) {
        let kept = try StateChangeFailure.reading { () throws(KeptStateError) in
            try archive.contents(ofGenerationAt: generation)
        }
        let transfer = try StateTransfer(
            kept.contents, of: names, into: archive, names: hosted.names,
            numbering: hosted.numbering)
        let copy = try quarantine(transfer.standing, of: hosted, reason)
        do throws(StateChangeFailure) {
            try transfer.write(by: saver)
        } catch {
            if let copy { archive.removeQuarantined(copy) }
            throw error
        }
        sceneGuard.note(LaunchEvent.fellBack, of: names, durably: true)
        let other = copy.map {
            "; the state that replaced it is in quarantine as \(archive.quarantinePath(of: $0))"
        }
        let together = names.dropFirst().prefix(10).map(\.text).joined(separator: ", ")
        let rest = names.count > 11 ? ", and \(names.count - 11) more" : ""
        log.tellProblem(
            .error, .quarantined,
            "gets back its state from before the replacement, from \(generation)"
                + (names.count > 1 ? ", together with \(together)\(rest)" : "")
                + "\(other ?? ""), because \(reason)",
            scene: names.first?.text, generation: generation, reason: reason)
    }

    /// Puts what is saved of scenes into quarantine, as one file; it stays in the archive.
    ///
    /// - Returns: its name there; nil if nothing is saved of them.
    private func quarantine(
        _ names: [RestorationIdentifier], of hosted: HostedScenes, _ reason: String
    ) throws(StateChangeFailure) -> String? {
        do throws(SaveError) {
            return try archive.quarantineScenes(
                names.compactMap { hosted.record(of: $0)?.header.number },
                reason: "The program launched it in place of another state, and \(reason).")
        } catch {
            throw StateChangeFailure(cause: .notSaved, reason: "\(error)")
        }
    }
}
