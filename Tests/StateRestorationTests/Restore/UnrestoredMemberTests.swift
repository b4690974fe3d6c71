import StateRecords
import Testing

@testable import StateRestoration

/// Containers with recorded members that a launch did not restore.
@Suite struct UnrestoredMemberTests {
    private static let origin = StoryboardOrigin(name: "Main", identifier: "b")

    /// Returns an archive with a saved stack of the given members and another object.
    private func saved(_ members: String...) throws -> MemoryArchive {
        let test = try TestScene.launched(tree(members, value: 1))
        test.save()
        return test.archive
    }

    private func tree(_ members: [String], value: Int?) -> TestObject {
        let stack = StackObject("stack")
        for name in members { stack.add(member(name, value: value)) }
        return TestObject("root", [stack, TestObject("other", value: value)])
    }

    private func member(_ name: String, value: Int? = nil) -> TestObject {
        TestObject(RestorationIdentifier(recorded: name), value: value)
    }

    /// Launches a scene that has only the bottom of the stack, changes it, and saves it.
    @discardableResult
    private func launchWithout(
        _ archive: MemoryArchive, value: Int, countsAsAttempt: Bool = true
    ) throws -> TestScene {
        let root = tree(["a"], value: nil)
        let test = TestScene(TestDelegate(root), archive: archive, reason: .restore)
        try test.scene.launch(restoring: archive.savedScene, countsAsAttempt: countsAsAttempt)
        test.save()
        root.children[0].children[0].change(to: value)
        test.save()
        root.children[1].change(to: value)
        test.save(isFull: true)
        return test
    }

    /// Launches a scene whose delegate creates the missing members.
    private func launchWithAll(_ archive: MemoryArchive) throws -> TestScene {
        try TestScene.launched(tree(["a"], value: nil), archive: archive) {
            $0.finding = { path, _ in
                let name = path.components.last?.text ?? ""
                return ["b", "c"].contains(name) ? self.member(name) : nil
            }
        }
    }

