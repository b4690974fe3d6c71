import SimulatedDisk
import Testing

@testable import SavedState

/// Tests of the scenes that a guard returns for an application.
@Suite struct LaunchGuardScenesTests {
    private static let scene = SceneKey(application: "org.example", scene: "main")
    private static let identity = ProgramIdentity(
        version: "1", storyboardFingerprint: 2, executableChecksum: 3)

    private let launches = LaunchGuard(
        in: SimulatedDisk().root,
        environment: LaunchEnvironment(
            bootID: "boot", processID: "a", executableChecksum: 3, now: { 5000 }))

    private func begin(_ scene: SceneKey) {
        launches.beginLaunch(
            of: scene, reason: "restore", stage: "launch-begin", identity: Self.identity)
    }

    @Test func `the records of an application's scenes can be filtered by a condition`() {
        begin(Self.scene)
        launches.recordLaunch(Self.scene, identity: Self.identity)
        begin(SceneKey(application: "org.example", scene: "other"))
        func names(of application: String, launched: Bool) -> [String] {
            launches.launches(of: application) { ($0.launchedAt != nil) == launched }.map(\.scene)
        }
        #expect(names(of: "org.example", launched: true) == ["main"])
        #expect(names(of: "org.example", launched: false) == ["other"])
        #expect(names(of: "org.other", launched: true) == [])
    }

    @Test func `only the application of a launched scene has a scene in its grace period`() {
        launches.record(.replaced(scene: Self.scene, generation: "g"))
        begin(Self.scene)
        #expect(!launches.hasSceneInGracePeriod("org.example"))
        launches.recordLaunch(Self.scene, identity: Self.identity)
        #expect(launches.hasSceneInGracePeriod("org.example"))
        #expect(!launches.hasSceneInGracePeriod("org.other"))
    }
}
