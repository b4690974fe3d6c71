import ExactText
import Logging
import SavedState
import StateRecords
import StateRestoration

/// Policy that determines how a scene is launched after earlier crashes (L2, L3, L8).
///
/// Crash recovery can quarantine the scene's state, restore earlier state, or prevent the launch.
struct CrashRecovery {
    let sceneLaunchGuard: SceneLaunchGuard
    let saver: StateSaver

    private var archive: ApplicationArchive { saver.archive }
    private var log: ApplicationLog { saver.log }

    /// Returns the reason why a scene must not be launched, or `nil` if it can be launched.
    ///
    /// The method may quarantine the scene's saved state, unless the state contains declared values that the launch
    /// must restore.
    ///
    /// - Parameters:
    ///   - isUserRequested: Whether the user requested the scene.
    ///   - crashLimit: The number of crashes after which the scene is launched without its saved state.
    func resolveLaunchObstacle(
        to name: RestorationIdentifier, of hostedScenes: HostedScenes, isUserRequested: Bool,
        crashLimit: Int
    ) -> String? {
        while true {
            let decision = sceneLaunchGuard.decide(
                name, hostedScenes.definition, hasState: hostedScenes.record(of: name) != nil,
                crashLimit: crashLimit)
            switch decision {
            case .launch:
                return nil
            case .quarantine(_, let reason) where hostedScenes.mustRestoreValues(of: name):
                // Without its values, the program would behave as if it had never saved anything.
                log.log(
                    .warning, .launchedAgain,
                    "keeps its saved state, which contains declared values: \(reason)",
                    scene: name.text, reason: reason)
                return nil
            case .quarantine(let cause, let reason):
                if let failure = quarantineState(name, of: hostedScenes, cause, reason) {
                    return failure
                }
            case .fallBack(let generation, let reason):
                if let failure = fallBack(to: generation, name, of: hostedScenes, reason) {
                    return failure
                }
            case .removeFromArchive(let record):
                guard removeFromArchive(record, name, of: hostedScenes) else { return nil }
            case .putBack(let quarantined, let stop):
                recordLaunchRefusal(name, stop)
                if let failure = putBack(quarantined, name, of: hostedScenes) { return failure }
            case .stop(let stop) where hostedScenes.mustRestoreValues(of: name):
                log.log(
                    .warning, .launchedAgain, "is launched although \(stop.reason)",
                    scene: name.text, reason: stop.reason)
                return nil
            case .stop(let stop):
                recordLaunchRefusal(name, stop)
                return isUserRequested
                    ? nil
                    : "\(stop.reason); "
                        + archive.instruction("open \(name)", orCall: "open(scene: \"\(name)\")")
                        + " tries again"
            }
        }
    }

    /// Restores the previous state of scenes whose new state has crashed the process.
    ///
    /// Call this method before any scene is launched.
    ///
    /// - Returns: Whether the restoration of at least one scene was attempted.
    func fallBackReplacedScenes(_ hostedScenes: HostedScenes, crashLimit: Int) -> Bool {
        var hasFallenBack = false
        for name in sceneLaunchGuard.launchRecordsOfReplacedScenes.keys.sorted(by: {
            $0.text < $1.text
        }) {
            let decision = sceneLaunchGuard.decide(
                name, hostedScenes.definition, hasState: hostedScenes.record(of: name) != nil,
                crashLimit: crashLimit)
            guard case .fallBack(let generation, let reason) = decision else { continue }
            // A failure is not handled here, because the scene's launch retries the restoration and logs the failure.
            _ = fallBack(to: generation, name, of: hostedScenes, reason)
            hasFallenBack = true
        }
        return hasFallenBack
    }

    /// Schedules launches without state for scenes that have not run successfully since their state was quarantined.
    func scheduleLaunchesWithoutState(_ hostedScenes: HostedScenes) {
        for name in sceneLaunchGuard.quarantinedSceneNames where !hostedScenes.isKnown(name) {
            hostedScenes.table.scheduleLaunch(for: name)
        }
    }

