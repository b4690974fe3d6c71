import ExactText
import LinuxIO
import Logging
import SavedState
import StateRestoration

/// Launches an application's scenes one after the other (L2, R13).
///
/// A launch begins after the previous launch has completed, and only while no other application is launching a scene.
final class LaunchSequence {
    /// Current definition of the application, including changes made by the last reload.
    var definition: ApplicationDefinition
    /// Number of consecutive crashes during a scene's launch after which the scene is launched without its saved state
    /// (L2).
    var crashLimit: Int
    /// Values that the program has declared.
    var values: [ValueDeclaration] = []
    /// Running tasks that objects in launched scenes have requested.
    var tasks = RunningTasks()
    let sceneLaunchGuard: SceneLaunchGuard
    let recovery: CrashRecovery
    private let launchGuard: LaunchGuard
    private let saver: StateSaver
    private let log: ApplicationLog
    private let commandInbox: CommandInbox
    private var debugExit: DebugExit?
    /// Names of the scenes that this process has launched, not counting launches for a state change.
    ///
    /// Further launches of these scenes do not count as attempts to restore unclaimed records (R16).
    private var launchedFromInitialState: Set<RestorationIdentifier> = []

    init(
        definition: ApplicationDefinition, crashLimit: Int, launches: LaunchGuard,
        saver: StateSaver, commandInbox: CommandInbox
    ) {
        self.definition = definition
        self.crashLimit = crashLimit
        launchGuard = launches
        self.saver = saver
        log = saver.log
        self.commandInbox = commandInbox
        sceneLaunchGuard = SceneLaunchGuard(launches, application: definition.bundleIdentifier)
        recovery = CrashRecovery(sceneLaunchGuard: sceneLaunchGuard, saver: saver)
    }

    /// Step of the sequence that the caller must handle.
    enum Step {
        /// The launch of a scene has completed.
        case launched(HostedScene)
        /// The launch of a scene is waiting for the scene's extended restoration to finish (R13).
        case extended(RestorationIdentifier)
        /// A scene could not be launched or must not be launched.
        case failed(RestorationIdentifier, LogEvent, reason: String)
        /// The application's launch must fail, because a scene would otherwise continue without its saved values.
        case unrestored(RestorationIdentifier, reason: String)
    }

    /// Launches scenes until the caller must handle a step.
    ///
    /// - Returns: The step, or `nil` if no scene can be launched at the moment.
    func next(of hosted: HostedScenes) -> Step? {
        while true {
            if let completed = hosted.table.completeLaunch() {
                let isBeingExchanged = hosted.table.isBeingExchanged(completed.name)
                sceneLaunchGuard.recordLaunch(
                    completed.name,
                    isBeingExchanged
                        ? hosted.change?.definition ?? hosted.definition : hosted.definition
                )
                return .launched(completed)
            }
            guard let (name, isUserRequested) = hosted.table.next,
                sceneLaunchGuard.ticket.acquire({ [commandInbox] in commandInbox.wake() })
            else { return nil }
            let isBeingExchanged = hosted.table.isBeingExchanged(name)
            let crash = sceneLaunchGuard.launchRecord(of: name)?.lastEnd
            if !isBeingExchanged,
                let reason = recovery.obstacle(
                    to: name, of: hosted, isUserRequested: isUserRequested, crashLimit: crashLimit)
            {
                sceneLaunchGuard.ticket.release()
                return .failed(name, .launchBlocked, reason: reason)
            }
            if let step = launch(
                name, of: hosted, for: isBeingExchanged ? hosted.change : nil, after: crash)
            {
                return step
            }
        }
    }

