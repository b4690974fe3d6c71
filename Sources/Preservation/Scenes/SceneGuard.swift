import ExactText
import LinuxIO
import SavedState
import StateRestoration

/// The launch records of scenes, by name.
typealias KnownLaunches = [RestorationIdentifier: SceneLaunches]

/// An application's side of the guard of launches: tells it what happens to the scenes of this
/// application, and lets one scene of the process be launched at a time (L2, L3, L8).
struct SceneGuard {
    let launches: LaunchGuard
    /// Lets this application launch a scene while no other one does.
    let ticket: LaunchGate.Ticket
    private let application: String

    init(_ launches: LaunchGuard, application: String) {
        self.launches = launches
        self.application = application
        ticket = launches.gate.makeTicket()
    }

    private func key(of name: RestorationIdentifier) -> SceneKey {
        SceneKey(application: application, scene: name.text)
    }

    /// The program, with what it launches scenes from, as the guard tells it from others.
    func identity(of definition: ApplicationDefinition) -> ProgramIdentity {
        launches.identity(
            version: definition.bundleVersion, resources: definition.resourceFingerprint)
    }

    // MARK: Asking

    /// Decides how a scene that is about to be launched is launched, or that it is not.
    func decide(
        _ name: RestorationIdentifier, _ definition: ApplicationDefinition, hasState: Bool,
        crashLimit: Int
    ) -> LaunchDecision {
        launches.decide(
            key(of: name), identity: identity(of: definition), hasState: hasState,
            limits: LaunchLimits(crashes: crashLimit))
    }

    /// The launch record of a scene; nil if there is none.
    func known(_ name: RestorationIdentifier) -> SceneLaunches? {
        launches.launches(of: key(of: name))
    }

    /// Whether another program launched a scene well last, or this one with other storyboards.
    func isOfOtherProgram(
        _ name: RestorationIdentifier, _ definition: ApplicationDefinition
    ) -> Bool {
        known(name)?.goodIdentity.map { $0 != identity(of: definition) } ?? false
    }

    /// The scenes whose states took the places of others, and what is known of them, as long as it is
    /// not known that those are good (L8).
    var replaced: KnownLaunches { known { $0.replaced != nil } }

    /// The names in quarantine of states that scenes may get back (L8).
    var quarantined: [String] {
        known { $0.quarantined != nil }.values.compactMap(\.quarantined?.name)
    }

    /// The scenes whose saved state is a file in quarantine.
    func scenes(withQuarantined name: String) -> [RestorationIdentifier] {
        Array(known { $0.quarantined?.name == name }.keys)
    }

    /// The scenes whose state lies in quarantine, and that are still to prove that they go well
    /// without it (L8).
    var withoutState: [RestorationIdentifier] {
        known { $0.quarantined?.isTakenOut == true }.keys.sorted { $0.text < $1.text }
    }

    private func known(where isMeant: (SceneLaunches) -> Bool) -> KnownLaunches {
        let found = launches.launches(of: application, where: isMeant)
        return Dictionary(
            found.map { (RestorationIdentifier(recorded: $0.scene), $0.launches) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The scenes that the process before died with, and how; each only once.
    func takeDeaths() -> [(scene: String, end: String)] { launches.takeDeaths(of: application) }

    /// The last thing that went wrong with the application before this process; nil: nothing is
    /// known.
    var earlierProblem: NotedProblem? { launches.problem(of: application) }

    /// Problems of the guard that were not taken before.
    func takeProblems() -> [LaunchGuardProblem] { launches.takeProblems() }

    // MARK: Launching

    /// A scene's launch begins.
    ///
    /// - Returns: where a thread is that runs the scene's code.
    func begin(_ launch: HostedScenes.Launch) -> CrashStamp.Place? {
        let scene = key(of: launch.name)
        launches.begin(
            scene, reason: launch.reason.rawValue, stage: Stage.launchBegin.rawValue,
            identity: identity(of: launch.definition))
        return launches.place(of: scene)
    }

    /// The launch that goes on, or a pass, has reached a stage.
    func noteStage(_ stage: Stage) {
        switch stage {
        case .launchMade, .launchFound, .launchDecoded, .launchFinished:
            launches.note(.stage(name: stage.rawValue))
        case .launchBegin, .turnBegin, .turnCommands, .turnWritten, .passBegin, .passEncoded: break
        }
    }

    /// A scene's launch is complete.
    func noteLaunched(_ name: RestorationIdentifier, _ definition: ApplicationDefinition) {
        launches.noteLaunched(key(of: name), identity: identity(of: definition))
        ticket.giveBack()
    }

    /// The launch that was going on came to nothing, without a death.
    func noteAbandoned() { launches.noteAbandoned() }

    /// Time has gone by: a scene that has lived for long is well (L3).
    func noteTime() { launches.noteTime() }

    /// Whether something is forgotten of a scene of this application once it has lived for long.
    var mayEndure: Bool { launches.mayEndure(application) }

    // MARK: What happens to scenes

    /// Something happened to scenes.
    ///
    /// - Parameters:
    ///   - event: makes the event of a scene: `LaunchEvent.ended`.
    ///   - durably: whether it has to survive a power cut, as far as the disk can.
    func note(
        _ event: (SceneKey) -> LaunchEvent, of names: [RestorationIdentifier],
        durably: Bool = false
    ) {
        if !names.isEmpty { launches.note(names.map { event(key(of: $0)) }, durably: durably) }
    }

    /// A person is about to change a scene: what it has in place of another state is wanted (L8).
    func noteChanged(_ name: RestorationIdentifier) {
        guard let known = known(name), known.replaced != nil, known.isChanged == nil else { return }
        note(LaunchEvent.changed, of: [name], durably: true)
    }

    /// Notes that the saved state of all scenes is gone.
    func noteForgotten() { launches.note(.forgotten(application: application)) }

    /// All is known of scenes that was known before new ones were launched, which are gone.
    func reinstate(_ known: KnownLaunches) {
        for (name, scene) in known {
            note({ .reinstated(scene: $0, launches: scene) }, of: [name])
        }
    }
}
