import Testing

@testable import StateRestoration

/// Positions of objects with siblings, and many changes to lists of children.
@Suite struct PositionTests {
    @Test func `an object that two objects list stays below its parent if it has siblings`() throws
    {
        let child = TestObject("child")
        let owner = TestObject("owner", [TestObject("first"), child])
        let other = TestObject("other")
        let test = try TestScene.launched(TestObject("nav", [owner, other]))
        other.additionalChild = child
        for _ in 1...3 {
            test.save(isFull: true)
            #expect(
                test.archive.paths == [
                    "nav", "nav/other", "nav/owner", "nav/owner/child", "nav/owner/first",
                ])
        }
        other.additionalChild = nil
    }

    @Test func `I2: a sibling of an object with a short path can get a path that is too long`()
        throws
    {
        func identifier(_ letter: String, _ count: Int) throws -> RestorationIdentifier {
            try RestorationIdentifier(validating: String(repeating: letter, count: count))
        }
        var tree = TestObject(try identifier("x", 255), [TestObject("y"), TestObject("zz")])
        for _ in 1..<15 { tree = TestObject(try identifier("x", 255), [tree]) }
        // The longer path has 4,096 bytes below `near` and 4,097 bytes below `far`.
        let near = TestObject(try identifier("a", 249), [tree])
        let far = TestObject(try identifier("b", 250))
        let test = try TestScene.launched(TestObject("nav", [near, far]))
        #expect(test.save()?.diagnostics == [])
        far.add(tree)
        #expect(test.save()?.sentences.count { $0.contains("4097 bytes") } == 1)
        #expect(test.archive.paths.count { $0.hasSuffix("/y") } == 1)
        #expect(test.archive.paths.count { $0.hasSuffix("/zz") } == 0)
    }

    @Test(arguments: [true, false])
    func `I2: identifiers swapped between an object and its child do not make the path too long`(
        isParentFirst: Bool
    ) throws {
        func identifier(_ letter: String, _ count: Int) throws -> RestorationIdentifier {
            try RestorationIdentifier(validating: String(repeating: letter, count: count))
        }
        let (long, short) = (try identifier("a", 250), try identifier("b", 3))
        let child = TestObject(short)
        let parent = TestObject(long, [child])
        // The child's path has 4,094 bytes.
        var tree = TestObject(try identifier("x", 255), [parent])
        for _ in 1..<15 { tree = TestObject(try identifier("x", 255), [tree]) }
        let test = try TestScene.launched(tree)
        #expect(test.save()?.diagnostics == [])
        let renames = [(parent, short), (child, long)]
        for (object, identifier) in isParentFirst ? renames : renames.reversed() {
            object.restoration.identifier = identifier
        }
        #expect(test.save()?.diagnostics == [])
        #expect(test.scene.records.omissionDiagnostic == nil)
        #expect(test.archive.paths.count { $0.hasSuffix("/\(short)/\(long)") } == 1)
        #expect(test.archive.paths.count == 17)
        #expect(test.save(isFull: true)?.isEmpty == true)
    }

    @Test func `P14: if more than 65,536 changes to children wait, the children are listed again`()
        throws
    {
        let parents = ["a", "b"].map { (identifier: RestorationIdentifier) in
            TestObject(identifier, [TestObject("child")])
        }
        let root = TestObject("nav", parents)
        let test = try TestScene.launched(root)
        test.save()
        for parent in parents { parent.children[0].leaveReportingChange() }
        for _ in 3...65_537 { root.restoration.invalidateStructure(.added(parents[0])) }
        #expect(test.scene.records.request.childChanges.count == 65_537)
        root.restoration.invalidateStructure(.added(parents[0]))
        #expect(test.scene.records.request.childChanges.isEmpty)
        test.save()
        #expect(test.archive.paths == ["nav", "nav/a", "nav/b"])
    }
}
