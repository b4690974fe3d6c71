import StateRestoration
import Testing

/// Nodes that do not belong to exactly one object during their whole lives.
@Suite struct MisusedNodeTests {
    /// An object whose node is created elsewhere.
    private final class Part: StateRestoring {
        let makeNode: () -> RestorationNode
        var value = 1

        var restoration: RestorationNode { makeNode() }

        init(_ makeNode: @escaping () -> RestorationNode) { self.makeNode = makeNode }

        func encodeRestorableState(with coder: StateEncoder) {
            coder.encode(value, forKey: "value")
        }
    }

    private static func node(_ identifier: RestorationIdentifier) -> RestorationNode {
        let node = RestorationNode()
        node.identifier = identifier
        return node
    }

    @Test func `P12: the node of a registered object can outlive the object`() throws {
        let test = try TestScene.launched(TestObject("nav"))
        let node = Self.node("part")
        do {
            let part = Part { node }
            try test.scene.registerObject(
                forStateRestoration: part, restorationIdentifier: "part")
            test.save()
            #expect(test.archive.paths.sorted() == ["nav", "part"])
        }
        node.invalidate()
        node.invalidateStructure()
        test.save()
        test.save(isFull: true)
        #expect(test.archive.paths == ["nav"])
        #expect(test.scene.registeredObjects.isEmpty)
    }

    @Test func `P8: the node of a referenced object can outlive the object`() throws {
        let root = TestObject("nav")
        let test = try TestScene.launched(root)
        var other: TestObject? = TestObject("other", value: 1)
        let node = try #require(other?.restoration)
        root.reference = other
        root.invalidateRestorableState()
        test.save()
        #expect(test.archive.paths == ["nav", "other"])
        other = nil
        root.reference = nil
        node.invalidate()
        test.save()
        root.invalidateRestorableState()
        test.save()
        test.save(isFull: true)
        #expect(test.archive.paths == ["nav"])
    }

    @Test func `an object that replaces a deallocated object and uses its node is preserved`()
        throws
    {
        let test = try TestScene.launched(TestObject("nav"))
        let node = Self.node("part")
        do {
            let first = Part { node }
            try test.scene.registerObject(
                forStateRestoration: first, restorationIdentifier: "part")
            test.save()
        }
        let second = Part { node }
        second.value = 2
        try test.scene.registerObject(forStateRestoration: second, restorationIdentifier: "part")
        second.invalidateRestorableState()
        test.save()
        #expect(test.archive.paths.sorted() == ["nav", "part"])
        #expect(test.save(isFull: true)?.isEmpty == true)
        withExtendedLifetime(second) {}
    }

    @Test func `an object can return a different node at each access`() throws {
        let test = try TestScene.launched(TestObject("nav"))
        let part = Part { Self.node("part") }
        try test.scene.registerObject(forStateRestoration: part, restorationIdentifier: "part")
        for _ in 1...3 {
            part.invalidateRestorableState()
            test.save()
            test.save(isFull: true)
        }
        withExtendedLifetime(part) {}
    }

    /// An object that uses the library during its deinitialization.
    private final class Leaving: StateRestoring {
        let restoration = RestorationNode()
        let scene: Scene

        init(_ scene: Scene) { self.scene = scene }

        deinit {
            invalidateRestorableState()
            restoration.invalidateStructure()
            restoration.identifier = "left"
            try? scene.registerObject(forStateRestoration: self, restorationIdentifier: "again")
        }
    }

    @Test func `an object can use its node and register itself in its deinit`() throws {
        let test = try TestScene.launched(TestObject("nav"))
        do {
            let removed = Leaving(test.scene)
            try test.scene.registerObject(
                forStateRestoration: removed, restorationIdentifier: "leaving")
            test.save()
            #expect(test.archive.paths.sorted() == ["leaving", "nav"])
        }
        #expect(test.scene.registeredObjects.isEmpty)
        test.save()
        test.save(isFull: true)
        #expect(test.archive.paths == ["nav"])
    }

    @Test func `a pass removes an object that is deallocated while another one encodes`() throws {
        let root = TestObject("nav", [TestObject("kept")])
        let test = try TestScene.launched(root)
        var part: Part? = Part { [node = Self.node("part")] in node }
        try test.scene.registerObject(
            forStateRestoration: try #require(part), restorationIdentifier: "part")
        test.save()
        root.encoding = { _ in part = nil }
        root.invalidateRestorableState()
        test.save(isFull: true)
        test.save(isFull: true)
        #expect(test.archive.paths == ["nav", "nav/kept"])
    }
}
