import StateRestoration
import Testing

@Suite struct UnclaimedTests {
    @Test func `R16: what was not placed stays in the archive, and is found by a later launch`()
        throws
    {
        let first = try TestScene.launched(
            TestObject("nav", [TestObject("page", value: 1, [TestObject("in", value: 2)])]))
        first.save()
        let second = try TestScene.launched(TestObject("nav", value: 5), archive: first.archive)
        second.save()
        #expect(first.archive.paths == ["nav", "nav/page", "nav/page/in"])
        let root = TestObject("nav", [TestObject("page", [TestObject("in")])])
        let third = try TestScene.launched(root, archive: first.archive)
        #expect(third.unrestored == [])
        #expect(root.children[0].children[0].value == 2)
    }

    @Test func `R16: who is saved at its path takes the number over, and what lies below it`()
        throws
    {
        let first = try TestScene.launched(
            TestObject("nav", [TestObject("page", value: 1, [TestObject("in", value: 2)])]))
        first.save()
        let number = first.archive.number(at: "nav/page")
        let root = TestObject("nav")
        let second = try TestScene.launched(root, archive: first.archive)
        root.add(TestObject("page", value: 7))
        second.save()
        #expect(first.archive.number(at: "nav/page") == number)
        #expect(try first.archive.values(at: "nav/page") == ["value": .integer(7)])
        #expect(first.archive.paths == ["nav", "nav/page", "nav/page/in"])
        root.children[0].add(TestObject("in", value: 8))
        second.save()
        #expect(try first.archive.values(at: "nav/page/in") == ["value": .integer(8)])
        #expect(first.archive.paths.count == 3)
    }

