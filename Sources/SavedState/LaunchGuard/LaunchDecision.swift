import ExactText

/// What is to be done with a scene that is about to be launched.
package enum LaunchDecision: Sendable, Equatable {
    /// It is launched with what is saved of it.
    case launch
    /// What is saved of it goes to quarantine for this reason, a sentence; then ask again (L2).
    case quarantine(cause: LaunchFault, reason: String)
    /// What is saved of it, which may be nothing, took the place of another state, and goes to
    /// quarantine; the other comes back from the generation at this path. Then ask again (L8).
    case fallBack(generation: String, reason: String)
    /// What is saved of it lies in quarantine; if the scene's record in the archive still has this
    /// number, it goes out of there. Then ask again.
    case takeOut(record: UInt32)
    /// It is not launched from now on, and what lies in quarantine under this name goes back into
    /// the archive; then ask again (L8).
    case putBack(name: String, LaunchStop)
    /// It is not launched, unless a person asks for it; what is saved of it is not to blame (L8).
    case stop(LaunchStop)
}

extension LaunchLedger {
    /// Decides what is to be done with a scene that a program is about to launch.
    ///
    /// - Parameter hasState: whether the archive holds anything of it.
    package func decide(
        _ scene: SceneKey, identity: ProgramIdentity, hasState: Bool, limits: LaunchLimits
    ) -> LaunchDecision {
        guard let known = scenes[scene] else { return .launch }
        if let stop = known.stopped {
            if let quarantined = known.quarantined { return .putBack(name: quarantined.name, stop) }
            // Another program may do what this one could not.
            return stop.identity == identity ? .stop(stop) : .launch
        }
        if let quarantined = known.quarantined, !quarantined.isTakenOut {
            return .takeOut(record: quarantined.record)
        }
        guard known.identity == identity, let fault = known.fault(within: limits) else {
            return .launch
        }
        let blame = known.blame(fault)
        let isOfProgram = fault == .launching && known.goodIdentity.map { $0 != identity } ?? false
        // A state that was given up is had back, whoever is to blame.
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
                stop(", also without its saved state, which is not the cause"))
        }
        return hasState
            ? .quarantine(cause: fault, reason: blame) : .stop(stop(", and it has no saved state"))
    }
}

extension SceneLaunches {
    /// A clause that tells what ended the process, and how often.
    func blame(_ fault: LaunchFault) -> String {
        let count = fault == .launching ? failures : deaths
        let times = count == 1 ? "" : " \(count) times in a row"
        let when = fault == .launching ? "while it launched the scene" : "soon after its launch"
        return "the program died \(when)\(times): \(lastEnd ?? "for an unknown reason")"
    }
}

/// What deaths a scene's saved state is blamed for.
package enum LaunchFault: String, Sendable, Codable {
    /// The process died while it launched the scene (L2).
    case launching
    /// The process died soon after it had launched the scene, again and again (L3).
    case running
}

/// Why a scene is not launched, and which program that holds for (L8).
package struct LaunchStop: Sendable, Equatable, Codable {
    /// A clause that follows "it is not launched: ".
    package var reason: String
    /// The program; another one tries again.
    package var identity: ProgramIdentity

    /// A stop of these parts.
    package init(reason: String, identity: ProgramIdentity) {
        self.reason = reason
        self.identity = identity
    }
}

/// How often a launch may end the process before something is done about it.
package struct LaunchLimits: Sendable, Equatable {
    /// A death so long after a launch still counts, in milliseconds (L3).
    static let soon: UInt64 = 300_000

    /// So many stamped deaths while a scene is launched are one too many: at least 1.
    package var crashes: Int
    /// More unstamped ones than these are too many.
    package var kills = 5
    /// So many stamped deaths in a row soon after a launch are one too many.
    package var deaths = 3

    /// The limits of L2 and L3.
    package init(crashes: Int = 1) { self.crashes = crashes }
}
