import StateRestoration
import Testing

@Suite struct RecordWitnessTests {
    @Test func `P21: a command may have changed an object that another command had marked`()
        throws
    {
        let page = TestObject("page", value: 1)
        let other = TestObject("other", value: 1)
        let test = try TestScene.launched(TestObject("nav", [page, other]))
        test.save()
        page.change(to: 2)
        var witness = RecordWitness(test.scene, [page])
        var otherWitness = RecordWitness(test.scene, [other])
        page.change(to: 3)
        let (isMarked, isOtherMarked) = (witness.noteMarked(), otherWitness.noteMarked())
        #expect(isMarked)
        #expect(!isOtherMarked)
    }

    @Test func `P21: a witness covers its objects, compared by path and by identity`() throws {
        let page = TestObject("page")
        let other = TestObject("other")
        let test = try TestScene.launched(TestObject("nav", [page, other]))
        test.save()
        let witness = RecordWitness(test.scene, [page])
        #expect(witness.covers("nav/page"))
        #expect(!witness.covers("nav/other"))
        #expect(witness.covers("nav/page", alone: page))
        #expect(!witness.covers("nav/page", alone: other))
        #expect(!witness.covers("nav/other", alone: page))
    }
}
