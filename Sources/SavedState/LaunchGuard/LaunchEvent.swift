import ExactText

/// Event that changes a ``LaunchLedger``.
package enum LaunchEvent: Sendable, Equatable {
    /// The launch of a scene begins.
    case launching(mark: LaunchMark)
    /// The launch has reached a stage.
    case stage(name: String)
    /// The launch is complete (R13). The time is in milliseconds since the machine was started.
    case launched(scene: SceneKey, identity: ProgramIdentity, time: UInt64)
    /// The launch was abandoned without a crash.
    case abandoned
    /// A scene has been running for longer than ``LaunchLimits/soon``.
    case endured(scene: SceneKey)
    /// A launched scene was closed normally.
    case ended(scene: SceneKey)
    /// A scene's saved state was copied to quarantine.
    case quarantined(scene: SceneKey, state: Quarantined)
    /// The quarantined state was removed from the archive.
    case takenOut(scene: SceneKey)
    /// A scene will not be launched.
    case stopped(scene: SceneKey, stop: LaunchStop)
    /// The quarantined state was restored to the archive, or will not be restored.
    case putBack(scene: SceneKey)
    /// A scene's state was replaced, and its previous state was saved as the generation at this path.
    ///
    /// The path is `nil` if the scene has its own state again (L8).
    case replaced(scene: SceneKey, generation: String?)
    /// A user changed a scene whose state had been replaced (L8).
    case changed(scene: SceneKey)
    /// A scene has new state, or no state. Earlier launches say nothing about the new state.
    case newState(scene: SceneKey)
    /// A scene that was about to be replaced continues, and its earlier records are restored.
    case reinstated(scene: SceneKey, launches: SceneLaunches)
    /// The previous state of a scene was restored (L8).
    case fellBack(scene: SceneKey)
    /// An error occurred in an application.
    case problem(application: String, problem: NotedProblem)
    /// The saved state of an application was removed (L1).
    case forgotten(application: String)
}

// MARK: Storage

// The conformance is written by hand, and has the same format as a synthesized conformance.
//
// Before it encodes the first event, a synthesized conformance requests a coding key type for each case from the
// runtime. This takes a tenth of a small program's startup time.
extension LaunchEvent: Codable {
    private enum Name: String, CodingKey {
        case launching, stage, launched, abandoned, endured, ended, quarantined, takenOut, stopped,
            putBack, replaced, changed, newState, reinstated, fellBack, problem, forgotten
    }

    private enum Field: String, CodingKey {
        case mark, name, scene, identity, time, state, stop, generation, launches, application,
            problem
    }

    private var name: Name {
        switch self {
        case .launching: .launching
        case .stage: .stage
        case .launched: .launched
        case .abandoned: .abandoned
        case .endured: .endured
        case .ended: .ended
        case .quarantined: .quarantined
        case .takenOut: .takenOut
        case .stopped: .stopped
        case .putBack: .putBack
        case .replaced: .replaced
        case .changed: .changed
        case .newState: .newState
        case .reinstated: .reinstated
        case .fellBack: .fellBack
        case .problem: .problem
        case .forgotten: .forgotten
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var event = encoder.container(keyedBy: Name.self)
        var fields = event.nestedContainer(keyedBy: Field.self, forKey: name)
        switch self {
        case .launching(let mark):
            try fields.encode(mark, forKey: .mark)
        case .stage(let name):
            try fields.encode(name, forKey: .name)
        case .launched(let scene, let identity, let time):
            try fields.encode(scene, forKey: .scene)
            try fields.encode(identity, forKey: .identity)
            try fields.encode(time, forKey: .time)
        case .abandoned: break
        case .endured(let scene):
            try fields.encode(scene, forKey: .scene)
        case .ended(let scene):
            try fields.encode(scene, forKey: .scene)
        case .quarantined(let scene, let state):
            try fields.encode(scene, forKey: .scene)
            try fields.encode(state, forKey: .state)
        case .takenOut(let scene):
            try fields.encode(scene, forKey: .scene)
        case .stopped(let scene, let stop):
            try fields.encode(scene, forKey: .scene)
            try fields.encode(stop, forKey: .stop)
        case .putBack(let scene):
            try fields.encode(scene, forKey: .scene)
        case .replaced(let scene, let generation):
            try fields.encode(scene, forKey: .scene)
            try fields.encodeIfPresent(generation, forKey: .generation)
        case .changed(let scene):
            try fields.encode(scene, forKey: .scene)
        case .newState(let scene):
            try fields.encode(scene, forKey: .scene)
        case .reinstated(let scene, let launches):
            try fields.encode(scene, forKey: .scene)
            try fields.encode(launches, forKey: .launches)
        case .fellBack(let scene):
            try fields.encode(scene, forKey: .scene)
        case .problem(let application, let problem):
            try fields.encode(application, forKey: .application)
            try fields.encode(problem, forKey: .problem)
        case .forgotten(let application):
            try fields.encode(application, forKey: .application)
        }
    }

    package init(from decoder: any Decoder) throws {
        let event = try decoder.container(keyedBy: Name.self)
        guard let name = event.allKeys.first else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: "it is no event that is known"))
        }
        let fields = try event.nestedContainer(keyedBy: Field.self, forKey: name)
        switch name {
        case .launching:
            self = .launching(
                mark: try fields.decode(LaunchMark.self, forKey: .mark))
        case .stage:
            self = .stage(
                name: try fields.decode(String.self, forKey: .name))
        case .launched:
            self = .launched(
                scene: try fields.decode(SceneKey.self, forKey: .scene),
                identity: try fields.decode(ProgramIdentity.self, forKey: .identity),
                time: try fields.decode(UInt64.self, forKey: .time))
        case .abandoned: self = .abandoned
        case .endured:
            self = .endured(
                scene: try fields.decode(SceneKey.self, forKey: .scene))
        case .ended:
            self = .ended(
                scene: try fields.decode(SceneKey.self, forKey: .scene))
        case .quarantined:
            self = .quarantined(
                scene: try fields.decode(SceneKey.self, forKey: .scene),
                state: try fields.decode(Quarantined.self, forKey: .state))
        case .takenOut:
            self = .takenOut(
                scene: try fields.decode(SceneKey.self, forKey: .scene))
        case .stopped:
            self = .stopped(
                scene: try fields.decode(SceneKey.self, forKey: .scene),
                stop: try fields.decode(LaunchStop.self, forKey: .stop))
        case .putBack:
            self = .putBack(
                scene: try fields.decode(SceneKey.self, forKey: .scene))
        case .replaced:
            self = .replaced(
                scene: try fields.decode(SceneKey.self, forKey: .scene),
                generation: try fields.decodeIfPresent(String.self, forKey: .generation))
        case .changed:
            self = .changed(
                scene: try fields.decode(SceneKey.self, forKey: .scene))
        case .newState:
            self = .newState(
                scene: try fields.decode(SceneKey.self, forKey: .scene))
        case .reinstated:
            self = .reinstated(
                scene: try fields.decode(SceneKey.self, forKey: .scene),
                launches: try fields.decode(SceneLaunches.self, forKey: .launches))
        case .fellBack:
            self = .fellBack(
                scene: try fields.decode(SceneKey.self, forKey: .scene))
        case .problem:
            self = .problem(
                application: try fields.decode(String.self, forKey: .application),
                problem: try fields.decode(NotedProblem.self, forKey: .problem))
        case .forgotten:
            self = .forgotten(
                application: try fields.decode(String.self, forKey: .application))
        }
    }
}
