import StateRestoration
import Testing

@testable import Preservation

@Suite struct HostedSceneTests {
    /// Delegate that checks whether it can start a task when it is notified of the scene's end.
    private final class TerminationDelegate: RestorationDelegate {
        var couldStartTask: Bool?

        func applicationWillTerminate(_ scene: Scene) {
            couldStartTask = scene.records.startTask != nil
        }
    }

    @Test func `the delegate is notified before its scene is closed`() {
        let delegate = TerminationDelegate()
        let scene = HostedScene(
            Scene(
                name: "main", launchReason: .pristine, delegate: delegate, classes: ClassRegistry(),
                records: SceneRecords(names: NameTable(), numbering: RecordNumberGenerator())),
            tasks: SceneTasks())
        scene.terminate()
        #expect(delegate.couldStartTask == true)
        #expect(scene.scene.records.startTask == nil)
    }
}
