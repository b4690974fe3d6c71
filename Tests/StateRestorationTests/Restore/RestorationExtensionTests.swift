import StateRestoration
import Testing

/// An object whose restoration continues after the launch.
private final class AsyncObject: TestObject, AsyncStateRestoring {
    nonisolated(nonsending) func finishRestoring(in scene: Scene) async throws {}
}

@Suite struct RestorationExtensionTests {
    /// A scene that counts how often it was told that its launch completed.
    private func scene(_ completions: Journal) -> TestScene {
        let test = TestScene(TestDelegate(TestObject("nav", value: 1)))
        test.scene.onLaunchCompleted = { completions.note("completed") }
        return test
    }

    @Test func `R13: an extended launch is in restoration until it is completed as often`() throws {
        let completions = Journal()
        let test = scene(completions)
        test.delegate.launching = {
            $0.extendStateRestoration()
            $0.extendStateRestoration()
        }
        try test.launch()
        #expect(!test.scene.isLaunched)
        #expect(test.scene.awaitsCompletion)
        #expect(test.save(isFull: true) == nil)
        test.scene.completeStateRestoration()
        #expect(!test.scene.isLaunched)
        test.scene.completeStateRestoration()
        #expect(test.scene.isLaunched)
        #expect(completions.take() == ["completed"])
        #expect(test.save() != nil)
        #expect(test.scene.report.superfluousCompletions == 0)
    }

    @Test func `R13: an extension that ends within the launch's callbacks keeps nothing`() throws {
        let completions = Journal()
        let test = scene(completions)
        test.delegate.launching = { $0.extendStateRestoration() }
        test.delegate.launched = { scene in
            scene.completeStateRestoration()
            #expect(!scene.isLaunched)
        }
        try test.launch()
        #expect(test.scene.isLaunched)
        #expect(completions.take() == [])
    }

    @Test func `R13: a completion too many is ignored and counted`() throws {
        let completions = Journal()
        let test = scene(completions)
        test.delegate.launching = { scene in
            scene.completeStateRestoration()
            scene.extendStateRestoration()
        }
        try test.launch()
        #expect(!test.scene.isLaunched)
        #expect(test.scene.report.superfluousCompletions == 1)
        test.scene.completeStateRestoration()
        test.scene.completeStateRestoration()
        #expect(test.scene.report.superfluousCompletions == 2)
        #expect(completions.take() == ["completed"])
    }

    @Test func `R13: a completion too many while the scene is restored is counted`() throws {
        let first = try TestScene.launched(TestObject("nav", value: 1))
        first.save()
        let next = TestScene(
            TestDelegate(TestObject("nav", value: 2)), archive: first.archive, reason: .restore)
        next.delegate.launching = { $0.completeStateRestoration() }
        next.delegate.restoring = { [scene = next.scene] _ in scene.completeStateRestoration() }
        try next.launch()
        #expect(next.report.restored == 1)
        #expect(next.report.superfluousCompletions == 2)
    }

    @Test func `R13: when the wait is over the launch goes on, and late completions fit`() throws {
        let completions = Journal()
        let test = scene(completions)
        test.delegate.launching = { $0.extendStateRestoration() }
        try test.launch()
        test.scene.completeLaunch()
        #expect(test.scene.isLaunched)
        test.scene.completeStateRestoration()
        test.scene.completeLaunch()
        #expect(test.scene.report.superfluousCompletions == 0)
        #expect(completions.take() == ["completed"])
    }

    @Test func `R13: a launch that failed is not completed`() throws {
        let completions = Journal()
        let test = scene(completions)
        test.delegate.launching = { $0.extendStateRestoration() }
        test.delegate.launched = { _ in throw Refusal() }
        #expect(throws: Refusal.self) { try test.launch() }
        test.scene.completeStateRestoration()
        #expect(!test.scene.isLaunched)
        #expect(completions.take() == [])
    }

    @Test func `R13 and R16: all objects unfinished at the timeout keep their saved state`()
        throws
    {
        func tree(_ values: [Int?]) -> TestObject {
            TestObject(
                "nav",
                zip(["a", "b", "c"] as [RestorationIdentifier], values).map {
                    AsyncObject($0, value: $1)
                })
        }
        let first = try TestScene.launched(tree([1, 2, 3]))
        first.save()
        let root = tree([nil, nil, nil])
        let test = try TestScene.launched(root, archive: first.archive)
        #expect(test.scene.awaitsCompletion)
        test.scene.completeLaunch(hasTimedOut: true)
        #expect(test.scene.isLaunched)
        #expect(test.report.hasTimedOut)
        for child in root.children { child.value = 9 }
        test.save(isFull: true)
        for (path, value) in [("nav/a", 1), ("nav/b", 2), ("nav/c", 3)] {
            #expect(try first.archive.values(at: path)["value"] == .integer(Int64(value)))
        }
    }
}
