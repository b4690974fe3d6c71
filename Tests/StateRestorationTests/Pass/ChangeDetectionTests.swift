import StateRestoration
import Testing

/// Changes that passes and comparisons of fingerprints find.
@Suite struct ChangeDetectionTests {
    @Test func `P20: a full pass finds missed invalidations of all orphans`() throws {
        let orphans = [TestObject("a", value: 1), TestObject("b", value: 1)]
        let root = TestObject("nav")
        root.encoding = { $0.encode(orphans, forKey: "orphans") }
        let test = try TestScene.launched(root)
        test.save()
        for orphan in orphans { orphan.value = 7 }
        let output = try #require(test.save(isFull: true))
        #expect(output.missedInvalidationCount == 2)
        for path in ["a", "b"] {
            #expect(try test.archive.values(at: path)["value"] == .integer(7))
        }
    }

    @Test func `P20: objects whose parent was listed again are checked once`() throws {
        let root = TestObject("nav", [TestObject("a"), TestObject("b"), TestObject("c")])
        let test = try TestScene.launched(root)
        test.save()
        root.add(TestObject("d"))
        test.save()
        test.scene.markNeedsFullScan()
        #expect(test.save(.slice(5))?.encodedObjectCount == 5)
        #expect(test.scene.isFullyScanned)
    }

    @Test func `P21: a change to any object that a command marked is detected`() throws {
        let children = [TestObject("a", value: 1), TestObject("b", value: 1)]
        let test = try TestScene.launched(TestObject("nav", children))
        test.save()
        var fingerprints = FingerprintComparison(test.scene, [])
        children[0].invalidateRestorableState()
        children[1].change(to: 2)
        let isMarked = fingerprints.addMarkedNodes()
        #expect(isMarked)
        test.save()
        #expect(fingerprints.covers("nav/a"))
        #expect(fingerprints.covers("nav/b"))
        #expect(fingerprints.hasChanges())
        #expect(!fingerprints.hasChanges(excluding: children[1]))
    }
}