    /// Logs crashes of earlier processes, except crashes that will appear in a scene's launch report.
    func logCrashes(_ hostedScenes: HostedScenes) {
        let crashes = sceneLaunchGuard.consumeCrashes()
        let launchingNames = crashes.isEmpty ? [] : Set(hostedScenes.namesToLaunch)
        for (scene, crashDescription) in crashes {
            if launchingNames.contains(RestorationIdentifier(recorded: scene)) { continue }
            let sentence =
                "the program died while it launched the scene, or soon after: \(crashDescription); the scene is not "
                + "launched again until it is opened"
            log.log(
                .warning, .crashedDuringLaunch, sentence, scene: scene, reason: crashDescription)
            log.recordProblem("the scene \(scene): \(sentence)")
        }
    }

    /// Logs problems that the launch guard has encountered since the last call.
    func logLaunchGuardProblems() {
        for problem in sceneLaunchGuard.consumeProblems() {
            log.logProblem(.warning, .guardImpaired, "\(problem)", reason: "\(problem)")
        }
    }

    /// Returns a sentence about an earlier crash, for a scene's launch report.
    ///
    /// If the scene's state is in quarantine, the sentence contains the command that puts it back.
    func reportSentence(about crash: String, _ name: RestorationIdentifier) -> String {
        let sentence =
            "the program died earlier, during or soon after a launch of the scene: \(crash)"
        guard let quarantined = sceneLaunchGuard.launchRecord(of: name)?.quarantined?.name else {
            return sentence
        }
        return "\(sentence); its saved state is in quarantine, and \(retryHint(of: quarantined))"
    }

    private func retryHint(of fileName: String) -> String {
        "\(archive.putBackCommand(of: fileName)) tries it again"
    }

    private func recordLaunchRefusal(_ name: RestorationIdentifier, _ stop: LaunchRefusal) {
        if sceneLaunchGuard.launchRecord(of: name)?.stopped == stop { return }
        sceneLaunchGuard.record({ .refused(scene: $0, refusal: stop) }, of: [name], durably: true)
    }

    // MARK: Quarantine

    /// Copies the saved state of a scene to quarantine, before the state is removed from the archive.
    ///
    /// - Returns: The reason why the scene must not be launched, or `nil` if the state is in quarantine. State that is
    ///   not in quarantine may cause another crash.
    private func quarantineState(
        _ name: RestorationIdentifier, of hostedScenes: HostedScenes, _ cause: LaunchFault,
        _ reason: String
    ) -> String? {
        do throws(SaveError) {
            guard let record = hostedScenes.record(of: name),
                let quarantinedName = try archive.quarantineScenes(
                    [record.header.number], reason: "The scene was launched and \(reason).")
            else { return reason }
            let state = QuarantinedState(
                name: quarantinedName, record: record.header.number, cause: cause)
            sceneLaunchGuard.record(
                { .quarantined(scene: $0, state: state) }, of: [name], durably: true)
            let path = archive.quarantinePath(of: quarantinedName)
            log.logProblem(
                .error, .quarantined,
                "starts without its saved state, which is in quarantine as \(path), "
                    + "because \(reason); "
                    + retryHint(of: quarantinedName),
                scene: name.text, reason: reason)
            return nil
        } catch {
            return "\(reason); its saved state could not be moved to quarantine: \(error)"
        }
    }

    /// Removes a scene from the archive after its state has been copied to quarantine.
    ///
    /// - Returns: Whether the removal is durable. Otherwise, the next process repeats the removal.
    private func removeFromArchive(
        _ recordNumber: UInt32, _ name: RestorationIdentifier, of hostedScenes: HostedScenes
    ) -> Bool {
        if hostedScenes.record(of: name)?.header.number == recordNumber {
            guard saver.writeDurably(archive.removalTurn(ofScene: recordNumber)) else {
                return false
            }
        }
        sceneLaunchGuard.record(LaunchEvent.removedFromArchive, of: [name], durably: true)
        return true
    }

    /// Puts quarantined state back into the archive, because the state did not cause the crash.
    ///
    /// - Returns: The reason for a failure that may be temporary, or `nil` if the state was put back or can never be
    ///   put back.
    private func putBack(
        _ quarantinedName: String, _ name: RestorationIdentifier, of hostedScenes: HostedScenes
    ) -> String? {
        let path = archive.quarantinePath(of: quarantinedName)
        do throws(StateChangeFailure) {
            let storedContents = try StateChangeFailure.reading { () throws(StoredStateError) in
                try archive.contents(ofQuarantinedFile: quarantinedName)
            }
            let transfer = try StateTransfer(
                storedContents.contents, of: storedContents.sceneNamesToPutBack, into: archive,
                names: hostedScenes.names,
                numbering: hostedScenes.numbering)
            try transfer.replaceState(by: saver, because: .putBack(path: path))
            log.log(
                .notice, .putBack, "its saved state was put back from \(path)", scene: name.text)
        } catch {
            let sentence = "its saved state could not be put back from \(path): \(error.reason)"
            log.log(.error, .putBackFailed, sentence, scene: name.text, reason: error.reason)
            if error.cause.isRetryable { return sentence }
        }
        sceneLaunchGuard.record(LaunchEvent.restoredFromQuarantine, of: [name], durably: true)
        return nil
    }