    @Test
    func
        `R8 and R16: a stack links its members again when they return after launches without them`()
        throws
    {
        let archive = try saved("a", "b", "c")
        let record = try archive.record(at: "root/stack")
        for value in 2...4 {
            let without = try launchWithout(archive, value: value)
            #expect(
                without.unrestored == ["root/stack/b: no-object", "root/stack/c: stack-cut"])
            #expect(without.report.unclaimed == 2)
            #expect(try archive.record(at: "root/stack").values == record.values)
            #expect(try archive.values(at: "root/stack/a")["value"] == .integer(Int64(value)))
            #expect(try archive.values(at: "root/other")["value"] == .integer(Int64(value)))
        }
        let with = try launchWithAll(archive)
        #expect(with.unrestored == [])
        #expect(with.report.unclaimed == 0)
        let stack = try #require(with.delegate.root?.children[0])
        #expect(stack.children.map(\.label) == ["a", "b", "c"])
        #expect(stack.children.map(\.value) == [4, 1, 1])
        with.save()
        #expect(try archive.sceneValues()["@unclaimed"] == nil)
        #expect(with.save(isFull: true)?.isEmpty == true)
    }

    @Test func `R16: a container that changes itself is saved without its missing members`() throws
    {
        let archive = try saved("a", "b")
        let without = try launchWithout(archive, value: 2)
        let stack = try #require(without.delegate.root?.children[0])
        // The stack is encoded again, but is as the launch created it.
        stack.invalidateRestorableState()
        #expect(without.save()?.isEmpty == true)
        stack.add(member("new", value: 5))
        stack.invalidateRestorableState()
        without.save()
        let path = { (name: RestorationIdentifier) in
            StoredValue.reference(RestorationPath(["root", "stack", name]))
        }
        #expect(
            try archive.values(at: "root/stack")["members"] == .array([path("a"), path("new")]))
        let with = try launchWithAll(archive)
        #expect(with.delegate.root?.children[0].children.map(\.label).contains("b") == false)
    }

    @Test func `R16: a change to a container between its launch and the first pass is saved`()
        throws
    {
        let archive = try saved("a", "b")
        let root = tree(["a"], value: nil)
        let test = try TestScene.launched(root, archive: archive)
        root.children[0].change(to: 9)
        test.save()
        #expect(try archive.values(at: "root/stack")["value"] == .integer(9))
    }

    @Test func `R16: a container keeps its links until the missing members expire`() throws {
        let archive = try saved("a", "b")
        for value in 1...10 {
            let report = try launchWithout(archive, value: value).report
            #expect(report.unclaimed == 1)
            #expect(report.expiring == (value == 10 ? ["root/stack/b"] : []))
        }
        #expect(archive.paths.contains("root/stack/b"))
        let last = try launchWithout(archive, value: 11)
        #expect(last.report.expired == ["root/stack/b"])
        #expect(last.report.expiring == [])
        #expect(
            try archive.values(at: "root/stack")["members"]
                == .array([.reference(RestorationPath(["root", "stack", "a"]))]))
        #expect(archive.paths == ["root", "root/other", "root/stack", "root/stack/a"])
    }

    @Test func `R16: a launch that is not counted does not bring a record closer to its expiry`()
        throws
    {
        let archive = try saved("a", "b")
        for value in 1...20 {
            let report = try launchWithout(archive, value: value, countsAsAttempt: false).report
            #expect(report.unclaimed == 1)
            #expect(report.expired == [])
        }
        for value in 1...10 { try launchWithout(archive, value: value) }
        let reloaded = try launchWithout(archive, value: 11, countsAsAttempt: false)
        #expect(reloaded.report.expiring == ["root/stack/b"])
        #expect(archive.paths.contains("root/stack/b"))
        let with = try launchWithAll(archive)
        #expect(with.delegate.root?.children[0].children.map(\.label) == ["a", "b"])
    }

    @Test
    func
        `R16: a presenter is linked again once the restoration class creates the presented object`()
        throws
    {
        func presenting() -> TestObject { TestObject("root", value: 1) }
        let first = TestScene(TestDelegate(presenting()), classes: .withMadeObject)
        let sheet = MadeObject("sheet", value: 3)
        sheet.restoration.restorationClass = MadeObject.self
        first.delegate.root?.add(sheet)
        first.delegate.root?.reference = sheet
        try first.launch()
        first.save()
        for number in 1...3 {
            let next = try TestScene.launched(
                presenting(), archive: first.archive, classes: .withMadeObject
            ) {
                $0.making = { _, _ in number < 3 ? nil : MadeObject("sheet") }
            }
            next.save(isFull: true)
            #expect(next.report.unclaimed == (number < 3 ? 1 : 0))
            #expect(next.delegate.root?.reference?.value == (number < 3 ? nil : 3))
        }
    }

    @Test func `R16: a member that the storyboard could not create is linked by a later reload`()
        throws
    {
        let root = tree(["a", "b"], value: 1)
        root.children[0].children[1].restoration.storyboard = Self.origin
        let first = try TestScene.launched(root)
        first.save()
        let misspelt = try TestScene.launched(tree(["a"], value: nil), archive: first.archive)
        #expect(misspelt.unrestored == ["root/stack/b: storyboard-missing"])
        misspelt.save()
        misspelt.save(isFull: true)
        let corrected = TestScene(
            TestDelegate(tree(["a"], value: nil)), archive: first.archive, reason: .reload)
        try corrected.scene.launch(
            restoring: first.archive.savedScene,
            storyboards: TestStoryboard(makers: [Self.origin: { self.member("b") }]),
            countsAsAttempt: false)
        #expect(corrected.unrestored == [])
        #expect(corrected.delegate.root?.children[0].children.map(\.value) == [1, 1])
    }

    @Test
    func `R16: an object that only a container with kept links refers to is saved when it changes`()
        throws
    {
        func tree() -> (root: TestObject, orphan: TestObject) {
            let stack = StackObject("stack", [TestObject("a")])
            let orphan = TestObject("orphan")
            stack.reference = orphan
            return (TestObject("root", [stack, TestObject(nil, [orphan])]), orphan)
        }
        let first = tree()
        first.root.children[0].add(TestObject("b"))
        let saved = try TestScene.launched(first.root)
        saved.save()
        let second = tree()
        let test = try TestScene.launched(second.root, archive: saved.archive)
        #expect(test.unrestored == ["root/stack/b: no-object"])
        test.save()
        second.orphan.change(to: 8)
        test.save()
        #expect(try saved.archive.values(at: "orphan")["value"] == .integer(8))
        #expect(test.save(isFull: true)?.isEmpty == true)
    }

    @Test func `R16: an explanation says that a container keeps its links`() throws {
        let archive = try saved("a", "b")
        let without = try launchWithout(archive, value: 2)
        let sentence =
            "Until it changes, its record keeps its references to objects that this launch did not "
            + "restore: a later launch that restores the objects restores the references."
        func story() -> [String] {
            ObjectExplainer(without.scene).explanation(of: "root/stack", passMetadata: .test)
                .sentences
        }
        #expect(story().contains(sentence))
        without.delegate.root?.children[0].change(to: 3)
        without.save()
        #expect(!story().contains(sentence))
    }
}
