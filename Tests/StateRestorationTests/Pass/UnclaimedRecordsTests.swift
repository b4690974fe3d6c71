import StateRecords
import StateRestoration
import Testing

/// An object that counts how often its node is read.
private final class CountedObject: StateRestoring {
    private let node = RestorationNode()
    private(set) var nodeReads = 0
    weak var parent: TestObject?
    let restorationKind = RestorationKind.viewController

    var restoration: RestorationNode {
        nodeReads += 1
        return node
    }

    var restorationParent: (any StateRestoring)? { parent }
}

/// An object above a ``CountedObject``.
private final class CountedParent: TestObject {
    let counted = CountedObject()

    override func forEachRestorationChild(_ body: (any StateRestoring) -> Void) { body(counted) }
}

@Suite struct UnclaimedRecordsTests {
    @Test
    func
        `R16: a record that was not assigned stays in the archive until a later launch restores it`()
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

    @Test
    func `R16: a new object takes over the number of an unclaimed record and the records below it`()
        throws
    {
        let first = try TestScene.launched(
            TestObject("nav", [TestObject("page", value: 1, [TestObject("in", value: 2)])]))
        first.save()
        let number = first.archive.number(at: "nav/page")
        let root = TestObject("nav")
        let second = try TestScene.launched(root, archive: first.archive)
        second.save()
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

    @Test(arguments: [true, false])
    func `R16: an object that moves to an unclaimed record's path keeps the records below it`(
        isChildLive: Bool
    ) throws {
        func parts(_ value: Int, _ only: RestorationIdentifier) -> [TestObject] {
            ["in", only].map { TestObject($0, value: value, [TestObject("deep")]) }
        }
        let first = try TestScene.launched(
            TestObject(
                "nav",
                [
                    TestObject("page", parts(1, "only-1")),
                    TestObject("other", parts(2, "only-2")),
                ]))
        first.save()
        let page = TestObject("page", isChildLive ? [TestObject("in", [TestObject("deep")])] : [])
        let second = try TestScene.launched(
            TestObject("nav", [page]), archive: first.archive)
        second.save()
        #expect(first.archive.paths.count == 11)
        page.restoration.identifier = "other"
        second.save()
        let paths = ["in", "in/deep", "only-1", "only-1/deep", "only-2", "only-2/deep"]
        #expect(first.archive.paths == ["nav", "nav/other"] + paths.map { "nav/other/\($0)" })
        for (name, value) in [("in", 1), ("only-1", 1), ("only-2", 2)] {
            let values = try first.archive.values(at: "nav/other/\(name)")
            #expect(values["value"] == .integer(Int64(value)))
        }
        second.save(isFull: true)
        #expect(first.archive.paths.count == 8)
    }

    @Test(arguments: [true, false])
    func `R16: an object that leaves does not keep an unclaimed record from its position`(
        isRenamed: Bool
    ) throws {
        let first = try TestScene.launched(
            TestObject(
                "nav",
                [
                    TestObject("page", [TestObject("in", value: 1)]),
                    TestObject("other", [TestObject("in", value: 2)]),
                ]))
        first.save()
        let child = TestObject("in")
        let page = TestObject("page", [child])
        let second = try TestScene.launched(TestObject("nav", [page]), archive: first.archive)
        second.save()
        page.restoration.identifier = "other"
        if isRenamed { child.restoration.identifier = "renamed" } else { child.leave() }
        second.save()
        #expect(try first.archive.values(at: "nav/other/in")["value"] == .integer(2))
        let renamedPaths = isRenamed ? ["nav/other/renamed"] : []
        #expect(first.archive.paths == ["nav", "nav/other", "nav/other/in"] + renamedPaths)
    }

    @Test func `L6: refused state is not offered again`() throws {
        let first = try TestScene.launched(
            TestObject("nav", value: 1, [TestObject("page", value: 2)]))
        first.save()
        let second = TestScene(
            TestDelegate(TestObject("nav", value: 3)), archive: first.archive)
        second.delegate.restores = false
        try second.launch()
        second.save()
        #expect(try first.archive.contents() == ["nav TestObject value=integer(3)"])
    }

    @Test func `L6: every root of a refused state is removed once`() throws {
        let root = TestObject("nav", value: 1)
        root.reference = TestObject("orphan", value: 2)
        let first = try TestScene.launched(root)
        first.save()
        #expect(first.archive.paths == ["nav", "orphan"])
        let second = TestScene(TestDelegate(TestObject("other")), archive: first.archive)
        second.delegate.restores = false
        try second.launch()
        #expect(second.save()?.removals.count == 2)
        #expect(first.archive.paths == ["other"])
        #expect(!second.scene.needsPass)
        #expect(second.save(isFull: true)?.isEmpty == true)
    }

    @Test
    func `R16: state that could not be restored is kept until the object at its path changes`()
        throws
    {
        let first = try TestScene.launched(TestObject("nav", [OtherObject("page", value: 1)]))
        first.save()
        let saved = try first.archive.contents()
        let root = TestObject("nav", [TestObject("page", value: 2)])
        let second = try TestScene.launched(root, archive: first.archive)
        #expect(second.unrestored == ["nav/page: class-missing"])
        second.save()
        #expect(try first.archive.contents() == saved)
        second.save(isFull: true)
        #expect(try first.archive.contents() == saved)
        #expect(try first.archive.sceneValues()["@unclaimed"] != nil)
        root.children[0].change(to: 3)
        second.save()
        #expect(try first.archive.values(at: "nav/page") == ["value": .integer(3)])
        #expect(try first.archive.sceneValues()["@unclaimed"] == nil)
    }

    @Test
    func `R5 and R16: an alias restores a renamed class even if an object exists at its path`()
        throws
    {
        let archive = MemoryArchive()
        func launched(as token: String, aliases: [String] = [], value: Int?) throws -> TestScene {
            var classes = ClassRegistry()
            classes.register(OtherObject.self, as: token, aliases: aliases)
            let page = OtherObject("page", value: value, [TestObject("in", value: value)])
            let root = TestObject("nav", value: value, [page, TestObject("other", value: value)])
            let test = try TestScene.launched(root, archive: archive, classes: classes)
            test.save()
            return test
        }
        _ = try launched(as: "OldName", value: 1)
        for _ in 1...3 {
            let without = try launched(as: "NewName", value: nil)
            #expect(
                without.unrestored == ["nav/page: class-missing", "nav/page/in: parent-dropped"])
            #expect(without.delegate.root?.children[1].value == 1)
        }
        let with = try launched(as: "NewName", aliases: ["OldName"], value: nil)
        #expect(with.unrestored == [])
        #expect(with.delegate.root?.children[0].value == 1)
        #expect(with.delegate.root?.children[0].children[0].value == 1)
    }

