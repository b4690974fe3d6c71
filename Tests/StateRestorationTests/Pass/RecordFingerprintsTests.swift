import StateRestoration
import Testing

@Suite struct RecordFingerprintsTests {
    @Test func `P21: a command may have changed an object that another command had marked`()
        throws
    {
        let page = TestObject("page", value: 1)
        let other = TestObject("other", value: 1)
        let test = try TestScene.launched(TestObject("nav", [page, other]))
        test.save()
        page.change(to: 2)
        var witness = RecordFingerprints(test.scene, [page])
        var otherWitness = RecordFingerprints(test.scene, [other])
        page.change(to: 3)
        let (isMarked, isOtherMarked) = (witness.addMarked(), otherWitness.addMarked())
        #expect(isMarked)
        #expect(!isOtherMarked)
    }

    @Test func `P21: a witness covers its objects, compared by path and by identity`() throws {
        let page = TestObject("page")
        let other = TestObject("other")
        let test = try TestScene.launched(TestObject("nav", [page, other]))
        test.save()
        let witness = RecordFingerprints(test.scene, [page])
        #expect(witness.covers("nav/page"))
        #expect(!witness.covers("nav/other"))
        #expect(witness.covers("nav/page", alone: page))
        #expect(!witness.covers("nav/page", alone: other))
        #expect(!witness.covers("nav/other", alone: page))
    }

    @Test
    func `P21: the change of each object is detected, unless another command had marked it before`()
        throws
    {
        for changes: Set in [[], ["page"], ["other"], ["page", "other"]] {
            let page = TestObject("page", value: 1)
            let other = TestObject("other", value: 1)
            let test = try TestScene.launched(TestObject("nav", [page, other]))
            test.save()
            let witness = RecordFingerprints(test.scene, [page, other])
            if changes.contains("page") { page.change(to: 2) }
            if changes.contains("other") { other.change(to: 2) }
            test.save()
            #expect(witness.isAnythingChanged() == !changes.isEmpty)
            #expect(witness.isAnythingChanged(but: page) == changes.contains("other"))
            #expect(witness.isAnythingChanged(but: other) == changes.contains("page"))
            #expect(witness.isAnythingChanged(isOwn: true) == !changes.isEmpty)
        }
        let page = TestObject("page", value: 1)
        let test = try TestScene.launched(TestObject("nav", [page]))
        test.save()
        page.change(to: 2)
        let witness = RecordFingerprints(test.scene, [page])
        test.save()
        #expect(witness.isAnythingChanged())
        #expect(!witness.isAnythingChanged(isOwn: true))
        #expect(!witness.isAnythingChanged(but: page))
    }
}
