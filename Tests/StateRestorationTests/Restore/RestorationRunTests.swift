import StateRestoration
import Testing

@Suite struct RestorationRunTests {
    /// Returns an archive with the saved state of a scene that has the given root.
    private func archive(of root: TestObject) throws -> MemoryArchive {
        let test = try TestScene.launched(root)
        test.save()
        return test.archive
    }

    @Test func `R9: a reference can resolve to an object that has not decoded yet`() throws {
        func tree() -> TestObject { TestObject("nav", value: 1, [TestObject("page", value: 2)]) }
        let root = tree()
        root.reference = root.children[0]
        let archive = try archive(of: root)
        let next = TestObject("nav", [TestObject("page")])
        var seen: [Int?] = []
        next.decoding = { [unowned next] _ in seen.append(next.reference?.value) }
        _ = try TestScene.launched(next, archive: archive)
        #expect(seen == [nil])
        #expect(next.reference?.value == 2)
    }

    @Test func `R9: a reference to an unrestored object decodes as nil`() throws {
        let root = TestObject("nav", [TestObject("page")])
        root.reference = root.children[0]
        let archive = try archive(of: root)
        let next = TestObject("nav")
        _ = try TestScene.launched(next, archive: archive)
        #expect(next.decodings == 1)
        #expect(next.reference == nil)
    }

    @Test func `R9: a reference to an unknown record number decodes as nil`() throws {
        let saved = TestObject("nav")
        saved.reference = saved
        let archive = try archive(of: saved)
        saved.reference = nil
        let key = try #require(archive.names.first { $0.value == "reference" }?.key)
        let highest = archive.highestNumber
        for number in [highest + 1, highest + 2, highest + 1000] {
            var writer = ValueWriter()
            writer.writeVarint(UInt64(key))
            writer.writeReference(RecordNumber(number))
            try archive.replaceValues(at: "nav", with: writer.bytes)
            let root = TestObject("nav")
            let test = try TestScene.launched(root, archive: archive)
            #expect(test.unrestored == [])
            #expect(root.decodings == 1)
            #expect(root.reference == nil)
        }
    }

    @Test func `R9: the library does not link an object that the delegate returns`() throws {
        let archive = try archive(of: TestObject("nav", [TestObject("page", value: 1)]))
        let root = TestObject("nav")
        let page = TestObject(nil)
        _ = try TestScene.launched(root, archive: archive) {
            $0.finding = { path, _ in path.components.count == 2 ? page : nil }
        }
        #expect(page.value == 1)
        #expect(page.container == nil)
        #expect(root.children.isEmpty)
    }

    @Test func `R9: references that form a cycle are restored`() throws {
        let first = TestObject("first")
        let second = TestObject("second")
        first.reference = second
        second.reference = first
        let archive = try archive(of: TestObject("nav", [first, second]))
        let root = TestObject("nav", [TestObject("first"), TestObject("second")])
        _ = try TestScene.launched(root, archive: archive)
        #expect(root.children[0].reference === root.children[1])
        #expect(root.children[1].reference === root.children[0])
        root.children[0].reference = nil
        first.reference = nil
    }

    @Test func `R10: an object is loaded before its children are looked up`() throws {
        let archive = try archive(of: TestObject("nav", [TestObject("page", value: 3)]))
        let root = TestObject("nav")
        root.loading = { [unowned root] in root.add(TestObject("page")) }
        let test = try TestScene.launched(root, archive: archive)
        #expect(test.unrestored == [])
        #expect(root.children.first?.value == 3)
    }

    @Test func `R12: an object without a record neither decodes nor finishes`() throws {
        let archive = try archive(of: TestObject("nav"))
        let new = TestObject("new")
        let unnamed = TestObject(nil)
        let root = TestObject("nav", [new, unnamed])
        _ = try TestScene.launched(root, archive: archive)
        #expect([root.decodings, new.decodings, unnamed.decodings] == [1, 0, 0])
        #expect([root.finishes, new.finishes, unnamed.finishes] == [1, 0, 0])
    }

    @Test func `R12: an unrestored object neither decodes nor finishes`() throws {
        let archive = try archive(of: TestObject("nav", [OtherObject("page", [TestObject("in")])]))
        let root = TestObject("nav", [TestObject("page", [TestObject("in")])])
        _ = try TestScene.launched(root, archive: archive)
        let page = root.children[0]
        #expect([page.decodings, page.children[0].decodings] == [0, 0])
        #expect([page.finishes, page.children[0].finishes] == [0, 0])
    }

    @Test func `R14: a missing key decodes as nil, even if the object had a value`() throws {
        let archive = try archive(of: TestObject("nav"))
        let root = TestObject("nav", value: 5)
        let test = try TestScene.launched(root, archive: archive)
        #expect(root.value == nil)
        #expect(test.unrestored == [])
    }

    @Test
    func `R14: a value of the wrong type is an error that names the object, key and both types`()
        throws
    {
        let saved = TestObject("nav", [TestObject("page")])
        saved.children[0].encoding = { $0.encode("text", forKey: "other") }
        let archive = try archive(of: saved)
        let root = TestObject("nav", [TestObject("page")])
        root.children[0].decoding = { _ = try $0.decode(Int.self, forKey: "other") }
        let test = try TestScene.launched(root, archive: archive)
        #expect(test.unrestored == ["nav/page: decode-failed"])
        #expect(
            test.report.unrestored.first?.detail
                == "nav/page: \"other\" was saved as String but decoded as Int")
    }

    @Test func `R14: an object that fails to decode is reported, and other objects are restored`()
        throws
    {
        let archive = try archive(
            of: TestObject(
                "nav",
                [
                    TestObject("bad", [TestObject("below", value: 1)]), TestObject("torn"),
                    TestObject("good", value: 2),
                ]))
        try archive.replaceValues(at: "nav/torn", with: [0xFF])
        let bad = TestObject("bad", [TestObject("below")])
        bad.decoding = { _ in throw Refusal() }
        let root = TestObject("nav", [bad, TestObject("torn"), TestObject("good")])
        let test = try TestScene.launched(root, archive: archive)
        #expect(test.unrestored == ["nav/bad: decode-failed", "nav/torn: decode-failed"])
        #expect(test.report.unrestored.first?.detail == "refused for the test")
        #expect(test.report.restored == 3)
        #expect(bad.children[0].value == 1)
        #expect(root.children[2].value == 2)
        #expect(bad.finishes == 1)
    }
}
