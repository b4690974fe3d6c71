import StateRestoration

/// A scene of a running application, with what belongs to it while it is launched.
final class HostedScene {
    let scene: Scene
    let tasks: SceneTasks
    /// Whether its restoration was still extended when the time for it was over (R13).
    var hasTimedOut = false
    /// How many superfluous completions were told already.
    private var toldCompletions = 0

    init(_ scene: Scene, tasks: SceneTasks) {
        self.scene = scene
        self.tasks = tasks
        scene.records.startTask = { tasks.add($0) }
    }

    var name: RestorationIdentifier { scene.name }

    var status: SceneStatus {
        SceneStatus(
            name: name, phase: scene.isLaunched ? .running : .restoring, report: scene.report,
            superfluousCompletions: scene.superfluousCompletions, hasTimedOut: hasTimedOut)
    }

    /// The scene ends: nothing of it may ask for anything any more.
    func end() {
        tasks.end()
        scene.records.onMark = nil
        scene.records.startTask = nil
        scene.onLaunchCompleted = nil
        scene.onStage = nil
        scene.records.disband()
    }

    /// How many superfluous completions there were since this was last asked (R13).
    func takeSuperfluousCompletions() -> Int {
        defer { toldCompletions = scene.superfluousCompletions }
        return scene.superfluousCompletions - toldCompletions
    }
}
