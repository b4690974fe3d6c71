import StateRestoration
import Testing

/// Children that are added, removed or moved, most of them as single changes (P14).
@Suite(.timeLimit(.minutes(10))) struct ReportedChildTests {
    private func saved(_ root: TestObject) throws -> TestScene {
        let test = try TestScene.launched(root)
        test.save()
        return test
    }

    @Test func `P14: a child that is added below an object without an identifier is saved later`()
        throws
    {
        let gap = TestObject(nil)
        let test = try saved(TestObject("nav", [gap]))
        gap.addReportingChange(TestObject("child", value: 1))
        test.save()
        #expect(test.archive.paths == ["nav"])
        gap.restoration.identifier = "gap"
        test.save()
        #expect(test.archive.paths == ["nav", "nav/gap", "nav/gap/child"])
        #expect(try test.archive.values(at: "nav/gap/child")["value"] == .integer(1))
    }

    @Test func `an object without an identifier that moved is saved below its new parent`() throws {
        let gap = TestObject(nil)
        let (old, new) = (TestObject("a", [gap]), TestObject("b", [TestObject("c")]))
        let test = try saved(TestObject("nav", [old, new]))
        new.add(gap)
        test.save()
        gap.restoration.identifier = "gap"
        test.save()
        #expect(test.archive.paths == ["nav", "nav/a", "nav/b", "nav/b/c", "nav/b/gap"])
    }

    @Test func `an object that left and lost its identifier is saved below its next parent`() throws
    {
        let child = TestObject("child")
        let (old, new) = (TestObject("a", [child]), TestObject("b"))
        let test = try saved(TestObject("nav", [old, new]))
        child.leaveReportingChange()
        test.save()
        #expect(test.archive.paths == ["nav", "nav/a", "nav/b"])
        child.restoration.identifier = nil
        new.add(child)
        test.save()
        child.restoration.identifier = "child"
        test.save()
        #expect(test.archive.paths == ["nav", "nav/a", "nav/b", "nav/b/child"])
    }

    @Test func `no explanation exists for the old path of an object that moved`() throws {
        let child = TestObject("child")
        let (old, new) = (TestObject("a", [child]), TestObject("b"))
        let test = try saved(TestObject("nav", [old, new]))
        child.leaveReportingChange()
        new.addReportingChange(child)
        test.save()
        #expect(test.archive.paths == ["nav", "nav/a", "nav/b", "nav/b/child"])
        func isObjectKnown(_ path: String) -> Bool {
            ObjectExplainer(test.scene).explanation(of: path, passMetadata: .test).isObjectKnown
        }
        #expect(isObjectKnown("nav/b/child"))
        #expect(!isObjectKnown("nav/a/child"))
    }

    @Test func `I3: an omitted sibling that leaves is no longer reported`() throws {
        let omitted = TestObject("page")
        let test = try saved(TestObject("nav", [TestObject("page"), omitted]))
        #expect(test.scene.records.omissionDiagnostic != nil)
        omitted.leaveReportingChange()
        test.save()
        #expect(test.scene.records.omissionDiagnostic == nil)
        #expect(test.archive.paths == ["nav", "nav/page"])
    }

    @Test func `an object is reported if each of its new children adds another child`() throws {
        let root = TestObject("nav")
        let test = try saved(root)
        var count = 0
        func grow() {
            count += 1
            if count > 500 { return }
            let child = TestObject(RestorationIdentifier(recorded: "child\(count)"))
            child.encoding = { _ in grow() }
            root.addReportingChange(child)
        }
        grow()
        #expect(
            test.save()?.diagnostics == [.childrenKeepChanging(path: RestorationPath(["nav"]))])
        #expect(count < 500)
    }

    @Test func `many children that are added one by one are saved by one pass`() throws {
        let root = TestObject("nav")
        let test = try saved(root)
        for number in 1...40 {
            root.add(TestObject(RestorationIdentifier(recorded: "child\(number)")))
        }
        #expect(test.save()?.diagnostics == [])
        #expect(test.archive.paths.count == 41)
    }

    @Test func `an object that is listed twice does not hide that a sibling left`() throws {
        let (first, second) = (TestObject("a"), TestObject("b"))
        let root = TestObject("nav", [first, second])
        let test = try saved(root)
        second.leave()
        root.additionalChild = first
        test.save()
        #expect(test.archive.paths == ["nav", "nav/a"])
        root.additionalChild = nil
    }

    @Test func `an object that left its parent is saved below another object that lists it`() throws
    {
        let child = TestObject("child", value: 1)
        let (other, owner) = (TestObject("other"), TestObject("owner", [child]))
        let test = try saved(TestObject("nav", [other, owner]))
        child.leave()
        other.additionalChild = child
        test.save(isFull: true)
        #expect(test.archive.paths == ["nav", "nav/other", "nav/other/child", "nav/owner"])
        #expect(try test.archive.values(at: "nav/other/child")["value"] == .integer(1))
        other.additionalChild = nil
    }

    @Test func `I2: the paths of two objects that change places are counted correctly`()
        throws
    {
        func object(
            _ letter: String, _ byteCount: Int, _ children: [TestObject] = []
        ) throws -> TestObject {
            let text = String(repeating: letter, count: byteCount)
            return TestObject(try RestorationIdentifier(validating: text), children)
        }
        let inner = try object("b", 150)
        let outer = try object("a", 150, [inner])
        let holder = try object("x", 255, [outer])
        var tree = holder
        for _ in 1..<14 { tree = try object("x", 255, [tree]) }
        let test = try TestScene.launched(tree)
        #expect(test.save()?.diagnostics == [])
        holder.add(inner)
        inner.add(outer)
        #expect(test.save()?.diagnostics == [])
        // The holder's path has 3,583 bytes, and the new object's path 3,583 + 151 + 151 + 251.
        outer.add(try object("c", 250))
        let sentences = try #require(test.save()).sentences
        #expect(sentences.count == 1)
        #expect(sentences.first?.contains("4136 bytes") == true)
        #expect(test.archive.paths.count == 16)
    }
}
