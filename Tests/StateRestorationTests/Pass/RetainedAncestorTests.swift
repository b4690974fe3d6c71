import StateRestoration
import Testing

/// Retained state of objects above a restored object (R16).
@Suite struct RetainedAncestorTests {
    @Test func `R16: a new object below a restored object replaces the retained state above them`()
        throws
    {
        let saved = try TestScene.launched(
            TestObject("nav", [TestObject("page", value: 1, [TestObject("member", value: 2)])]))
        saved.save()
        let archive = saved.archive
        let member = TestObject("member")
        let page = TestObject("page", [member])
        page.decoding = { _ in throw Refusal() }
        let test = try TestScene.launched(TestObject("nav", [page]), archive: archive)
        #expect(test.unrestored == ["nav/page: decode-failed"])
        #expect(member.value == 2)
        page.value = 9
        test.save()
        #expect(try archive.values(at: "nav/page")["value"] == .integer(1))
        member.add(TestObject("new", value: 3))
        test.save()
        #expect(
            archive.paths == ["nav", "nav/page", "nav/page/member", "nav/page/member/new"])
        #expect(try archive.values(at: "nav/page")["value"] == .integer(9))
        #expect(try archive.values(at: "nav/page/member/new")["value"] == .integer(3))
    }
}
