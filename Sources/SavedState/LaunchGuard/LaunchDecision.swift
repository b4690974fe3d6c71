import ExactText

/// Decision about a scene that is about to be launched.
package enum LaunchDecision: Sendable, Equatable {
    /// Launch the scene with its saved state.
    case launch
    /// Move the scene's saved state to quarantine, then decide again (L2). The reason is a sentence.
    case quarantine(cause: LaunchFault, reason: String)
    /// Move the scene's current state to quarantine and restore its previous state from a generation, then
    /// decide again (L8).
    ///
    /// The current state, which may be empty, had replaced the previous state.
    case fallBack(generation: String, reason: String)
    /// Remove the scene from the archive if its record still has this number, then decide again.
    ///
    /// Its saved state is already in quarantine.
    case removeFromArchive(record: UInt32)
    /// Stop launching the scene, and restore its saved state from quarantine to the archive.
    ///
    /// Then decide again (L8).
    case putBack(name: String, LaunchStop)
    /// Do not launch the scene unless an operator asks for it. Its saved state is not the cause (L8).
    case stop(LaunchStop)
}

extension LaunchLedger {
    /// Decides what to do with a scene that a program is about to launch.
    ///
    /// - Parameter hasState: Whether the archive contains state of the scene.
    package func decide(
        _ scene: SceneKey, identity: ProgramIdentity, hasState: Bool, limits: LaunchLimits
    ) -> LaunchDecision {
        guard let known = scenes[scene] else { return .launch }
        if let stop = known.stopped {
            if let quarantined = known.quarantined { return .putBack(name: quarantined.name, stop) }
            // Another program may launch the scene successfully.
            return stop.identity == identity ? .stop(stop) : .launch
        }
        if let quarantined = known.quarantined, !quarantined.isTakenOut {
            return .removeFromArchive(record: quarantined.record)
        }
        guard known.identity == identity, let fault = known.fault(within: limits) else {
            return .launch
        }
        let blame = known.blame(fault)
        let isOfProgram = fault == .launching && known.goodIdentity.map { $0 != identity } ?? false
        // A replaced state is restored regardless of the cause of the crashes.
        if let generation = known.replaced, !isOfProgram || !hasState {
            return .fallBack(generation: generation, reason: blame)
        }
        func stop(_ clause: String) -> LaunchStop {
            LaunchStop(reason: blame + clause, identity: identity)
        }
        if isOfProgram {
            return .stop(
                stop(
                    "; another version of the program or its storyboards launched it successfully, "
                        + "so its saved state is not the cause"))
        }
        if let quarantined = known.quarantined {
            return .putBack(
                name: quarantined.name,
                stop(", even without its saved state, so the saved state is not the cause"))
        }
        return hasState
            ? .quarantine(cause: fault, reason: blame) : .stop(stop(", and it has no saved state"))
    }
}

extension SceneLaunches {
    /// Returns a phrase that describes how, and how often, the process died.
    func blame(_ fault: LaunchFault) -> String {
        let count = fault == .launching ? failures : deaths
        let times = count == 1 ? "" : " \(count) times in a row"
        let when = fault == .launching ? "while it launched the scene" : "soon after its launch"
        return "the program died \(when)\(times): \(lastEnd ?? "for an unknown reason")"
    }
}
