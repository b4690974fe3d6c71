import StateRestoration
import TestSupport
import Testing

@Suite struct IncrementalPassTests {
    /// Returns a scene with a root and two pages that was saved once.
    private func saved() throws -> (TestScene, root: TestObject, a: TestObject, b: TestObject) {
        let a = TestObject("a", value: 1)
        let b = TestObject("b", value: 2)
        let root = TestObject("nav", [a, b])
        let test = try TestScene.launched(root)
        test.save()
        return (test, root, a, b)
    }

    /// Returns the contents that a full pass over the same tree in another scene writes.
    private func fullContents(_ root: TestObject) throws -> [String] {
        let test = try TestScene.launched(root.copy())
        test.save()
        return try test.archive.contents()
    }

    @Test func `P14: a pass encodes only marked objects`() throws {
        let (test, root, a, b) = try saved()
        a.change(to: 5)
        let output = try #require(test.save())
        #expect(output.encodedObjectCount == 1)
        #expect(output.objects.count == 1)
        #expect(!output.isFullPass)
        #expect([root.encodings, a.encodings, b.encodings] == [1, 2, 1])
        #expect(try test.archive.contents() == fullContents(root))
    }

    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func `P14: single additions, removals and moves produce the records of a full pass`(
        seed: UInt64
    ) throws {
        let (test, root, a, b) = try saved()
        var numbers = SeededNumbers(seed: seed)
        var all = [root, a, b]
        for step in 0..<15 {
            for part in 0...numbers.below(4) {
                let holder = all[numbers.below(all.count)]
                let leaves = all.dropFirst().filter { $0 !== holder && $0.children.isEmpty }
                switch numbers.below(4) {
                case 0 where !leaves.isEmpty:
                    let leaf = leaves[numbers.below(leaves.count)]
                    leaf.leaveReportingChange()
                    all.removeAll { $0 === leaf }
                case 1 where !leaves.isEmpty:
                    let leaf = leaves[numbers.below(leaves.count)]
                    leaf.leaveReportingChange()
                    holder.addReportingChange(leaf)
                default:
                    let child = TestObject(
                        RestorationIdentifier(recorded: "c\(step)-\(part)"), value: step)
                    holder.addReportingChange(child)
                    all.append(child)
                }
            }
            test.save()
            #expect(try test.archive.contents() == fullContents(root))
        }
        #expect(test.save(isFull: true)?.isEmpty == true)
        #expect(try test.archive.contents() == fullContents(root))
    }

    @Test func `P14: an added object is encoded together with the objects below it`() throws {
        let (test, root, a, b) = try saved()
        root.addReportingChange(TestObject("c", value: 3, [TestObject("d", value: 4)]))
        a.addReportingChange(TestObject(nil, [TestObject("e", value: 5)]))
        let output = try #require(test.save())
        #expect(output.encodedObjectCount == 2)
        #expect([root.encodings, a.encodings, b.encodings] == [1, 1, 1])
        #expect(test.archive.paths == ["nav", "nav/a", "nav/b", "nav/c", "nav/c/d"])
        root.children[2].leaveReportingChange()
        let added = TestObject("f", value: 6)
        root.addReportingChange(added)
        added.leaveReportingChange()
        test.save()
        #expect(test.archive.paths == ["nav", "nav/a", "nav/b"])
        #expect(try test.archive.contents() == fullContents(root))
    }

    @Test func `P14: a pass is needed only if something is marked`() throws {
        let (test, _, a, _) = try saved()
        #expect(!test.scene.needsPass)
        #expect(test.save() == nil)
        a.change(to: 5)
        #expect(test.scene.needsPass)
        test.save()
        #expect(!test.scene.needsPass)
    }

    @Test func `P14: only the first mark after a pass calls onMark`() throws {
        let (test, _, a, b) = try saved()
        var told = 0
        test.scene.records.onPassNeeded = { told += 1 }
        a.change(to: 3)
        a.change(to: 4)
        b.change(to: 4)
        test.scene.invalidateApplicationState()
        #expect(told == 1)
        test.save()
        test.scene.invalidateApplicationState()
        #expect(told == 2)
        test.save()
        a.restoration.invalidateStructure()
        #expect(told == 3)
    }

    @Test func `P2: willEncode runs only if the application-level state was invalidated`() throws {
        let (test, _, a, _) = try saved()
        test.delegate.encoding = { $0.encode(9, forKey: "level") }
        a.change(to: 5)
        test.save()
        #expect(test.delegate.encodings == 1)
        test.scene.invalidateApplicationState()
        #expect(test.save()?.encodedObjectCount == 0)
        #expect(test.delegate.encodings == 2)
        #expect(try test.archive.sceneValues()["level"] == .integer(9))
    }

