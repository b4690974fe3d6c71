import ExactText

/// Event that changes a ``LaunchLedger``.
package enum LaunchEvent: Sendable, Equatable {
    /// A scene has begun to launch.
    case launching(launch: LaunchInProgress)
    /// The launch has reached a stage.
    case stage(name: String)
    /// The launch is complete (R13). The time is in milliseconds since the machine started.
    case launched(scene: SceneKey, identity: ProgramIdentity, time: UInt64)
    /// The launch was abandoned without a crash.
    case abandoned
    /// A scene has been running for longer than ``LaunchLimits/gracePeriodMilliseconds``.
    case survivedGracePeriod(scene: SceneKey)
    /// A launched scene was closed normally.
    case closed(scene: SceneKey)
    /// A scene's saved state was copied to quarantine.
    case quarantined(scene: SceneKey, state: QuarantinedState)
    /// The quarantined state was removed from the archive.
    case removedFromArchive(scene: SceneKey)
    /// The launch guard decided not to launch a scene.
    case refused(scene: SceneKey, refusal: LaunchRefusal)
    /// A scene's quarantined state no longer awaits restoration.
    ///
    /// The state was restored to the archive, or it can never be restored.
    case restoredFromQuarantine(scene: SceneKey)
    /// A scene's state was replaced, and the previous state was saved as the generation at this path.
    ///
    /// The path is `nil` if the scene has its previous state again (L8).
    case replaced(scene: SceneKey, generation: String?)
    /// A user changed a scene whose state had been replaced (L8).
    case changed(scene: SceneKey)
    /// A scene has new state or no longer has state. Earlier crashes do not count against the new state.
    case newState(scene: SceneKey)
    /// A change to a scene's state was undone. The scene's earlier launch records apply again.
    case reinstated(scene: SceneKey, launches: SceneLaunches)
    /// A scene's previous state was restored from a generation (L8).
    case fellBack(scene: SceneKey)
    /// A problem with an application occurred.
    case problem(application: String, problem: RecordedProblem)
    /// An application's saved state was removed (L1).
    case forgotten(application: String)
}

// MARK: Storage

// The conformance is written by hand, and has the same format as a synthesized conformance.
//
// Before it encodes the first event, a synthesized conformance requests a coding key type for each case from the
// runtime. These requests take a tenth of a small program's startup time.
extension LaunchEvent: Codable {
    private enum Name: String, CodingKey {
        case launching, stage, launched, abandoned
        case survivedGracePeriod = "endured"
        case ended, quarantined
        case removedFromArchive = "takenOut"
        case stopped
        case restoredFromQuarantine = "putBack"
        case replaced, changed, newState, reinstated, fellBack, problem, forgotten
    }

    /// Associated values of an event. A value is `nil` if the event does not have it.
    private struct Fields: Codable {
        var mark: LaunchInProgress?
        var name: String?
        var scene: SceneKey?
        var identity: ProgramIdentity?
        var time: UInt64?
        var state: QuarantinedState?
        var stop: LaunchRefusal?
        var generation: String?
        var launches: SceneLaunches?
        var application: String?
        var problem: RecordedProblem?
    }

    private var nameAndFields: (name: Name, fields: Fields) {
        switch self {
        case .launching(let mark): (.launching, Fields(mark: mark))
        case .stage(let name): (.stage, Fields(name: name))
        case .launched(let scene, let identity, let time):
            (.launched, Fields(scene: scene, identity: identity, time: time))
        case .abandoned: (.abandoned, Fields())
        case .survivedGracePeriod(let scene): (.survivedGracePeriod, Fields(scene: scene))
        case .closed(let scene): (.ended, Fields(scene: scene))
        case .quarantined(let scene, let state): (.quarantined, Fields(scene: scene, state: state))
        case .removedFromArchive(let scene): (.removedFromArchive, Fields(scene: scene))
        case .refused(let scene, let refusal): (.stopped, Fields(scene: scene, stop: refusal))
        case .restoredFromQuarantine(let scene): (.restoredFromQuarantine, Fields(scene: scene))
        case .replaced(let scene, let generation):
            (.replaced, Fields(scene: scene, generation: generation))
        case .changed(let scene): (.changed, Fields(scene: scene))
        case .newState(let scene): (.newState, Fields(scene: scene))
        case .reinstated(let scene, let launches):
            (.reinstated, Fields(scene: scene, launches: launches))
        case .fellBack(let scene): (.fellBack, Fields(scene: scene))
        case .problem(let application, let problem):
            (.problem, Fields(application: application, problem: problem))
        case .forgotten(let application): (.forgotten, Fields(application: application))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        let (name, fields) = nameAndFields
        var event = encoder.container(keyedBy: Name.self)
        try event.encode(fields, forKey: name)
    }

    package init(from decoder: any Decoder) throws {
        let event = try decoder.container(keyedBy: Name.self)
        guard let name = event.allKeys.first else { throw Self.damaged("its name is unknown") }
        let fields = try event.decode(Fields.self, forKey: name)
        func requireValue<Value>(_ value: Value?) throws -> Value {
            guard let value else { throw Self.damaged("a value of \(name.rawValue) is missing") }
            return value
        }
        var scene: SceneKey { get throws { try requireValue(fields.scene) } }
        self =
            switch name {
            case .launching: .launching(launch: try requireValue(fields.mark))
            case .stage: .stage(name: try requireValue(fields.name))
            case .launched:
                .launched(
                    scene: try scene, identity: try requireValue(fields.identity),
                    time: try requireValue(fields.time))
            case .abandoned: .abandoned
            case .survivedGracePeriod: .survivedGracePeriod(scene: try scene)
            case .ended: .closed(scene: try scene)
            case .quarantined:
                .quarantined(scene: try scene, state: try requireValue(fields.state))
            case .removedFromArchive: .removedFromArchive(scene: try scene)
            case .stopped: .refused(scene: try scene, refusal: try requireValue(fields.stop))
            case .restoredFromQuarantine: .restoredFromQuarantine(scene: try scene)
            case .replaced: .replaced(scene: try scene, generation: fields.generation)
            case .changed: .changed(scene: try scene)
            case .newState: .newState(scene: try scene)
            case .reinstated:
                .reinstated(scene: try scene, launches: try requireValue(fields.launches))
            case .fellBack: .fellBack(scene: try scene)
            case .problem:
                .problem(
                    application: try requireValue(fields.application),
                    problem: try requireValue(fields.problem))
            case .forgotten: .forgotten(application: try requireValue(fields.application))
            }
    }

    private static func damaged(_ reason: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: [], debugDescription: reason))
    }
}
