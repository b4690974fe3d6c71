import StateRestoration
import Testing

/// A registered object that records when its parent is requested.
private final class ObservedObject: TestObject {
    override var restorationParent: (any StateRestoring)? {
        journal?.record("parent")
        return super.restorationParent
    }
}

@Suite struct PassStageTests {
    @Test func `P2: the stages of a pass are reached in order`() throws {
        let test = try TestScene.launched(TestObject("nav"))
        let object = ObservedObject(nil, .object, label: "object")
        try test.scene.registerObject(
            forStateRestoration: object, restorationIdentifier: "object")
        test.save()
        let journal = Journal()
        object.journal = journal
        test.delegate.journal = journal
        test.scene.onStage = { journal.record($0.rawValue) }
        test.save(isFull: true)
        #expect(
            journal.take() == [
                "shouldSave", "pass-begin", "parent", "willEncode", "encode object", "pass-encoded",
            ])
        withExtendedLifetime(object) {}
    }

    @Test func `P14: work that is added while a pass is requested requests no other pass`() throws {
        let test = try TestScene.launched(TestObject("nav"))
        test.save()
        var requestCount = 0
        test.scene.records.onPassNeeded = { [unowned scene = test.scene] in
            requestCount += 1
            if requestCount < 3 { scene.invalidateApplicationState() }
        }
        test.scene.invalidateApplicationState()
        #expect(requestCount == 1)
    }

    @Test func `objects below several parents that keep changing are saved by the next passes`()
        throws
    {
        var count = 0
        func grow(_ parent: TestObject, times: Int) {
            count += 1
            let child = TestObject(RestorationIdentifier(recorded: "child\(count)"))
            child.encoding = { [unowned parent, unowned child] _ in
                child.encoding = nil
                if times > 1 { grow(parent, times: times - 1) }
            }
            parent.add(child)
        }
        let parents = [TestObject("first"), TestObject("second")]
        for parent in parents { grow(parent, times: 25) }
        let test = try TestScene.launched(TestObject("nav", parents))
        #expect(test.save()?.diagnostics.count == 2)
        for _ in 1...3 { test.save() }
        #expect(parents.map(\.children.count) == [25, 25])
        #expect(test.archive.paths.count == 53)
    }
}