    @Test func `P16: a pass that finds no changes is empty`() throws {
        let (test, _, a, _) = try saved()
        a.invalidateRestorableState()
        test.scene.invalidateApplicationState()
        #expect(test.save()?.isEmpty == true)
        #expect(test.save(isFull: true)?.isEmpty == true)
    }

    @Test func `P14: an object that was invalidated during its launch can be invalidated again`()
        throws
    {
        let (test, _, _, _) = try saved()
        let page = TestObject("a")
        page.decoding = { [unowned page] _ in page.invalidateRestorableState() }
        let next = try TestScene.launched(
            TestObject("nav", [page, TestObject("b")]), archive: test.archive)
        #expect(next.save()?.isEmpty == true)
        page.change(to: 5)
        #expect(next.scene.needsPass)
        next.save()
        #expect(try next.archive.values(at: "nav/a")["value"] == .integer(5))
    }

    @Test func `P16: a pass right after a restore is empty`() throws {
        let (test, _, _, _) = try saved()
        let next = try TestScene.launched(
            TestObject("nav", [TestObject("a"), TestObject("b")]), archive: test.archive)
        #expect(next.scene.needsPass)
        #expect(next.save()?.isEmpty == true)
        #expect(!next.scene.needsPass)
    }

    @Test func `P14: a pass with a new reference encodes only the referring object and the target`()
        throws
    {
        let (test, root, a, _) = try saved()
        a.reference = TestObject("orphan", value: 7)
        a.invalidateRestorableState()
        let output = try #require(test.save())
        #expect(!output.isFullPass)
        #expect(output.encodedObjectCount == 2)
        #expect(test.archive.paths == ["nav", "nav/a", "nav/b", "orphan"])
        #expect(try test.archive.contents() == fullContents(root))
    }

