import ExactText
import LinuxIO
import SavedState
import StateRestoration

/// The launch records of scenes, by name.
typealias KnownLaunches = [RestorationIdentifier: SceneLaunches]

/// Interface of one application to the launch guard, which records what happens to the application's scenes.
///
/// The guard permits the launch of only one scene of the process at a time (L2, L3, L8).
struct SceneGuard {
    let launches: LaunchGuard
    /// Permits this application to launch a scene while no other application launches one.
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

    /// Returns the identity of the program with its resources, by which the guard distinguishes programs.
    func identity(of definition: ApplicationDefinition) -> ProgramIdentity {
        launches.identity(
            version: definition.bundleVersion, resources: definition.resourceFingerprint)
    }

    // MARK: Queries

    /// Decides whether and how a scene is launched.
    func decide(
        _ name: RestorationIdentifier, _ definition: ApplicationDefinition, hasState: Bool,
        crashLimit: Int
    ) -> LaunchDecision {
        launches.decide(
            key(of: name), identity: identity(of: definition), hasState: hasState,
            limits: LaunchLimits(crashes: crashLimit))
    }

    /// Returns the launch record of a scene, or `nil` if there is none.
    func known(_ name: RestorationIdentifier) -> SceneLaunches? {
        launches.launches(of: key(of: name))
    }

    /// Whether the last successful launch of a scene was made by another program, or by this one with other
    /// storyboards.
    func isOfOtherProgram(
        _ name: RestorationIdentifier, _ definition: ApplicationDefinition
    ) -> Bool {
        known(name)?.goodIdentity.map { $0 != identity(of: definition) } ?? false
    }

    /// Launch records of scenes whose state was replaced, until the new state is known not to crash (L8).
    var replaced: KnownLaunches { known { $0.replaced != nil } }

    /// Names of quarantined files whose state may be restored to its scenes (L8).
    var quarantined: [String] {
        known { $0.quarantined != nil }.values.compactMap(\.quarantined?.name)
    }

    /// Returns the scenes whose saved state is in a quarantined file.
    func scenes(withQuarantined name: String) -> [RestorationIdentifier] {
        Array(known { $0.quarantined?.name == name }.keys)
    }

    /// Scenes whose state is in quarantine, and that have not yet run long enough without it (L8).
    var withoutState: [RestorationIdentifier] {
        known { $0.quarantined?.isTakenOut == true }.keys.sorted { $0.text < $1.text }
    }

    private func known(where isMeant: (SceneLaunches) -> Bool) -> KnownLaunches {
        let found = launches.launches(of: application, where: isMeant)
        return Dictionary(
            found.map { (RestorationIdentifier(recorded: $0.scene), $0.launches) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Returns the scenes with which the previous process died, and the causes, and removes them from the
    /// guard.
    func consumeCrashes() -> [(scene: String, end: String)] {
        launches.consumeCrashes(of: application)
    }

    /// The last problem of the application before this process started, or `nil` if no problem is known.
    var earlierProblem: NotedProblem? { launches.problem(of: application) }

    /// Returns the problems of the guard since the last call.
    func consumeProblems() -> [LaunchGuardProblem] { launches.consumeProblems() }

    // MARK: Launching

    /// Records the beginning of a scene's launch.
    ///
    /// - Returns: The crash stamp location of a thread that runs the scene's code, or `nil` if no stamps can
    ///   be written.
    func begin(_ launch: HostedScenes.Launch) -> CrashStamp.Place? {
        let scene = key(of: launch.name)
        launches.begin(
            scene, reason: launch.reason.rawValue, stage: Stage.launchBegin.rawValue,
            identity: identity(of: launch.definition))
        return launches.place(of: scene)
    }

    /// Records that the current launch or a pass has reached a stage.
    func recordStage(_ stage: Stage) {
        switch stage {
        case .launchMade, .launchFound, .launchDecoded, .launchFinished:
            launches.record(.stage(name: stage.rawValue))
        case .launchBegin, .turnBegin, .turnCommands, .turnWritten, .passBegin, .passEncoded: break
        }
    }

    /// Records the completion of a scene's launch.
    func recordLaunch(_ name: RestorationIdentifier, _ definition: ApplicationDefinition) {
        launches.recordLaunch(key(of: name), identity: identity(of: definition))
        ticket.giveBack()
    }

    /// Marks the current launch as failed without a crash.
    func recordAbandonedLaunch() { launches.recordAbandonedLaunch() }

    /// Updates the guard with the current time, because a scene that has run for long enough counts as
    /// healthy (L3).
    func recordSurvivingScenes() { launches.recordSurvivingScenes() }

    /// Whether the guard has records of this application's scenes that it clears after a scene has run for
    /// long enough.
    var isInGracePeriod: Bool { launches.hasSceneInGracePeriod(application) }

    // MARK: Events of scenes

    /// Records an event of scenes.
    ///
    /// - Parameters:
    ///   - event: Creates the event of a scene, for example `LaunchEvent.ended`.
    ///   - durably: Whether the record must survive a power cut, as far as the disk permits.
    func record(
        _ event: (SceneKey) -> LaunchEvent, of names: [RestorationIdentifier],
        durably: Bool = false
    ) {
        if !names.isEmpty { launches.record(names.map { event(key(of: $0)) }, durably: durably) }
    }

    /// Records that the user is about to change a scene, so that its new state is known to be wanted (L8).
    func recordUserChange(_ name: RestorationIdentifier) {
        guard let known = known(name), known.replaced != nil, known.isChanged == nil else { return }
        record(LaunchEvent.changed, of: [name], durably: true)
    }

    /// Records that the saved state of all scenes is gone.
    func recordStateRemoval() { launches.record(.forgotten(application: application)) }

    /// Restores the launch records that scenes had before new scenes were launched and discarded.
    func reinstate(_ known: KnownLaunches) {
        for (name, scene) in known {
            record({ .reinstated(scene: $0, launches: scene) }, of: [name])
        }
    }
}