    @Test func `R16: an object that a launch created keeps its record when it is linked later`()
        throws
    {
        let (second, root, made) = try TestScene.launchedWithUnlinkedPage()
        second.save()
        #expect(second.archive.paths == ["nav", "nav/page", "nav/page/in"])
        root.add(made)
        second.save()
        #expect(second.archive.paths == ["nav", "nav/page", "nav/page/in"])
        made.children[0].change(to: 5)
        made.add(TestObject("new"))
        second.save()
        #expect(second.archive.paths == ["nav", "nav/page", "nav/page/in", "nav/page/new"])
        #expect(try second.archive.values(at: "nav/page/in")["value"] == .integer(5))
        #expect(second.save(isFull: true)?.isEmpty == true)
    }

    @Test(arguments: [true, false])
    func `R16: the record of an object that a launch created is unclaimed until it is saved`(
        isLinkedBeforeFirstPass: Bool
    ) throws {
        let (second, root, made) = try TestScene.launchedWithUnlinkedPage()
        #expect(second.scene.records.unclaimedRecordCount == 2)
        if !isLinkedBeforeFirstPass {
            second.save()
            #expect(second.scene.records.unclaimedRecordCount == 2)
        }
        root.add(made)
        second.save()
        #expect(second.scene.records.unclaimedRecordCount == 0)
        #expect(second.archive.paths == ["nav", "nav/page", "nav/page/in"])
    }