    @Test
    func `a new reference is saved even next to a reference to an object without an identifier`()
        throws
    {
        let (test, _, a, _) = try saved()
        let new = TestObject("orphan")
        a.encoding = { coder in
            coder.encode(new, forKey: "new")
            coder.encode(TestObject(nil), forKey: "nobody")
        }
        a.invalidateRestorableState()
        let output = try #require(test.save())
        #expect(output.diagnostics.count == 1)
        #expect(
            try test.archive.values(at: "nav/a")["new"] == .reference(RestorationPath(["orphan"])))
    }

    @Test func `a new reference to a preserved object does not cause a full pass`() throws {
        let (test, root, a, b) = try saved()
        a.reference = b
        a.invalidateRestorableState()
        #expect(test.save()?.isFullPass == false)
        #expect(try test.archive.contents() == fullContents(root))
    }

    @Test func `objects that leave the tree are removed with the objects below them`() throws {
        let (test, root, a, b) = try saved()
        b.add(TestObject("c"))
        test.save()
        b.leave()
        let output = try #require(test.save())
        #expect(output.removals.count == 1)
        #expect(output.encodedObjectCount == 0)
        #expect(test.archive.paths == ["nav", "nav/a"])
        root.add(b)
        a.leave()
        test.save()
        #expect(test.archive.paths == ["nav", "nav/b", "nav/b/c"])
    }

    @Test func `a moved object is saved below its new parent, even if its old parent left`()
        throws
    {
        let (test, _, a, b) = try saved()
        let child = TestObject("c", value: 3, [TestObject("d")])
        a.add(child)
        test.save()
        b.add(child)
        a.leave()
        test.save()
        #expect(test.archive.paths == ["nav", "nav/b", "nav/b/c", "nav/b/c/d"])
    }

    @Test
    func `I2: an object whose path becomes too long after a move is omitted until it moves back`()
        throws
    {
        let long = try RestorationIdentifier(validating: String(repeating: "x", count: 255))
        let last = TestObject("y", value: 1)
        var tree = TestObject(long, [last])
        for _ in 1..<15 { tree = TestObject(long, [tree]) }
        // The last object's path has 4,096 bytes below `near` and 4,097 bytes below `far`.
        let near = TestObject(
            try RestorationIdentifier(validating: String(repeating: "a", count: 250)), [tree])
        let far = TestObject(
            try RestorationIdentifier(validating: String(repeating: "b", count: 251)))
        let test = try TestScene.launched(TestObject("nav", [near, far]))
        #expect(test.save()?.diagnostics == [])
        #expect(test.archive.paths.count { $0.hasSuffix("/y") } == 1)
        far.add(tree)
        #expect(test.save()?.sentences.count { $0.contains("4097 bytes") } == 1)
        #expect(test.archive.paths.count { $0.hasSuffix("/y") } == 0)
        #expect(test.save(isFull: true)?.isEmpty == true)
        near.add(tree)
        #expect(test.save()?.diagnostics == [])
        #expect(test.archive.paths.count { $0.hasSuffix("/y") } == 1)
        #expect(test.save(isFull: true)?.isEmpty == true)
    }

    @Test func `an object that leaves and comes back before the pass stays saved`() throws {
        let (test, root, _, b) = try saved()
        b.leaveReportingChange()
        root.addReportingChange(b)
        test.save()
        #expect(test.archive.paths == ["nav", "nav/a", "nav/b"])
        #expect(test.save(isFull: true)?.isEmpty == true)
    }

    @Test func `a new root replaces the saved objects of the old root`() throws {
        let (test, _, _, _) = try saved()
        test.delegate.root = TestObject("other")
        #expect(test.scene.needsPass)
        test.save()
        #expect(test.archive.paths == ["other"])
        test.delegate.root = nil
        #expect(test.scene.needsPass)
        test.save()
        #expect(test.archive.paths == [])
    }

    @Test func `P1: a new root is still saved after a refused pass`() throws {
        let (test, _, _, _) = try saved()
        test.delegate.saves = false
        test.delegate.root = TestObject("other")
        #expect(test.save() == nil)
        test.delegate.saves = true
        test.save()
        #expect(test.archive.paths == ["other"])
    }

    @Test func `a tree that grows while an object encodes is saved completely`() throws {
        let (test, root, a, b) = try saved()
        a.encoding = { _ in if b.children.isEmpty { b.add(TestObject("late", value: 1)) } }
        a.invalidateRestorableState()
        test.save()
        #expect(try test.archive.contents() == fullContents(root))
    }

    @Test func `an object that gets new children whenever a child encodes is reported`() throws {
        let root = TestObject("nav")
        var count = 0
        func grow() throws {
            count += 1
            let child = TestObject(try RestorationIdentifier(validating: "child\(count)"))
            child.encoding = { _ in try grow() }
            root.add(child)
        }
        try grow()
        let test = try TestScene.launched(root)
        #expect(test.save()?.diagnostics == [.childrenKeepChanging(path: RestorationPath(["nav"]))])
    }

    @Test func `each object that keeps changing during a pass is reported once`()
        throws
    {
        let first = TestObject("first")
        let second = TestObject("second")
        var count = 0
        func child() -> TestObject {
            count += 1
            return TestObject(RestorationIdentifier(recorded: "child\(count)"))
        }
        func grow(_ container: TestObject) {
            let new = child()
            new.encoding = { _ in
                grow(container)
                // The second object begins later, so it continues after the first object has reached the limit.
                if container === second {
                    first.add(child())
                } else if first.children.count == 4 {
                    grow(second)
                }
            }
            container.add(new)
        }
        grow(first)
        let test = try TestScene.launched(TestObject("nav", [first, second]))
        let unsettled = try #require(test.save()).diagnostics
        #expect(
            unsettled == [
                .childrenKeepChanging(path: RestorationPath(["nav", "first"])),
                .childrenKeepChanging(path: RestorationPath(["nav", "second"])),
            ])
    }

    @Test func `an object invalidated while another object encodes waits for the next pass`() throws
    {
        let (test, root, a, b) = try saved()
        var told = 0
        a.encoding = { _ in if b.value != 8 { b.change(to: 8) } }
        a.change(to: 9)
        test.scene.records.onPassNeeded = { told += 1 }
        #expect(test.save()?.encodedObjectCount == 1)
        #expect(told == 0)
        #expect(test.scene.needsPass)
        #expect(test.save()?.encodedObjectCount == 1)
        #expect(!test.scene.needsPass)
        #expect(try test.archive.contents() == fullContents(root))
    }

    @Test func `a deallocated object is skipped and removed from the archive`() throws {
        let test = try TestScene.launched(TestObject("nav"))
        var settings: TestObject? = TestObject(nil, .object)
        try test.scene.registerObject(
            forStateRestoration: #require(settings), restorationIdentifier: "settings")
        test.save()
        settings?.invalidateRestorableState()
        settings = nil
        #expect(test.save()?.encodedObjectCount == 0)
        test.save(isFull: true)
        #expect(test.archive.paths == ["nav"])
    }
}
