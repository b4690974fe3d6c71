import Testing

@testable import StateRestoration

/// An object whose restoration continues after the launch.
private final class AsyncObject: TestObject, AsyncStateRestoring {
    var fails = false
    private(set) var runs = 0

    nonisolated(nonsending) func finishRestoring(in scene: Scene) async throws {
        runs += 1
        if fails { throw Refusal() }
    }
}

@Suite struct RestorationExtensionTests {
    /// Returns a scene that records each completion of its launch.
    private func scene(_ completions: Journal) -> TestScene {
        let test = TestScene(TestDelegate(TestObject("nav", value: 1)))
        test.scene.onLaunchCompleted = { completions.record("completed") }
        return test
    }

    @Test func `R13: an extended launch completes after as many completions as extensions`() throws
    {
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

    @Test
    func
        `R13: an extension that is completed within the launch callbacks does not delay the launch`()
        throws
    {
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

    @Test func `R13: a superfluous completion is ignored and counted`() throws {
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

    @Test func `R13: a superfluous completion during the restoration is counted`() throws {
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

    @Test
    func `R13: the launch continues after the timeout, and late completions are not superfluous`()
        throws
    {
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

    @Test func `R13: a failed launch is not completed`() throws {
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

    /// Returns a scene whose objects `a` and `b` finish their restoration after the launch.
    private func unfinished(
        failing: Set<String> = []
    ) throws -> (test: TestScene, objects: [AsyncObject]) {
        func objects() -> [AsyncObject] {
            (["b", "a"] as [RestorationIdentifier]).map {
                let object = AsyncObject($0, value: 1)
                object.fails = failing.contains($0.text)
                return object
            }
        }
        let first = try TestScene.launched(TestObject("nav", objects()))
        first.save()
        let restored = objects()
        let test = try TestScene.launched(TestObject("nav", restored), archive: first.archive)
        return (test, restored)
    }

    @Test func `R13: a launch completes when every object has finished its restoration`()
        async throws
    {
        let (test, objects) = try unfinished()
        #expect(test.scene.unfinishedPaths == ["nav/a", "nav/b"])
        let finishes = test.scene.consumePendingRestorations()
        #expect(finishes.count == 2)
        #expect(test.scene.consumePendingRestorations().isEmpty)
        for (index, finish) in finishes.enumerated() {
            #expect(test.scene.isLaunchExtended && !test.scene.isLaunched)
            #expect(test.scene.unfinishedPaths.count == 2 - index)
            #expect(await finish() == nil)
        }
        #expect(test.scene.isLaunched && !test.scene.awaitsCompletion)
        #expect(test.scene.launchEnd.isReached)
        #expect(objects.allSatisfy { $0.runs == 1 && !$0.restoration.record.isUnrestored })
        #expect(test.report.restored == 3)
    }

    @Test func `R14: an object that fails to finish its restoration keeps its saved state`()
        async throws
    {
        let (test, objects) = try unfinished(failing: ["b"])
        for finish in test.scene.consumePendingRestorations() { #expect(await finish() == nil) }
        #expect(test.scene.isLaunched)
        #expect(test.report.restored == 2)
        #expect(test.unrestored == ["nav/b: decode-failed"])
        #expect(test.report.unrestored.first?.detail.contains("refused for the test") == true)
        #expect(objects.map(\.restoration.record.isUnrestored) == [true, false])
    }

    @Test
    func
        `R13: an object that finishes after the timeout is marked as changed, and a late error is returned`()
        async throws
    {
        let (test, objects) = try unfinished(failing: ["b"])
        test.save()
        let finishes = test.scene.consumePendingRestorations()
        test.scene.completeLaunch(hasTimedOut: true)
        #expect(objects.allSatisfy { $0.restoration.record.isUnrestored })
        var failures: [String] = []
        for finish in finishes { failures += await finish().map { [$0] } ?? [] }
        #expect(failures == ["nav/b could not finish its restoration: refused for the test"])
        #expect(objects.map(\.restoration.passState.isMarked) == [false, true])
        #expect(test.report.restored == 3)
    }

    @Test func `R13: an object of a closed scene has no effect when it finishes`() async throws {
        let (test, objects) = try unfinished(failing: ["a", "b"])
        let finishes = test.scene.consumePendingRestorations()
        #expect(test.scene.awaitsCompletion)
        test.scene.end()
        #expect(!test.scene.awaitsCompletion)
        #expect(test.scene.launchEnd.isReached)
        #expect(test.scene.unfinishedPaths.isEmpty)
        for finish in finishes { #expect(await finish() == nil) }
        #expect(test.report.restored == 3)
        #expect(test.unrestored == [])
        #expect(!test.scene.isLaunched)
        #expect(objects.allSatisfy { $0.runs == 1 })
    }

    @Test func `all damaged objects are reported`() throws {
        let test = try TestScene.launched(TestObject("nav"))
        let damaged = ["a", "b", "c"].map {
            UnrestoredObject(path: $0, code: .damaged, detail: "it is damaged")
        }
        test.scene.report(damagedObjects: damaged, displaced: "it is in quarantine")
        #expect(test.report.unrestored == damaged)
        #expect(test.report.recorded == 3)
        #expect(test.report.displaced == "it is in quarantine")
    }
}
