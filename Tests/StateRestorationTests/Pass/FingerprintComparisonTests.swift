import StateRestoration
import Testing

@Suite struct FingerprintComparisonTests {
    @Test func `P21: a command may have changed an object that another command had already marked`()
        throws
    {
        let page = TestObject("page", value: 1)
        let other = TestObject("other", value: 1)
        let test = try TestScene.launched(TestObject("nav", [page, other]))
        test.save()
        page.change(to: 2)
        var fingerprints = FingerprintComparison(test.scene, [page])
        var otherFingerprints = FingerprintComparison(test.scene, [other])
        page.change(to: 3)
        let (isMarked, isOtherMarked) = (
            fingerprints.addMarkedNodes(), otherFingerprints.addMarkedNodes()
        )
        #expect(isMarked)
        #expect(!isOtherMarked)
    }

    @Test func `P21: fingerprints cover only their objects, compared by path and by identity`()
        throws
    {
        let page = TestObject("page")
        let other = TestObject("other")
        let test = try TestScene.launched(TestObject("nav", [page, other]))
        test.save()
        let fingerprints = FingerprintComparison(test.scene, [page])
        #expect(fingerprints.covers("nav/page"))
        #expect(!fingerprints.covers("nav/other"))
        #expect(fingerprints.covers("nav/page", only: page))
        #expect(!fingerprints.covers("nav/page", only: other))
        #expect(!fingerprints.covers("nav/other", only: page))
    }

    @Test
    func `P21: fingerprints detect changed objects and can ignore objects already marked`()
        throws
    {
        for changes: Set in [[], ["page"], ["other"], ["page", "other"]] {
            let page = TestObject("page", value: 1)
            let other = TestObject("other", value: 1)
            let test = try TestScene.launched(TestObject("nav", [page, other]))
            test.save()
            let fingerprints = FingerprintComparison(test.scene, [page, other])
            if changes.contains("page") { page.change(to: 2) }
            if changes.contains("other") { other.change(to: 2) }
            test.save()
            #expect(fingerprints.hasChanges() == !changes.isEmpty)
            #expect(fingerprints.hasChanges(excluding: page) == changes.contains("other"))
            #expect(fingerprints.hasChanges(excluding: other) == changes.contains("page"))
            #expect(fingerprints.hasChanges(ignoresMarkedObjects: true) == !changes.isEmpty)
        }
        let page = TestObject("page", value: 1)
        let test = try TestScene.launched(TestObject("nav", [page]))
        test.save()
        page.change(to: 2)
        let fingerprints = FingerprintComparison(test.scene, [page])
        test.save()
        #expect(fingerprints.hasChanges())
        #expect(!fingerprints.hasChanges(ignoresMarkedObjects: true))
        #expect(!fingerprints.hasChanges(excluding: page))
    }
}
