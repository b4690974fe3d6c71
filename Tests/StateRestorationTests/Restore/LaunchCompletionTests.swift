import StateRestoration
import Testing

/// A delegate that records when it and its observer are notified of a completed launch.
private final class ObservedDelegate: RestorationDelegate {
    let restorationRoot: (any StateRestoring)?
    let journal = Journal()
    var onLaunched: (() -> Void)?
    weak var scene: Scene?

    init(_ root: TestObject) { restorationRoot = root }

    var launchObserver: LaunchObserver? {
        LaunchObserver { [unowned self] in
            journal.record("observer, launch end reached: \(scene?.launchEnd.isReached == true)")
        }
    }

    func sceneDidLaunch(_ scene: Scene) {
        journal.record("delegate")
        onLaunched?()
    }

    func application(_ scene: Scene, shouldSaveApplicationState coder: StateEncoder) -> Bool {
        true
    }

    func application(_ scene: Scene, shouldRestoreApplicationState coder: StateDecoder) -> Bool {
        true
    }
}

@Suite struct LaunchCompletionTests {
    /// Returns a scene that restores the contents of an archive and has not been launched.
    private func scene(_ delegate: ObservedDelegate, _ archive: MemoryArchive) -> Scene {
        let records = SceneRecords(
            names: NameTable(archive.names),
            numbering: RecordNumberGenerator(after: archive.highestNumber))
        let scene = Scene(
            name: "main", launchReason: .restore, delegate: delegate, classes: ClassRegistry(),
            records: records)
        delegate.scene = scene
        return scene
    }

    @Test func `the observer is notified of a completed launch before the delegate`() throws {
        let delegate = ObservedDelegate(TestObject("nav"))
        let scene = scene(delegate, MemoryArchive())
        #expect(!scene.launchEnd.isReached)
        try scene.launch(restoring: nil)
        #expect(delegate.journal.take() == ["observer, launch end reached: true", "delegate"])
    }

    @Test func `R16: a mark that the delegate sets after a launch does not replace saved state`()
        throws
    {
        let first = try TestScene.launched(TestObject("nav", [TestObject("page", value: 1)]))
        first.save()
        let page = TestObject("page")
        page.decoding = { _ in throw Refusal() }
        let delegate = ObservedDelegate(TestObject("nav", [page]))
        delegate.onLaunched = { page.change(to: 9) }
        let scene = scene(delegate, first.archive)
        try scene.launch(restoring: first.archive.savedScene)
        first.archive.write(try #require(scene.preserve(.test)))
        #expect(try first.archive.values(at: "nav/page")["value"] == .integer(1))
    }

    @Test func `R13: an extended launch is complete when its completion is reported`() throws {
        let test = TestScene(TestDelegate(TestObject("nav")))
        test.delegate.launching = { $0.extendStateRestoration() }
        var wasLaunched: Bool?
        test.scene.onLaunchCompleted = { [unowned scene = test.scene] in
            wasLaunched = scene.isLaunched
        }
        try test.launch()
        #expect(wasLaunched == nil)
        test.scene.completeStateRestoration()
        #expect(wasLaunched == true)
    }
}
