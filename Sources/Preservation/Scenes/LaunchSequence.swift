import ExactText
import LinuxIO
import Logging
import SavedState
import StateRestoration

/// Object that launches an application's scenes one after the other (L2, R13).
///
/// A launch begins after the previous launch has completed, and only while no other application is launching a scene.
final class LaunchSequence {
    /// Current definition of the application, including changes made by the last reload.
    var definition: ApplicationDefinition
    /// Number of launches of a scene that must crash in a row before the scene is launched without its saved state
    /// (L2).
    var crashLimit: Int
    /// Values that the program has declared.
    var valueDeclarations: [ValueDeclaration] = [] {
        didSet { hasExpiringElements = valueDeclarations.contains(where: \.hasExpiringElements) }
    }
    /// Whether the elements of any declared collection can expire. The value is cached, because every turn reads it.
    private(set) var hasExpiringElements = false
    /// Counter of the running tasks that objects in launched scenes have requested.
    var tasks = RunningTaskCounter()
    let sceneLaunchGuard: SceneLaunchGuard
    let crashRecovery: CrashRecovery
    private let launchGuard: LaunchGuard
    private let saver: StateSaver
    private let log: ApplicationLog
    private let commandInbox: CommandInbox
    private var debugExit: DebugExit?
    /// Names of the scenes that this process has launched from saved state, not counting launches for a state change.
    ///
    /// Further launches of these scenes do not count as attempts to restore unclaimed records (R16).
    private var launchedSceneNames: Set<RestorationIdentifier> = []

    init(
        definition: ApplicationDefinition, crashLimit: Int, launchGuard: LaunchGuard,
        saver: StateSaver, commandInbox: CommandInbox
    ) {
        self.definition = definition
        self.crashLimit = crashLimit
        self.launchGuard = launchGuard
        self.saver = saver
        log = saver.log
        self.commandInbox = commandInbox
        sceneLaunchGuard = SceneLaunchGuard(
            launchGuard, bundleIdentifier: definition.bundleIdentifier)
        crashRecovery = CrashRecovery(sceneLaunchGuard: sceneLaunchGuard, saver: saver)
    }

    /// Step that the caller of the sequence must handle.
    enum Step {
        /// The launch of a scene has completed.
        case launched(HostedScene)
        /// The launch of a scene is waiting for the scene's extended restoration to finish (R13).
        case extended(RestorationIdentifier)
        /// A scene could not be launched or must not be launched.
        case failed(RestorationIdentifier, LogEvent, reason: String)
        /// The application's launch must fail, because a scene would continue without its saved values.
        case unrestored(RestorationIdentifier, reason: String)
    }

    /// Launches scenes until the caller must handle a step.
    ///
    /// - Returns: The step, or `nil` if no scene can be launched now.
    func launchUntilNextStep(of hostedScenes: HostedScenes) -> Step? {
        while true {
            if let completedScene = hostedScenes.table.completeLaunch() {
                let isBeingExchanged = hostedScenes.table.isBeingExchanged(completedScene.name)
                sceneLaunchGuard.recordLaunch(
                    completedScene.name,
                    isBeingExchanged
                        ? hostedScenes.change?.definition ?? hostedScenes.definition
                        : hostedScenes.definition
                )
                return .launched(completedScene)
            }
            guard let (name, isUserRequested) = hostedScenes.table.nextLaunch,
                sceneLaunchGuard.launchTicket.acquire({ [commandInbox] in commandInbox.wake() })
            else { return nil }
            let isBeingExchanged = hostedScenes.table.isBeingExchanged(name)
            let crashDescription = sceneLaunchGuard.launchRecord(of: name)?.lastEnd
            if !isBeingExchanged,
                let reason = crashRecovery.resolveLaunchObstacle(
                    to: name, of: hostedScenes, isUserRequested: isUserRequested,
                    crashLimit: crashLimit)
            {
                sceneLaunchGuard.launchTicket.release()
                return .failed(name, .launchBlocked, reason: reason)
            }
            if let step = launch(
                name, of: hostedScenes, for: isBeingExchanged ? hostedScenes.change : nil,
                after: crashDescription)
            {
                return step
            }
        }
    }