    @Test func `a refused state is taken over by what is saved anew`() throws {
        let first = try TestScene.launched(
            TestObject("nav", value: 1, [TestObject("page", value: 2)]))
        first.save()
        let second = TestScene(
            TestDelegate(TestObject("nav", value: 3)), archive: first.archive)
        second.delegate.restores = false
        try second.launch()
        second.save()
        #expect(
            try first.archive.contents() == [
                "nav TestObject value=integer(3)", "nav/page TestObject value=integer(2)",
            ])
    }

    @Test func `an orphan takes over what an orphan left`() throws {
        let root = TestObject("nav")
        let orphan = TestObject("leaf", value: 1, [TestObject("in", value: 2)])
        root.reference = orphan
        let first = try TestScene.launched(root)
        first.save()
        let next = TestObject("nav", [TestObject(nil)])
        let second = try TestScene.launched(next, archive: first.archive)
        #expect(second.unrestored == ["leaf: no-object", "leaf/in: parent-dropped"])
        next.children[0].add(TestObject("leaf", value: 3))
        next.reference = next.children[0].children[0]
        second.save()
        #expect(first.archive.paths == ["leaf", "leaf/in", "nav"])
        #expect(try first.archive.values(at: "leaf") == ["value": .integer(3)])
    }

    @Test func `an object of another class takes the record over`() throws {
        let first = try TestScene.launched(TestObject("nav", [OtherObject("page", value: 1)]))
        first.save()
        let second = try TestScene.launched(
            TestObject("nav", [TestObject("page", value: 2)]), archive: first.archive)
        second.save()
        #expect(
            try first.archive.contents() == [
                "nav TestObject ", "nav/page TestObject value=integer(2)",
            ])
    }

    @Test func `numbers are never given out twice`() throws {
        let first = try TestScene.launched(TestObject("nav", [TestObject("page")]))
        first.save()
        let used = Set(first.archive.records.keys)
        let root = TestObject("nav", [TestObject("new")])
        let second = try TestScene.launched(root, archive: first.archive)
        second.save()
        let new = try #require(first.archive.number(at: "nav/new"))
        #expect(!used.contains(new))
    }

    @Test func `R16: what a storyboard made and nothing linked stays in the archive`() throws {
        let origin = StoryboardOrigin(name: "Main", identifier: "nav")
        func navigation(value: Int?) -> TestObject {
            let navigation = TestObject(
                "nav", value: value, [TestObject("page", value: value.map { $0 + 1 })])
            navigation.restoration.storyboard = origin
            return navigation
        }
        let saved = try TestScene.launched(navigation(value: 1))
        saved.save()
        // Another root: the storyboard makes the recorded one, and nobody takes it in.
        let storyboard = TestStoryboard(makers: [origin: { navigation(value: nil) }])
        let other = try TestScene.launched(
            TestObject("other"), archive: saved.archive, storyboards: storyboard)
        other.save()
        #expect(saved.archive.paths.contains("nav/page"))
        let found = navigation(value: nil)
        let again = try TestScene.launched(found, archive: saved.archive)
        #expect(found.value == 1)
        #expect(found.children[0].value == 2)
        again.save()
        #expect(saved.archive.paths.contains("nav/page"))
    }

    /// Launches and saves a scene that does not place `nav/page`.
    private func launchWithout(_ archive: MemoryArchive) throws -> RestorationReport {
        let test = try TestScene.launched(TestObject("nav"), archive: archive)
        test.save()
        return test.report
    }

    @Test func `R16: a record that ten launches could not place goes at the next`() throws {
        let saved = try TestScene.launched(
            TestObject("nav", [TestObject("page", value: 1, [TestObject("in", value: 2)])]))
        saved.save()
        let archive = saved.archive
        for _ in 1...10 {
            let report = try launchWithout(archive)
            #expect(report.unclaimed == 2)
            #expect(report.expired == [])
            #expect(archive.paths == ["nav", "nav/page", "nav/page/in"])
        }
        let last = try launchWithout(archive)
        #expect(last.expired == ["nav/page"])
        #expect(last.unclaimed == 0)
        #expect(last.isAnythingUnplaced)
        #expect(last.unrestored.map(\.path) == ["nav/page", "nav/page/in"])
        #expect(archive.paths == ["nav"])
        let after = try launchWithout(archive)
        #expect(after.recorded == 1)
        #expect(!after.isAnythingUnplaced)
    }

    @Test func `R16: after nine such launches it is still offered`() throws {
        let saved = try TestScene.launched(TestObject("nav", [TestObject("page", value: 1)]))
        saved.save()
        for _ in 1...9 { _ = try launchWithout(saved.archive) }
        let root = TestObject("nav", [TestObject("page")])
        let test = try TestScene.launched(root, archive: saved.archive)
        #expect(root.children[0].value == 1)
        #expect(!test.report.isAnythingUnplaced)
    }

    @Test func `R16: what lies below a record that was not placed is not counted`() throws {
        let saved = try TestScene.launched(
            TestObject("nav", [TestObject("page", value: 1, [TestObject("in", value: 2)])]))
        saved.save()
        for _ in 1...10 { _ = try launchWithout(saved.archive) }
        for _ in 1...10 {
            let test = try TestScene.launched(
                TestObject("nav", [TestObject("page")]), archive: saved.archive)
            test.save()
            #expect(test.unrestored == ["nav/page/in: no-object"])
            #expect(test.report.expired == [])
        }
    }

    @Test(arguments: [-5, 9_000_000_000_000_000_000])
    func `R16: an archive that counts nonsense harms nothing`(launches: Int) throws {
        let saved = try TestScene.launched(TestObject("nav", [TestObject("page", value: 1)]))
        saved.save()
        let number = try #require(saved.archive.number(at: "nav/page"))
        var scene = try #require(saved.archive.savedScene)
        var names = saved.archive.names
        names[9_000] = "@unclaimed"
        var writer = ValueWriter()
        writer.writeVarint(9_000)
        writer.write(.array)
        writer.writeVarint(1)
        writer.write(.array)
        writer.writeVarint(2)
        for value in [Int64(number), Int64(launches)] {
            writer.write(.integer)
            writer.writeZigzag(value)
        }
        scene.values = writer.bytes[...]
        let live = Scene(
            name: "main", launchReason: .restore, delegate: TestDelegate(TestObject("nav")),
            classes: ClassRegistry(),
            records: SceneRecords(
                names: NameTable(names), numbering: RecordNumbering(after: 100)))
        try live.launch(restoring: scene)
        #expect(live.report.unrestored.map(\.path) == ["nav/page"])
        #expect(live.report.expired == (launches > 0 ? ["nav/page"] : []))
    }
}
