import LinuxIO
import StateRestoration

/// Launched scene of a running application, with its tasks and other resources.
final class HostedScene: ScenePreserving {
    let scene: Scene
    let tasks: SceneTasks
    /// Crash context for threads that run the scene's code, or `nil` if no crash stamps can be written (L2).
    let crashContext: CrashRecorder.Context?
    /// Objects that represent the declared values. The scene itself does not retain these objects.
    var valueObjects: [any StateRestoring] = []
    /// Closure that is called each time the scene's launch, or a pass over the scene, reaches a stage.
    var onStage: ((Stage) -> Void)?
    /// Whether a command that may change the scene has run since the last pass.
    var hasPendingMutation = false
    /// Whether the user's first change to the scene has been reported to the launch guard (L8).
    var isChangeRecorded = false
    /// Whether the next turn has work to do for the scene (see ``HostedScenes/dueScenes``).
    var isDue = false
    /// Whether the scene has been used since the last check for idle scenes.
    var hasBeenUsed = true
    private var isClosed = false
    /// Number of superfluous completions that ``consumeSuperfluousCompletions()`` has already returned.
    private var reportedCompletionCount = 0

    init(_ scene: Scene, tasks: SceneTasks, crashContext: CrashRecorder.Context? = nil) {
        self.scene = scene
        self.tasks = tasks
        self.crashContext = crashContext
        scene.records.startTask = { tasks.add($0) }
        scene.onStage = { [hostedSceneLink = WeakLink(to: self)] stage in
            guard let self = hostedSceneLink.object else { return }
            self.crashContext?.setStage(stage.rawValue)
            self.onStage?(stage)
        }
        guard let crashContext else { return }
        scene.onLaunchStep = {
            crashContext.setStep($0.stampName, onObject: $1.text, parentPathLength: $2)
        }
    }

    var name: RestorationIdentifier { scene.name }

    /// Whether a turn has work to do for the scene.
    var hasWorkForTurn: Bool { !isClosed && (tasks.hasPendingTasks || scene.needsPass) }

    var status: SceneStatus {
        SceneStatus(
            name: name, phase: scene.isLaunched ? .running : .restoring, report: scene.report,
            omission: scene.records.omissionDiagnostic.map { "\($0)" })
    }

    func preserve(_ passMetadata: PassMetadata, _ scope: PassScope) -> PassOutput? {
        crashContext.run(at: .passBegin) { scene.preserve(passMetadata, scope) }
    }

    /// Notifies the delegate and closes the scene, as part of an orderly stop.
    func terminate() {
        crashContext.run(at: .turnBegin) { scene.delegate.applicationWillTerminate(scene) }
        close()
    }

    /// Closes the scene. Afterwards, its objects and tasks cannot make requests.
    func close() {
        isClosed = true
        scene.end()
        tasks.cancelAll()
        scene.records.startTask = nil
        scene.onLaunchCompleted = nil
        scene.onStage = nil
        scene.onLaunchStep = nil
        onStage = nil
        scene.records.resetNodes()
    }

    /// Returns the number of superfluous completions of the restoration since the last call (R13).
    func consumeSuperfluousCompletions() -> Int {
        defer { reportedCompletionCount = scene.report.superfluousCompletions }
        return scene.report.superfluousCompletions - reportedCompletionCount
    }
}

extension LaunchStep {
    /// Name of the step in a crash stamp.
    fileprivate var stampName: StaticString {
        switch self {
        case .finding: "finding"
        case .decoding: "decoding"
        case .finishing: "finishing"
        }
    }
}

extension CrashRecorder.Context? {
    /// Runs a closure, and attributes any crash in the closure to the scene (L2).
    func run<Result, Failure>(
        at stage: Stage, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let self else { return try body() }
        return try self.run(at: stage.rawValue, body)
    }
}
