import StateRecords
import StateRestoration
import Testing

@Suite struct MissedInvalidationScanTests {
    /// Returns a launched and saved scene whose passes can read saved values.
    private func launch(_ root: TestObject) throws -> TestScene {
        let test = try TestScene.launched(root)
        let archive = test.archive
        test.scene.records.savedValues = { number in
            archive.records[number.rawValue].map {
                SavedValues($0.values, outOfLine: $0.outOfLine.map(\.bytes))
            }
        }
        test.save()
        return test
    }

    private func tree(_ count: Int) -> TestObject {
        TestObject(
            "root",
            (0..<count).map { TestObject(RestorationIdentifier(recorded: "child\($0)"), value: $0) }
        )
    }

    @Test func `P20: a missed invalidation is saved and reported with its path and keys`()
        throws
    {
        let root = tree(3)
        let test = try launch(root)
        root.children[1].value = 7
        root.children[2].change(to: 8)
        test.scene.markNeedsFullScan()
        test.save()
        #expect(try test.archive.values(at: "root/child1")["value"] == .integer(1))
        let pass = try #require(test.save(.slice(10)))
        #expect(try test.archive.values(at: "root/child1")["value"] == .integer(7))
        #expect(pass.objects.count == 1)
        #expect(pass.missedInvalidationCount == 1)
        #expect(
            pass.sentences == [
                "root/child1 changed \"value\" without having been invalidated, and the change was "
                    + "found and saved only now: call invalidateRestorableState() where the object changes"
            ])
    }

    @Test func `P20: objects are rechecked in slices, each object once`() throws {
        let root = tree(9)
        let test = try launch(root)
        test.scene.markNeedsFullScan()
        #expect(test.save(.slice(4))?.encodedObjectCount == 4)
        #expect(test.save(.slice(4))?.encodedObjectCount == 4)
        #expect(!test.scene.isFullyScanned)
        #expect(test.save(.slice(4))?.encodedObjectCount == 2)
        #expect(test.scene.isFullyScanned)
        #expect(test.save(.slice(4)) == nil)
        #expect(([root] + root.children).allSatisfy { $0.encodings == 2 })
    }

    @Test
    func `P20: code that runs during a recheck causes every object to be rechecked once more`()
        throws
    {
        let root = tree(3)
        let test = try launch(root)
        test.scene.markNeedsFullScan()
        #expect(test.save(.slice(2))?.encodedObjectCount == 2)
        root.value = 5
        test.scene.markNeedsFullScan()
        #expect(test.save(.slice(2))?.encodedObjectCount == 2)
        #expect(!test.scene.isFullyScanned)
        #expect(test.save(.slice(4))?.encodedObjectCount == 4)
        #expect(test.scene.isFullyScanned)
        #expect(try test.archive.values(at: "root")["value"] == .integer(5))
    }

    @Test func `P20: a full pass rechecks every object and reports missed invalidations`() throws {
        let root = tree(2)
        let test = try launch(root)
        test.scene.markNeedsFullScan()
        root.children[0].value = 7
        root.children[1].change(to: 7)
        let pass = try #require(test.save(isFull: true))
        #expect(pass.missedInvalidationCount == 1)
        #expect(pass.sentences.count == 1)
        #expect(test.scene.isFullyScanned)
    }

    @Test func `P16 and P20: a recheck that finds no changes writes nothing`() throws {
        let test = try launch(tree(2))
        test.scene.markNeedsFullScan()
        let pass = try #require(test.save(.slice(10)))
        #expect(pass.isEmpty)
        #expect(pass.sentences.isEmpty)
        #expect(!test.scene.needsPass)
    }

    @Test func `P20: objects added or removed during a recheck are not missed invalidations`()
        throws
    {
        let root = tree(4)
        let test = try launch(root)
        test.scene.markNeedsFullScan()
        #expect(test.save(.slice(2))?.encodedObjectCount == 2)
        root.children[3].leave()
        root.add(TestObject("new", value: 1))
        let pass = try #require(test.save(.slice(10)))
        #expect(pass.missedInvalidationCount == 0)
        #expect(
            test.archive.paths == ["root", "root/child0", "root/child1", "root/child2", "root/new"])
    }

    @Test(arguments: [true, false])
    func `P20: an object linked after the launch that created it is not a missed invalidation`(
        isFull: Bool
    ) throws {
        let (second, root, made) = try TestScene.launchedWithUnlinkedPage()
        second.save()
        second.scene.markNeedsFullScan()
        root.add(made)
        let pass = try #require(second.save(isFull ? .everything() : .slice(10)))
        #expect(pass.encodedObjectCount == 3)
        #expect(pass.missedInvalidationCount == 0)
        #expect(pass.diagnostics == [])
        #expect(second.archive.paths == ["nav", "nav/page", "nav/page/in"])
    }

    @Test func `P20: a new object that claims a saved record is not a missed invalidation`() throws
    {
        let first = try TestScene.launched(TestObject("nav", [TestObject("page", value: 1)]))
        first.save()
        let root = TestObject("nav")
        let second = try TestScene.launched(root, archive: first.archive)
        second.save()
        root.add(TestObject("page", value: 7))
        let pass = try #require(second.save(isFull: true))
        #expect(pass.missedInvalidationCount == 0)
        #expect(pass.diagnostics == [])
        #expect(try first.archive.values(at: "nav/page")["value"] == .integer(7))
    }

    @Test func `P20: marked objects that move to another scene are not missed invalidations`()
        throws
    {
        let page = TestObject("page", value: 1, [TestObject("in", value: 1)])
        let test = try launch(TestObject("nav", [page]))
        let otherRoot = TestObject("other")
        let other = Scene(
            name: "other", launchReason: .pristine, delegate: TestDelegate(otherRoot),
            classes: ClassRegistry(),
            records: SceneRecords(
                names: test.scene.records.names, numbering: test.scene.records.numbering))
        try other.launch(restoring: nil)
        test.archive.write(try #require(other.preserve(.test)))
        for object in [page, page.children[0]] { object.change(to: 5) }
        otherRoot.add(page)
        let pass = try #require(other.preserve(.test, .everything()))
        #expect(pass.missedInvalidationCount == 0)
        #expect(pass.diagnostics == [])
        test.archive.write(pass)
        test.save()
        for path in ["other/page", "other/page/in"] {
            #expect(try test.archive.values(at: path)["value"] == .integer(5))
        }
    }

    @Test func `P20: all missed invalidations are counted, and at most 100 are named`() throws {
        let root = tree(150)
        let test = try launch(root)
        for child in root.children { child.value = -1 }
        test.scene.markNeedsFullScan()
        let pass = try #require(test.save(.slice(1000)))
        #expect(pass.missedInvalidationCount == 150)
        #expect(pass.sentences.count == 100)
    }
}
