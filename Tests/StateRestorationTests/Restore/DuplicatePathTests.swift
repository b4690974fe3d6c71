import StateRestoration
import Testing

@Suite struct DuplicatePathTests {
    private func archive(of root: TestObject) throws -> MemoryArchive {
        let test = try TestScene.launched(root)
        test.save()
        return test.archive
    }

    @Test
    func `R11: an existing object wins over the delegate's object, and the conflict is reported`()
        throws
    {
        let archive = try archive(of: TestObject("nav", [TestObject("page", value: 4)]))
        let root = TestObject("nav", [TestObject("page")])
        let duplicate = TestObject("page")
        let test = try TestScene.launched(root, archive: archive) {
            $0.finding = { path, _ in path.components.count == 2 ? duplicate : nil }
        }
        #expect(root.children[0].value == 4)
        #expect(duplicate.decodings == 0)
        #expect(test.unrestored == [])
        #expect(
            test.report.duplicates == [
                UnrestoredObject(
                    path: "nav/page", code: .duplicatePath,
                    detail:
                        "the delegate did not return the object that already exists at this path",
                    remedy: "Make sure that the delegate returns the existing object, or no object."
                )
            ])
        #expect(test.report.restored == 2)
        #expect(!test.report.hasUnassignedRecords)
        #expect(test.report.entry(for: "nav/page")?.code == .duplicatePath)
    }

    @Test func `R11: an existing object wins over the object that its restoration class returns`()
        throws
    {
        var classes = ClassRegistry()
        classes.register(MadeObject.self)
        let saved = MadeObject("page", value: 4)
        saved.restoration.restorationClass = MadeObject.self
        let archive = try archive(of: TestObject("nav", [saved]))
        let root = TestObject("nav", [MadeObject("page")])
        let test = try TestScene.launched(root, archive: archive, classes: classes) {
            $0.making = { _, _ in MadeObject("page") }
        }
        #expect(root.children[0].value == 4)
        #expect(test.report.duplicates.map(\.path) == ["nav/page"])
    }

    @Test func `R11: a delegate that returns the existing object causes no conflict`() throws {
        let archive = try archive(of: TestObject("nav", [TestObject("page", value: 4)]))
        let root = TestObject("nav", [TestObject("page")])
        let test = try TestScene.launched(root, archive: archive) {
            $0.finding = { [unowned root] path, _ in
                path.components.count == 2 ? root.children[0] : root
            }
        }
        #expect(test.report.duplicates == [])
        #expect(test.unrestored == [])
        #expect(root.children[0].value == 4)
    }

    @Test
    func `R11: an object returned for two records is restored once, and the other record is kept`()
        throws
    {
        let archive = try archive(
            of: TestObject(
                "nav",
                [TestObject("a", value: 1), TestObject("b", value: 2, [TestObject("in")])]))
        let root = TestObject("nav")
        let shared = TestObject(nil)
        root.decoding = { [unowned root] _ in root.add(shared) }
        let test = try TestScene.launched(root, archive: archive) {
            $0.finding = { path, _ in path.components.count == 2 ? shared : nil }
        }
        #expect(test.unrestored == ["nav/b: duplicate-path", "nav/b/in: parent-dropped"])
        #expect(
            test.report.unrestored.first?.detail
                == "the delegate returned the object that was restored as nav/a")
        #expect(shared.value == 1)
        #expect(shared.decodings == 1)
        #expect(shared.restoration.identifier == "a")
        #expect(test.report.hasUnassignedRecords)
        test.save()
        #expect(archive.paths == ["nav", "nav/a", "nav/b", "nav/b/in"])
    }

    @Test func `an object that the delegate returns is refused if it is an ancestor`() throws {
        let archive = try archive(of: TestObject("nav", value: 1, [TestObject("page", value: 2)]))
        let root = TestObject("nav")
        let test = try TestScene.launched(root, archive: archive) {
            $0.finding = { [unowned root] _, _ in root }
        }
        #expect(test.unrestored == ["nav/page: duplicate-path"])
        #expect(root.value == 1)
    }

    @Test func `an object that the delegate returns is refused if it belongs to another scene`()
        throws
    {
        let archive = try archive(of: TestObject("nav", [TestObject("page", value: 2)]))
        let foreign = TestObject("page", value: 9)
        let other = try TestScene.launched(foreign)
        other.save()
        let test = try TestScene.launched(TestObject("nav"), archive: archive) {
            $0.finding = { path, _ in path.components.count == 2 ? foreign : nil }
        }
        #expect(test.unrestored == ["nav/page: no-object"])
        #expect(
            test.report.unrestored.first?.detail
                == "the delegate returned an object of another scene")
        #expect(foreign.value == 9)
        #expect(foreign.restoration.records === other.scene.records)
    }
}
