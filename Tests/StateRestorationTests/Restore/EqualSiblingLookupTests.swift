import StateRestoration
import Testing

/// Lookups among siblings with the same identifier (I3, R4).
@Suite struct EqualSiblingLookupTests {
    @Test func `R4: a sibling of a subclass is found next to a sibling of another class`() throws {
        var classes = ClassRegistry()
        classes.register(OtherObject.self)
        let saved = try TestScene.launched(
            TestObject("nav", [OtherObject("page", value: 1)]), classes: classes)
        saved.save()
        let (other, derived) = (TestObject("page"), DerivedObject("page"))
        let test = try TestScene.launched(
            TestObject("nav", [other, derived]), archive: saved.archive, classes: classes)
        #expect(test.unrestored == [])
        #expect(derived.value == 1)
        #expect(other.decodings == 0)
    }

    @Test func `I3: the sibling of the recorded class is found for every shared identifier`() throws
    {
        let saved = try TestScene.launched(
            TestObject("nav", [TestObject("a", value: 1), TestObject("b", value: 2)]))
        saved.save()
        let children = [
            OtherObject("a"), OtherObject("b"), TestObject("a"), TestObject("b"),
        ]
        let test = try TestScene.launched(TestObject("nav", children), archive: saved.archive)
        #expect(test.unrestored == [])
        #expect(children.map(\.value) == [nil, nil, 1, 2])
    }
}
