import StateRecords
import StateRestoration
import Testing

/// Objects of a saved scene that are read without a launch.
@Suite struct SavedObjectTests {
    private func saved() throws -> MemoryArchive {
        let page = TestObject("page", value: 4, [TestObject("in", value: 5)])
        let test = try TestScene.launched(TestObject("nav", [page, TestObject("after")]))
        test.save()
        return test.archive
    }

    @Test func `an object is found at its path, with its class, values and descendants`() throws {
        let archive = try saved()
        let scene = try #require(archive.savedScene)
        let names = NameTable(archive.names)
        let page = try #require(scene.object(at: "nav/page", names: names))
        #expect(page.classToken == "TestObject")
        #expect(page.descendantCount == 1)
        #expect(try page.decoder.decode(Int.self, forKey: "value") == 4)
        for path in ["", "page", "nav/none", "nav/page/"] {
            let isFound = scene.object(at: path, names: names) != nil
            #expect(!isFound, "\(path)")
        }
    }

    @Test func `an object without the record of its parent is not found`() throws {
        let archive = try saved()
        let scene = try #require(archive.savedScene).changed {
            $0.removeAll { $0.header.identifier == "page" }
        }
        let names = NameTable(archive.names)
        for (path, isExpected) in [("nav/after", true), ("in", false), ("nav/page/in", false)] {
            let isFound = scene.object(at: path, names: names) != nil
            #expect(isFound == isExpected, "\(path)")
        }
    }
}