    @Test func `R16: an object added below a kept record waits, and a change to it saves both`()
        throws
    {
        let first = try TestScene.launched(
            TestObject(
                "nav", value: 1,
                [
                    OtherObject("page", value: 2, [TestObject("field", value: 3)])
                ]))
        first.save()
        let saved = try first.archive.contents()
        // The page has another class now, and creates its field when its view loads.
        let page = TestObject("page")
        let second = try TestScene.launched(TestObject("nav", [page]), archive: first.archive)
        second.save()
        let field = TestObject("field")
        page.loading = { [unowned page] in
            page.loading = nil
            page.add(field)
            page.invalidateRestorableState()
        }
        #expect(TreeSurvey(second.scene).object(at: "nav/page/field") === field)
        second.save()
        #expect(try first.archive.contents() == saved)
        field.change(to: 7)
        second.save()
        #expect(
            try first.archive.contents() == [
                "nav TestObject value=integer(1)", "nav/page TestObject ",
                "nav/page/field TestObject value=integer(7)",
            ])
        #expect(second.save(isFull: true)?.isEmpty == true)
    }

    @Test func `R16: adding a changed object below a kept record saves both at once`() throws {
        let first = try TestScene.launched(
            TestObject("nav", [OtherObject("page", value: 2, [TestObject("field", value: 3)])]))
        first.save()
        let page = TestObject("page")
        let second = try TestScene.launched(TestObject("nav", [page]), archive: first.archive)
        second.save()
        let field = TestObject("field")
        page.add(field)
        field.change(to: 7)
        second.save()
        #expect(
            try first.archive.contents() == [
                "nav TestObject ", "nav/page TestObject ",
                "nav/page/field TestObject value=integer(7)",
            ])
    }

    @Test func `R16: retained state is not replaced because children have equal identifiers`()
        throws
    {
        func tree(value: Int?) -> TestObject {
            let root = TestObject("nav", value: value, [TestObject("page"), TestObject("page")])
            root.allowsDuplicateChildIdentifiers = true
            return root
        }
        let first = try TestScene.launched(tree(value: 1))
        first.save()
        #expect(first.archive.paths == ["nav", "nav/page", "nav/page~2"])
        let root = tree(value: nil)
        root.decoding = { _ in throw Refusal() }
        let second = try TestScene.launched(root, archive: first.archive)
        #expect(second.unrestored == ["nav: decode-failed"])
        root.value = 9
        for _ in 1...3 {
            second.save(isFull: true)
            #expect(try first.archive.values(at: "nav")["value"] == .integer(1))
        }
        // A child with a new identifier is a change below the object.
        root.children[0].restoration.identifier = "other"
        second.save()
        #expect(first.archive.paths == ["nav", "nav/other", "nav/page"])
        #expect(try first.archive.values(at: "nav")["value"] == .integer(9))
    }

    @Test func `R16: unclaimed records move with their ancestor to another scene`()
        throws
    {
        let first = try TestScene.launched(
            TestObject(
                "nav", [TestObject("page", [TestObject("in", value: 2, [TestObject("deep")])])]))
        first.save()
        let archive = first.archive
        let numbers = [archive.number(at: "nav/page/in"), archive.number(at: "nav/page/in/deep")]
        let page = TestObject("page")
        let second = try TestScene.launched(TestObject("nav", [page]), archive: archive)
        second.save()
        let otherRoot = TestObject("other")
        let other = Scene(
            name: "other", launchReason: .pristine, delegate: TestDelegate(otherRoot),
            classes: ClassRegistry(),
            records: SceneRecords(
                names: second.scene.records.names, numbering: second.scene.records.numbering))
        try other.launch(restoring: nil)
        func saveBoth() throws {
            archive.write(try #require(other.preserve(.test, .everything())))
            second.save(isFull: true)
        }
        try saveBoth()
        otherRoot.add(page)
        try saveBoth()
        let paths = ["nav", "other", "other/page", "other/page/in", "other/page/in/deep"]
        #expect(archive.paths == paths)
        page.add(TestObject("in", value: 8, [TestObject("deep")]))
        try saveBoth()
        #expect(archive.paths == paths)
        #expect(
            [archive.number(at: "other/page/in"), archive.number(at: "other/page/in/deep")]
                == numbers)
        #expect(try archive.values(at: "other/page/in")["value"] == .integer(8))
    }

    @Test func `R16: retained state below an object that moves to another scene is replaced`()
        throws
    {
        let first = try TestScene.launched(
            TestObject("nav", [TestObject("page", [TestObject("in", value: 1)])]))
        first.save()
        let archive = first.archive
        let inner = TestObject("in")
        inner.decoding = { _ in throw Refusal() }
        let page = TestObject("page", [inner])
        let second = try TestScene.launched(TestObject("nav", [page]), archive: archive)
        #expect(second.unrestored == ["nav/page/in: decode-failed"])
        inner.value = 9
        second.save()
        #expect(try archive.values(at: "nav/page/in")["value"] == .integer(1))
        let otherRoot = TestObject("other")
        let other = Scene(
            name: "other", launchReason: .pristine, delegate: TestDelegate(otherRoot),
            classes: ClassRegistry(),
            records: SceneRecords(
                names: second.scene.records.names, numbering: second.scene.records.numbering))
        try other.launch(restoring: nil)
        archive.write(try #require(other.preserve(.test)))
        otherRoot.add(page)
        archive.write(try #require(other.preserve(.test)))
        second.save()
        #expect(archive.paths == ["nav", "other", "other/page", "other/page/in"])
        #expect(try archive.values(at: "other/page/in")["value"] == .integer(9))
        let fullPass = try #require(other.preserve(.test, .everything()))
        #expect(fullPass.missedInvalidationCount == 0)
        #expect(fullPass.isEmpty)
    }

    @Test func `R16: an object whose record an ended scene kept is saved by its next scene`()
        throws
    {
        let first = try TestScene.launched(TestObject("nav", [OtherObject("page", value: 1)]))
        first.save()
        let page = TestObject("page", value: 2)
        let second = try TestScene.launched(TestObject("nav", [page]), archive: first.archive)
        second.save()
        #expect(try first.archive.values(at: "nav/page")["value"] == .integer(1))
        second.scene.records.resetNodes()
        page.leave()
        let third = try TestScene.launched(TestObject("nav", [page]))
        third.save()
        #expect(try third.archive.values(at: "nav/page")["value"] == .integer(2))
    }

    @Test func `R16: an object that only an unrestored object refers to keeps its record`() throws {
        func tree(throwing: Bool) -> TestObject {
            let below = TestObject("below", value: throwing ? nil : 5)
            let orphan = TestObject("orphan", value: throwing ? nil : 4, [below])
            let root = TestObject("nav", [TestObject("page"), TestObject(nil, [orphan])])
            if throwing {
                root.children[0].decoding = { _ in throw Refusal() }
                root.children[0].reference = nil
            } else {
                root.children[0].reference = orphan
            }
            return root
        }
        let first = try TestScene.launched(tree(throwing: false))
        first.save()
        #expect(first.archive.paths == ["nav", "nav/page", "orphan", "orphan/below"])
        let second = try TestScene.launched(tree(throwing: true), archive: first.archive)
        second.delegate.root?.children[0].reference = nil
        second.save()
        second.save(isFull: true)
        #expect(first.archive.paths == ["nav", "nav/page", "orphan", "orphan/below"])
        #expect(try first.archive.values(at: "orphan")["value"] == .integer(4))
        #expect(try first.archive.values(at: "orphan/below")["value"] == .integer(5))
    }

    @Test
    func `R16: a launch retains an object once, however often unrestored objects refer to it`()
        throws
    {
        func tree() -> (root: TestObject, orphan: CountedParent) {
            let orphan = CountedParent("orphan")
            orphan.counted.parent = orphan
            orphan.counted.restoration.identifier = "below"
            return (TestObject("nav", [TestObject("page"), TestObject(nil, [orphan])]), orphan)
        }
        func nodeReads(references: Int) throws -> Int {
            let (root, orphan) = tree()
            let targets: [any StateRestoring] = [orphan.counted, orphan]
            root.children[0].encoding = {
                $0.encode((0..<references).flatMap { _ in targets }, forKey: "others")
            }
            let first = try TestScene.launched(root)
            first.save()
            let next = tree()
            next.root.children[0].decoding = { _ in throw Refusal() }
            let second = try TestScene.launched(next.root, archive: first.archive)
            let nodeReads = next.orphan.counted.nodeReads
            second.save()
            #expect(first.archive.paths == ["nav", "nav/page", "orphan", "orphan/below"])
            return nodeReads
        }
        #expect(try nodeReads(references: 1000) == nodeReads(references: 1))
    }

    @Test func `record numbers are never reused`() throws {
        let first = try TestScene.launched(TestObject("nav", [TestObject("page")]))
        first.save()
        let used = Set(first.archive.records.keys)
        let root = TestObject("nav", [TestObject("new")])
        let second = try TestScene.launched(root, archive: first.archive)
        second.save()
        let new = try #require(first.archive.number(at: "nav/new"))
        #expect(!used.contains(new))
    }

    @Test func `R16: an object that a storyboard created and nothing linked stays in the archive`()
        throws
    {
        let origin = StoryboardOrigin(name: "Main", identifier: "nav")
        func navigation(value: Int?) -> TestObject {
            let navigation = TestObject(
                "nav", value: value, [TestObject("page", value: value.map { $0 + 1 })])
            navigation.restoration.storyboard = origin
            return navigation
        }
        let saved = try TestScene.launched(navigation(value: 1))
        saved.save()
        // The scene has another root. The storyboard creates the recorded root, but no object contains it.
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

    @Test
    func `R16: an object created but not linked by ten launches is removed by the next launch`()
        throws
    {
        let origin = StoryboardOrigin(name: "Main", identifier: "nav")
        func navigation(value: Int?) -> TestObject {
            let navigation = TestObject("nav", value: value)
            navigation.restoration.storyboard = origin
            return navigation
        }
        let saved = try TestScene.launched(navigation(value: 1))
        saved.save()
        let storyboard = TestStoryboard(makers: [origin: { navigation(value: nil) }])
        for launch in 1...11 {
            let other = try TestScene.launched(
                TestObject("other"), archive: saved.archive, storyboards: storyboard)
            other.save()
            #expect(saved.archive.paths.contains("nav") == (launch <= 10), "launch \(launch)")
        }
    }

    /// Launches and saves a scene that does not contain `nav/page`.
    private func launchWithout(_ archive: MemoryArchive) throws -> RestorationReport {
        let test = try TestScene.launched(TestObject("nav"), archive: archive)
        test.save()
        return test.report
    }

    @Test func `R16: a record that ten launches could not assign is removed by the next launch`()
        throws
    {
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
        #expect(last.hasUnassignedRecords)
        #expect(last.unrestored.map(\.path) == ["nav/page", "nav/page/in"])
        #expect(archive.paths == ["nav"])
        let after = try launchWithout(archive)
        #expect(after.recorded == 1)
        #expect(!after.hasUnassignedRecords)
    }

    @Test func `R16: an unassigned record counts as repeated from the second launch on`()
        throws
    {
        let saved = try TestScene.launched(
            TestObject("nav", [TestObject("page", [TestObject("in")])]))
        saved.save()
        for isRepeated in [false, true, true] {
            let report = try launchWithout(saved.archive)
            #expect(report.unrestored.map(\.path) == ["nav/page", "nav/page/in"])
            #expect(report.unrestored.map(\.isRepeated) == [isRepeated, isRepeated])
        }
    }

    @Test
    func
        `R16: an unclaimed record is removed with the object above it, and the removal is reported`()
        throws
    {
        let first = try TestScene.launched(
            TestObject("nav", [TestObject("page", [TestObject("in")]), TestObject("other")]))
        first.save()
        let (page, other) = (TestObject("page"), TestObject("other"))
        let second = try TestScene.launched(
            TestObject("nav", [page, other]), archive: first.archive)
        #expect(second.save()?.diagnostics == [])
        other.leave()
        #expect(second.save()?.diagnostics == [])
        #expect(first.archive.paths == ["nav", "nav/page", "nav/page/in"])
        page.leave()
        #expect(
            second.save()?.diagnostics == [
                .unclaimedRemoved(path: RestorationPath(["nav", "page"]), identifiers: ["in"])
            ])
        #expect(first.archive.paths == ["nav"])
    }

    @Test func `R16: the report about removed unclaimed records contains a lost identifier`()
        throws
    {
        let first = try TestScene.launched(
            TestObject("nav", [TestObject("page", [TestObject("in")])]))
        first.save()
        let page = TestObject("page")
        let second = try TestScene.launched(TestObject("nav", [page]), archive: first.archive)
        second.save()
        page.restoration.identifier = nil
        #expect(
            second.save()?.diagnostics == [
                .unclaimedRemoved(path: RestorationPath(["nav", "page"]), identifiers: ["in"])
            ])
        #expect(first.archive.paths == ["nav"])
    }

    @Test func `R16: a record is still offered after nine launches that could not assign it`()
        throws
    {
        let saved = try TestScene.launched(TestObject("nav", [TestObject("page", value: 1)]))
        saved.save()
        for _ in 1...9 { _ = try launchWithout(saved.archive) }
        let root = TestObject("nav", [TestObject("page")])
        let test = try TestScene.launched(root, archive: saved.archive)
        #expect(root.children[0].value == 1)
        #expect(!test.report.hasUnassignedRecords)
    }

    @Test func `R16: launches without its parent do not count for a record`() throws {
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
    func `R16: invalid launch counts in an archive are clamped`(launches: Int) throws {
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
        var records = scene.records.objects
        records[0].values = writer.bytes[...]
        scene = SavedScene(RecordList(records), timestamp: 0)
        let counted = scene.reservedState(names: NameTable(names)).unclaimedFailedLaunchCounts
        #expect(counted.map(\.value) == [launches > 0 ? 10 : 0])
        let live = Scene(
            name: "main", launchReason: .restore, delegate: TestDelegate(TestObject("nav")),
            classes: ClassRegistry(),
            records: SceneRecords(
                names: NameTable(names), numbering: RecordNumberGenerator(after: 100)))
        try live.launch(restoring: scene)
        #expect(live.report.unrestored.map(\.path) == ["nav/page"])
        #expect(live.report.expired == (launches > 0 ? ["nav/page"] : []))
    }
}
