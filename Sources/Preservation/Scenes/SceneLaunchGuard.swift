import ExactText
import LinuxIO
import SavedState
import StateRestoration

/// Launch records, keyed by the scene's name.
typealias LaunchRecordsByScene = [RestorationIdentifier: SceneLaunches]

/// Interface between an application and the launch guard (L2, L3, L8).
///
/// The guard records events of the application's scenes, and ensures that the process launches only one scene at a
/// time.
struct SceneLaunchGuard {
    let launchGuard: LaunchGuard
    /// Ticket that this application holds while it launches a scene, so that no other application launches a scene.
    let launchTicket: LaunchGate.Ticket
    private let bundleIdentifier: String

    init(_ launchGuard: LaunchGuard, bundleIdentifier: String) {
        self.launchGuard = launchGuard
        self.bundleIdentifier = bundleIdentifier
        launchTicket = launchGuard.gate.makeTicket()
    }

    private func sceneKey(of name: RestorationIdentifier) -> SceneKey {
        SceneKey(application: bundleIdentifier, scene: name.text)
    }

    /// Returns the identity of the program and its resources. The guard uses it to distinguish programs.
    func identity(of definition: ApplicationDefinition) -> ProgramIdentity {
        launchGuard.identity(
            version: definition.bundleVersion, storyboardFingerprint: definition.resourceFingerprint
        )
    }

    // MARK: Queries

    /// Decides whether and how to launch a scene.
    func decide(
        _ name: RestorationIdentifier, _ definition: ApplicationDefinition, hasState: Bool,
        crashLimit: Int
    ) -> LaunchDecision {
        launchGuard.decide(
            sceneKey(of: name), identity: identity(of: definition), hasState: hasState,
            limits: LaunchLimits(launchCrashLimit: crashLimit))
    }

    /// Returns the launch record of a scene, or `nil` if the scene has no launch record.
    func launchRecord(of name: RestorationIdentifier) -> SceneLaunches? {
        launchGuard.launches(of: sceneKey(of: name))
    }

    /// Returns the launch records of scenes. If a scene has no launch record, the result contains an empty record.
    func launchRecords(of names: [RestorationIdentifier]) -> LaunchRecordsByScene {
        var launchRecords: LaunchRecordsByScene = [:]
        for name in names { launchRecords[name] = launchRecord(of: name) ?? SceneLaunches() }
        return launchRecords
    }

    /// Returns whether another program performed the last successful launch of a scene, or the storyboards have changed
    /// since that launch.
    func isFromOtherProgram(
        _ name: RestorationIdentifier, _ definition: ApplicationDefinition
    ) -> Bool {
        launchRecord(of: name)?.goodIdentity.map { $0 != identity(of: definition) } ?? false
    }

    /// Launch records of scenes whose state has been replaced and whose new state may still cause crashes (L8).
    var launchRecordsOfReplacedScenes: LaunchRecordsByScene { launchRecords { $0.replaced != nil } }

    /// Names of quarantined files from which scenes may still be restored (L8).
    var quarantinedFileNames: [String] {
        launchRecords { $0.quarantined != nil }.values.compactMap(\.quarantined?.name)
    }

    /// Returns the scenes whose saved state is in a quarantined file.
    func scenes(withQuarantined name: String) -> [RestorationIdentifier] {
        Array(launchRecords { $0.quarantined?.name == name }.keys)
    }

    /// Scenes whose state was quarantined and that have not yet run long enough to count as healthy (L8).
    var quarantinedSceneNames: [RestorationIdentifier] {
        launchRecords { $0.quarantined?.isTakenOut == true }.keys.sorted { $0.text < $1.text }
    }

    private func launchRecords(where isIncluded: (SceneLaunches) -> Bool) -> LaunchRecordsByScene {
        let foundLaunches = launchGuard.launches(of: bundleIdentifier, where: isIncluded)
        return Dictionary(
            foundLaunches.map { (RestorationIdentifier(recorded: $0.scene), $0.launches) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Removes and returns the scenes that crashed the previous process, with the cause of each crash.
    func consumeCrashes() -> [(scene: String, crashDescription: String)] {
        launchGuard.consumeCrashes(of: bundleIdentifier)
    }

    /// Last problem that an earlier process recorded for the application, or `nil` if no such problem is known.
    var earlierProblem: RecordedProblem? { launchGuard.problem(of: bundleIdentifier) }

    /// Removes and returns the problems that the guard has encountered since the last call.
    func consumeProblems() -> [LaunchGuardProblem] { launchGuard.consumeProblems() }

    // MARK: Launching

    /// Records that a scene has begun to launch.
    ///
    /// - Returns: A crash context for threads that run the scene's code, or `nil` if no crash stamps can be written.
    func beginLaunch(_ launch: HostedScenes.LaunchParameters) -> CrashRecorder.Context? {
        let scene = sceneKey(of: launch.name)
        launchGuard.beginLaunch(
            of: scene, reason: launch.reason.rawValue, stage: Stage.launchBegin.rawValue,
            identity: identity(of: launch.definition))
        return launchGuard.crashContext(of: scene)
    }

    /// Records that the current launch has reached a stage.
    ///
    /// The beginning of a launch and the stages of turns and passes are ignored.
    func recordStage(_ stage: Stage) {
        switch stage {
        case .launchCreatedBaseObjects, .launchFound, .launchDecoded, .launchFinished:
            launchGuard.record(.stage(name: stage.rawValue))
        case .launchBegin, .turnBegin, .turnCommands, .turnWritten, .passBegin, .passEncoded: break
        }
    }

    /// Records that a scene's launch has completed, and releases the launch ticket.
    func recordLaunch(_ name: RestorationIdentifier, _ definition: ApplicationDefinition) {
        launchGuard.recordLaunch(sceneKey(of: name), identity: identity(of: definition))
        launchTicket.release()
    }

    /// Marks the current launch as failed without a crash.
    func recordAbandonedLaunch() { launchGuard.recordAbandonedLaunch() }

    /// Marks scenes as healthy if they have run for long enough (L3).
    func recordSurvivingScenes() { launchGuard.recordSurvivingScenes() }

    /// Whether any scene in this application has not run long enough to count as healthy.
    var isInGracePeriod: Bool { launchGuard.hasSceneInGracePeriod(bundleIdentifier) }

    // MARK: Events of scenes

    /// Records an event for each of the given scenes.
    ///
    /// - Parameters:
    ///   - event: A closure that creates the event for a scene, such as `LaunchEvent.closed`.
    ///   - durably: Whether the record must survive a power cut, if the disk permits.
    func record(
        _ event: (SceneKey) -> LaunchEvent, of names: [RestorationIdentifier],
        durably: Bool = false
    ) {
        if !names.isEmpty {
            launchGuard.record(names.map { event(sceneKey(of: $0)) }, durably: durably)
        }
    }

    /// Records that the user is about to change a scene and has therefore accepted its new state (L8).
    func recordUserChange(_ name: RestorationIdentifier) {
        guard let launchRecord = launchRecord(of: name), launchRecord.replaced != nil,
            launchRecord.isChanged == nil
        else { return }
        record(LaunchEvent.changed, of: [name], durably: true)
    }

    /// Records that the saved state of all scenes has been removed.
    func recordStateRemoval() { launchGuard.record(.forgotten(application: bundleIdentifier)) }

    /// Restores the launch records that scenes had before a state change that has been undone.
    func reinstate(_ launchRecords: LaunchRecordsByScene) {
        for (name, launchRecord) in launchRecords {
            record({ .reinstated(scene: $0, launches: launchRecord) }, of: [name])
        }
    }
}
