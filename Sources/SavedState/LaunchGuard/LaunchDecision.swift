import ExactText

/// Decision about a scene that is about to be launched.
package enum LaunchDecision: Sendable, Equatable {
    /// Launch the scene with its saved state.
    case launch
    /// Move the scene's saved state to quarantine, then decide again (L2). The reason is a sentence.
    case quarantine(cause: LaunchFault, reason: String)
    /// Move the scene's current state to quarantine, restore the scene's previous state from a generation, then decide
    /// again (L8).
    ///
    /// The current state had replaced the previous state, and may be empty.
    case fallBack(generation: String, reason: String)
    /// Remove the scene from the archive if its record still has this number, then decide again.
    ///
    /// The scene's saved state is already in quarantine.
    case removeFromArchive(record: UInt32)
    /// Stop launching the scene, and restore its saved state from quarantine to the archive.
    ///
    /// Then decide again (L8).
    case putBack(name: String, LaunchRefusal)
    /// Do not launch the scene unless an operator requests it. The scene's saved state is not the cause of the crashes
    /// (L8).
    case stop(LaunchRefusal)
}

extension LaunchLedger {
    /// Decides how a program should proceed with a scene that it is about to launch.
    ///
    /// - Parameter hasState: Whether the archive contains state for the scene.
    package func decide(
        _ scene: SceneKey, identity: ProgramIdentity, hasState: Bool, limits: LaunchLimits
    ) -> LaunchDecision {
        guard let launches = scenes[scene] else { return .launch }
        if let refusal = launches.stopped {
            if let quarantinedState = launches.quarantined {
                return .putBack(name: quarantinedState.name, refusal)
            }
            // A different program may launch the scene successfully.
            return refusal.identity == identity ? .stop(refusal) : .launch
        }
        if let quarantinedState = launches.quarantined, !quarantinedState.isTakenOut {
            return .removeFromArchive(record: quarantinedState.record)
        }
        guard launches.identity == identity, let fault = launches.fault(within: limits) else {
            return .launch
        }
        let crashDescription = launches.crashDescription(fault)
        let isProgramAtFault =
            fault == .launching && launches.goodIdentity.map { $0 != identity } ?? false
        // The previous state is restored, unless the program is at fault and the scene has state.
        if let generation = launches.replaced, !isProgramAtFault || !hasState {
            return .fallBack(generation: generation, reason: crashDescription)
        }
        func refusal(_ clause: String) -> LaunchRefusal {
            LaunchRefusal(reason: crashDescription + clause, identity: identity)
        }
        if isProgramAtFault {
            return .stop(
                refusal(
                    "; another version of the program or its storyboards launched it successfully, "
                        + "so its saved state is not the cause"))
        }
        if let quarantined = launches.quarantined {
            return .putBack(
                name: quarantined.name,
                refusal(", even without its saved state, so the saved state is not the cause"))
        }
        return hasState
            ? .quarantine(cause: fault, reason: crashDescription)
            : .stop(refusal(", and it has no saved state"))
    }
}

extension SceneLaunches {
    /// Returns a phrase that describes how and how often the process died.
    func crashDescription(_ fault: LaunchFault) -> String {
        let count = fault == .launching ? failedLaunchCount : deaths
        let times = count == 1 ? "" : " \(count) times in a row"
        let when = fault == .launching ? "while it launched the scene" : "soon after its launch"
        return "the program died \(when)\(times): \(lastEnd ?? "for an unknown reason")"
    }
}