    /// Launches a scene.
    ///
    /// - Parameter crash: A description of an earlier crash that involved the scene, or `nil` if there was no crash.
    /// - Returns: The step that the caller must handle, or `nil` if the sequence can continue.
    private func launch(
        _ name: RestorationIdentifier, of hosted: HostedScenes, for change: StateChange?,
        after crash: String?
    ) -> Step? {
        let definition = change?.definition ?? hosted.definition
        let launch = HostedScenes.Launch(
            name: name, reason: launchReason(of: name, of: hosted, for: change),
            definition: definition,
            isCounted: change == nil && launchedFromInitialState.insert(name).inserted,
            needsState: change?.usesOtherState ?? false,
            isFromOtherProgram: change == nil
                && sceneLaunchGuard.isFromOtherProgram(name, definition))
        let crashContext = sceneLaunchGuard.begin(launch)
        do {
            let generation = try crashContext.run(at: .launchBegin) {
                try hosted.launch(launch) { host($0, of: hosted, crashContext) }
            }
            hosted.table.launching?.scene.report.precedingDeath = crash.map {
                recovery.description(of: $0, name)
            }
            if let generation { saver.requireGeneration(generation) }
        } catch {
            sceneLaunchGuard.recordAbandonedLaunch()
            sceneLaunchGuard.ticket.release()
            if error is UnrestoredValuesError { return .unrestored(name, reason: "\(error)") }
            return .failed(name, .launchFailed, reason: "\(error)")
        }
        guard let scene = hosted.table.launching, !scene.scene.isLaunched else { return nil }
        let extendedLaunch = ExtendedLaunch(
            application: definition.bundleIdentifier, launchGuard: launchGuard,
            end: scene.scene.launchEnd)
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
            .info, .extended, "extended its restoration; the launch waits for it", scene: name.text)
        return .extended(name)
    }

    /// Returns the launch reason for a scene (R2), and logs any earlier crash that involved the scene.
    private func launchReason(
        of name: RestorationIdentifier, of hosted: HostedScenes, for change: StateChange?
    ) -> LaunchReason {
        let launchRecord = sceneLaunchGuard.launchRecord(of: name)
        if let launchRecord, let end = launchRecord.lastEnd {
            log.log(
                .warning, .launchedAgain,
                "is launched again; the program died "
                    + (launchRecord.endCount == 1
                        ? "" : "\(launchRecord.endCount) times in a row ")
                    + "while it launched this scene, or soon after: \(end)", scene: name.text,
                reason: end)
        }
        guard hosted.record(of: name) != nil else { return .pristine }
        if let change { return change.reason }
        if launchRecord?.awaitsNewState == true { return .replace }
        return launchRecord?.lastEnd != nil ? .recover : hosted.launchReason(of: name)
    }

    private func host(
        _ scene: Scene, of scenes: HostedScenes, _ crashContext: CrashRecorder.Context?
    ) -> HostedScene {
        scene.onLaunchCompleted = { [commandInbox] in commandInbox.wake() }
        let hosted = HostedScene(scene, tasks: SceneTasks(), crashContext: crashContext)
        hosted.onStage = { [unowned self] in reach($0) }
        hosted.tasks.onTaskAdded = {
            [commandInbox, hosted = WeakLink(to: hosted), scenes = WeakLink(to: scenes)] in
            if let hosted = hosted.object { scenes.object?.markDue(hosted) }
            commandInbox.wake()
        }
        return hosted
    }

    /// Stops launching scenes and abandons any launch in progress.
    func stop(_ hosted: HostedScenes) {
        let launching = hosted.table.launching
        hosted.table.stopLaunching()
        if launching != nil, hosted.table.launching == nil {
            sceneLaunchGuard.recordAbandonedLaunch()
        }
        if hosted.table.launching == nil { sceneLaunchGuard.ticket.release() }
    }

    // MARK: Stages

    /// Records that a launch, turn or pass has reached a stage, and performs the debug exit for that stage, if any.
    func reach(_ stage: Stage) {
        sceneLaunchGuard.recordStage(stage)
        debugExit?.reach(stage)
    }

    /// Configures the process to exit when it reaches a stage.
    func arm(_ exit: DebugExit) {
        debugExit = exit
        log.log(
            .warning, .debugExitArmed,
            "will terminate the program at the stage \(exit.stage.rawValue)",
            reason: exit.stage.rawValue)
    }
}
