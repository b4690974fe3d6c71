import LinuxIO
import StateRestoration

/// A scene of a running application, with what belongs to it while it is launched.
final class HostedScene: ScenePreserving {
    let scene: Scene
    let tasks: SceneTasks
    /// Where a thread is that runs its code; nil: no stamps can be left (L2).
    let place: CrashStamp.Place?
    /// The objects of the declared values, which the scene alone would not keep.
    var values: [any StateRestoring] = []
    /// Told of each stage that its launch or a pass of it reaches.
    var onStage: ((Stage) -> Void)?
    /// Whether a command ran on it since the last pass.
    var isActedOn = false
    /// Whether it was noted that a person changed it (L8).
    var isChangeNoted = false
    /// Whether the next turn has something to do for it; see ``HostedScenes/due``.
    var isDue = false
    /// Whether anything was done with it since somebody looked for scenes that nobody uses.
    var isUsed = true
    private var hasEnded = false
    /// How many superfluous completions were told already.
    private var toldCompletions = 0

    init(_ scene: Scene, tasks: SceneTasks, place: CrashStamp.Place? = nil) {
        self.scene = scene
        self.tasks = tasks
        self.place = place
        scene.records.startTask = { tasks.add($0) }
        scene.onStage = { [weak self] stage in
            self?.place?.reach(stage.rawValue)
            self?.onStage?(stage)
        }
        guard let place else { return }
        scene.onObject = { place.reach($0.word, $1.text, above: $2) }
    }

    var name: RestorationIdentifier { scene.name }

    /// Whether a turn finds something to do for it.
    var hasWork: Bool { !hasEnded && (tasks.hasNew || scene.needsPass) }

    var status: SceneStatus {
        SceneStatus(
            name: name, phase: scene.isLaunched ? .running : .restoring, report: scene.report,
            omission: scene.records.omission.map { "\($0)" })
    }

    func preserve(_ stamp: PassStamp, _ scope: PassScope) -> PassOutput? {
        place.run(at: .passBegin) { scene.preserve(stamp, scope) }
    }

    /// The scene ends in an orderly way: its delegate is told first.
    func terminate() {
        place.run(at: .turnBegin) { scene.delegate.applicationWillTerminate(scene) }
        end()
    }

    /// The scene ends: nothing of it may ask for anything any more.
    func end() {
        hasEnded = true
        scene.end()
        tasks.end()
        scene.records.startTask = nil
        scene.onLaunchCompleted = nil
        scene.onStage = nil
        scene.onObject = nil
        onStage = nil
        scene.records.disband()
    }

    /// How many superfluous completions there were since this was last asked (R13).
    func takeSuperfluousCompletions() -> Int {
        defer { toldCompletions = scene.report.superfluousCompletions }
        return scene.report.superfluousCompletions - toldCompletions
    }
}

extension LaunchStep {
    /// What a crash stamp says of it: one word.
    fileprivate var word: StaticString {
        switch self {
        case .finding: "finding"
        case .decoding: "decoding"
        case .finishing: "finishing"
        }
    }
}

extension CrashStamp.Place? {
    /// Runs code of a scene; a crash in there is the scene's (L2).
    func run<Result, Failure>(
        at stage: Stage, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let self else { return try body() }
        return try self.run(at: stage.rawValue, body)
    }
}
