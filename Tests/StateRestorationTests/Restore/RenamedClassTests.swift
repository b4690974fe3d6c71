import StateRestoration
import Testing

/// Class that replaces ``MadeObject`` in a later version of the program.
private final class RenamedObject: TestObject, ObjectRestoration {
    static func object(
        withRestorationIdentifierPath path: RestorationPath, coder: StateDecoder
    ) throws -> (any StateRestoring)? {
        try (coder.scene.delegate as? TestDelegate)?.making?(path, coder)
    }
}

@Suite struct RenamedClassTests {
    /// Returns an archive that the old version saved. It contains a page whose class is its own restoration class, an
    /// object below the page, and a sibling of the page.
    private func archive() throws -> MemoryArchive {
        var classes = ClassRegistry()
        classes.register(MadeObject.self)
        let page = MadeObject("page", value: 1, [TestObject("in", value: 2)])
        page.restoration.restorationClass = MadeObject.self
        let test = try TestScene.launched(
            TestObject("nav", value: 3, [page, TestObject("after", value: 4)]), classes: classes)
        test.save()
        return test.archive
    }

    /// Launches the new version, whose page is a ``RenamedObject`` that only finders create.
    private func launch(
        _ archive: MemoryArchive, aliases: [String]
    ) throws -> (test: TestScene, root: TestObject) {
        var classes = ClassRegistry()
        classes.register(RenamedObject.self, aliases: aliases)
        let root = TestObject("nav", [TestObject("after")])
        let test = try TestScene.launched(root, archive: archive, classes: classes) {
            $0.making = { [unowned root] _, _ in
                let page = RenamedObject(nil, [TestObject("in")])
                root.decoding = { [unowned root] _ in root.add(page) }
                return page
            }
        }
        return (test, root)
    }

    @Test func `R5: a renamed class loses no state if its old name is an alias`() throws {
        let archive = try archive()
        let (test, root) = try launch(archive, aliases: ["MadeObject"])
        #expect(test.unrestored == [])
        #expect(test.report.restored == 4)
        let page = try #require(root.children.last as? RenamedObject)
        #expect(page.value == 1)
        #expect(page.children[0].value == 2)
        test.save()
        #expect(
            try archive.contents() == [
                "nav TestObject value=integer(3)",
                "nav/after TestObject value=integer(4)",
                "nav/page RenamedObject value=integer(1)",
                "nav/page/in TestObject value=integer(2)",
            ])
        // The new name is recorded now, so a later version needs no alias.
        let (later, _) = try launch(archive, aliases: [])
        #expect(later.unrestored == [])
    }

    @Test
    func `R5 and R16: the subtree of a renamed class stays unclaimed until an alias is registered`()
        throws
    {
        let archive = try archive()
        for _ in 0..<3 {
            let (test, root) = try launch(archive, aliases: [])
            #expect(
                test.unrestored == [
                    "nav/page: restoration-class-missing", "nav/page/in: parent-dropped",
                ])
            #expect(test.report.unrestored.first?.detail.contains("MadeObject") == true)
            #expect(test.report.hasUnassignedRecords)
            #expect(root.value == 3)
            #expect(root.children.map(\.value) == [4])
            root.children[0].change(to: 4)
            test.save()
            #expect(archive.paths == ["nav", "nav/after", "nav/page", "nav/page/in"])
        }
        let (test, root) = try launch(archive, aliases: ["MadeObject"])
        #expect(test.unrestored == [])
        #expect(root.children.last?.value == 1)
        #expect(root.children.last?.children[0].value == 2)
    }

    @Test
    func `R5 and R16: an alias also restores a renamed class whose object the delegate returns`()
        throws
    {
        var old = ClassRegistry()
        old.register(OtherObject.self, as: "Page")
        let saved = try TestScene.launched(
            TestObject("nav", [OtherObject("page", value: 1)]), classes: old)
        saved.save()
        let archive = saved.archive
        func launch(_ classes: ClassRegistry) throws -> (TestScene, TestObject) {
            let page = RenamedObject(nil)
            let root = TestObject("nav")
            let test = try TestScene.launched(root, archive: archive, classes: classes) {
                $0.finding = { path, _ in path.components.count == 2 ? page : nil }
            }
            test.save()
            return (test, page)
        }
        let (missing, _) = try launch(ClassRegistry())
        #expect(missing.unrestored == ["nav/page: class-missing"])
        var classes = ClassRegistry()
        classes.register(RenamedObject.self, aliases: ["Page"])
        let (found, page) = try launch(classes)
        #expect(found.unrestored == [])
        #expect(page.value == 1)
    }
}