    /// Launches a scene.
    ///
    /// - Parameter crashDescription: A description of the earlier crash that involved the scene, or `nil` if no crash
    ///   is known.
    /// - Returns: The step that the caller must handle, or `nil` if the sequence can continue.
    private func launch(
        _ name: RestorationIdentifier, of hostedScenes: HostedScenes, for change: StateChange?,
        after crashDescription: String?
    ) -> Step? {
        let definition = change?.definition ?? hostedScenes.definition
        let launch = HostedScenes.LaunchParameters(
            name: name, reason: launchReason(of: name, of: hostedScenes, for: change),
            definition: definition,
            countsAsAttempt: change == nil && hostedScenes.record(of: name) != nil
                && launchedSceneNames.insert(name).inserted,
            requiresSavedState: change?.replacesState ?? false,
            isFromOtherProgram: change == nil
                && sceneLaunchGuard.isFromOtherProgram(name, definition))
        let crashContext = sceneLaunchGuard.beginLaunch(launch)
        do {
            let generationReason = try crashContext.run(at: .launchBegin) {
                try hostedScenes.launch(launch) {
                    makeHostedScene($0, of: hostedScenes, crashContext)
                }
            }
            hostedScenes.table.launchingScene?.scene.report.precedingDeath = crashDescription.map {
                crashRecovery.reportSentence(about: $0, name)
            }
            if let generationReason { saver.requireGeneration(generationReason) }
        } catch {
            sceneLaunchGuard.recordAbandonedLaunch()
            sceneLaunchGuard.launchTicket.release()
            if error is UnrestoredValuesError { return .unrestored(name, reason: "\(error)") }
            return .failed(name, .launchFailed, reason: "\(error)")
        }
        guard let scene = hostedScenes.table.launchingScene, !scene.scene.isLaunched else {
            return nil
        }
        let extendedLaunch = ExtendedLaunch(
            bundleIdentifier: definition.bundleIdentifier, launchGuard: launchGuard,
            launchEnd: scene.scene.launchEnd)
        for finish in scene.scene.consumePendingRestorations() {
            _ = scene.tasks.add { [log] in
                let failure = await ExtendedLaunch.$current.withValue(extendedLaunch) {
                    await finish()
                }
                if let failure {
                    log.log(.warning, .notRestored, failure, scene: name.text, reason: failure)
                }
            }
        }
        log.log(
            .info, .restorationExtended, "extended its restoration; the launch waits for it",
            scene: name.text)
        return .extended(name)
    }

    /// Returns the launch reason for a scene (R2), and logs any earlier crash that involved the scene.
    private func launchReason(
        of name: RestorationIdentifier, of hostedScenes: HostedScenes, for change: StateChange?
    ) -> LaunchReason {
        let launchRecord = sceneLaunchGuard.launchRecord(of: name)
        if let launchRecord, let crashDescription = launchRecord.lastEnd {
            log.log(
                .warning, .launchedAgain,
                "is launched again; the program died "
                    + (launchRecord.crashAndKillCount == 1
                        ? "" : "\(launchRecord.crashAndKillCount) times in a row ")
                    + "while it launched this scene, or soon after: \(crashDescription)",
                scene: name.text,
                reason: crashDescription)
        }
        guard hostedScenes.record(of: name) != nil else { return .pristine }
        if let change { return change.launchReason }
        if launchRecord?.nextLaunchUsesNewState == true { return .replace }
        return launchRecord?.lastEnd != nil ? .recover : hostedScenes.launchReason(of: name)
    }

    private func makeHostedScene(
        _ scene: Scene, of scenes: HostedScenes, _ crashContext: CrashRecorder.Context?
    ) -> HostedScene {
        scene.onLaunchCompleted = { [commandInbox] in commandInbox.wake() }
        let hostedScene = HostedScene(scene, tasks: SceneTasks(), crashContext: crashContext)
        hostedScene.onStage = { [unowned self] in recordStage($0) }
        hostedScene.tasks.onTaskAdded = {
            [commandInbox, hostedScene = WeakLink(to: hostedScene), scenes = WeakLink(to: scenes)]
            in
            if let hostedScene = hostedScene.object { scenes.object?.markDue(hostedScene) }
            commandInbox.wake()
        }
        return hostedScene
    }

    /// Stops launching scenes and abandons any launch in progress.
    func stopLaunching(_ hostedScenes: HostedScenes) {
        let launchingScene = hostedScenes.table.launchingScene
        hostedScenes.table.stopLaunching()
        if launchingScene != nil, hostedScenes.table.launchingScene == nil {
            sceneLaunchGuard.recordAbandonedLaunch()
        }
        if hostedScenes.table.launchingScene == nil { sceneLaunchGuard.launchTicket.release() }
    }

    // MARK: Stages

    /// Records that a launch, turn or pass has reached a stage, and performs the debug exit for that stage, if any.
    func recordStage(_ stage: Stage) {
        sceneLaunchGuard.recordStage(stage)
        debugExit?.exitIfReached(stage)
    }

    /// Configures the process to exit when it reaches a stage.
    func armDebugExit(_ exit: DebugExit) {
        debugExit = exit
        log.log(
            .warning, .debugExitArmed,
            "will terminate the program at the stage \(exit.stage.rawValue)",
            reason: exit.stage.rawValue)
    }
}