    // MARK: Falling back

    /// Restores the previous state of a scene, and quarantines the state that replaced it.
    ///
    /// Other scenes are restored together with this scene if the same operation replaced or removed their state, the
    /// user has not changed them since, and they are not running.
    ///
    /// - Parameter generation: The path of the generation that contains the previous state.
    /// - Returns: The reason why the restoration failed, or `nil` if the scene can be launched. After a failure, the
    ///   scene is not launched.
    private func fallBack(
        to generation: String, _ name: RestorationIdentifier, of hostedScenes: HostedScenes,
        _ reason: String
    ) -> String? {
        let otherLaunches = sceneLaunchGuard.launchRecordsOfReplacedScenes.filter {
            other, launchRecords in
            if case .launched = hostedScenes.state(of: other) { return false }
            return launchRecords.replaced == generation && launchRecords.isChanged == nil
                && other != name
        }
        do throws(StateChangeFailure) {
            let otherNames = otherLaunches.keys.sorted { $0.text < $1.text }
            try fallBack(to: generation, [name] + otherNames, of: hostedScenes, reason)
        } catch {
            if error.cause.isRetryable {
                return
                    "\(reason); its state from before the replacement could not be restored: "
                    + "\(error.reason)"
            }
            // From now on, the current state is treated like any other state that may cause crashes.
            sceneLaunchGuard.record(
                { .replaced(scene: $0, generation: nil) }, of: [name], durably: true)
            log.log(
                .error, .putBackFailed,
                "its state from before the replacement cannot be used: \(error.reason)",
                scene: name.text, reason: error.reason)
        }
        return nil
    }

    private func fallBack(
        to generation: String, _ names: [RestorationIdentifier], of hostedScenes: HostedScenes,
        _ reason: String
    ) throws(StateChangeFailure) {
        let storedContents = try StateChangeFailure.reading { () throws(StoredStateError) in
            try archive.contents(ofGenerationAt: generation)
        }
        let transfer = try StateTransfer(
            storedContents.contents, of: names, into: archive, names: hostedScenes.names,
            numbering: hostedScenes.numbering)
        let quarantinedName = try quarantineState(
            transfer.replacedSceneNames, of: hostedScenes, reason)
        do throws(StateChangeFailure) {
            try transfer.write(by: saver)
        } catch {
            if let quarantinedName { archive.removeQuarantinedFile(quarantinedName) }
            throw error
        }
        sceneLaunchGuard.record(LaunchEvent.fellBack, of: names, durably: true)
        let replacedByPhrase = quarantinedName.map {
            "; the state that replaced it is in quarantine as \(archive.quarantinePath(of: $0))"
        }
        let otherSceneNames = names.dropFirst().map(\.text).abridged.joined(separator: ", ")
        log.logProblem(
            .error, .quarantined,
            "was restored to its state from before the replacement, from \(generation)"
                + (names.count > 1 ? ", together with \(otherSceneNames)" : "")
                + "\(replacedByPhrase ?? ""), because \(reason)",
            scene: names.first?.text, generation: generation, reason: reason)
    }

    /// Copies the saved state of several scenes to a single file in quarantine, without removing the state from the
    /// archive.
    ///
    /// - Returns: The name of the file in quarantine, or `nil` if the scenes have no saved state.
    private func quarantineState(
        _ names: [RestorationIdentifier], of hostedScenes: HostedScenes, _ reason: String
    ) throws(StateChangeFailure) -> String? {
        do throws(SaveError) {
            return try archive.quarantineScenes(
                names.compactMap { hostedScenes.record(of: $0)?.header.number },
                reason: "The program launched it in place of another state, and \(reason).")
        } catch {
            throw StateChangeFailure(cause: .notSaved, reason: "\(error)")
        }
    }
}
