import StateRestoration
import Testing

/// Objects that were saved as roots although they are below other objects (P7, P12).
@Suite struct MisplacedRootTests {
    private func register(
        _ object: TestObject, _ identifier: RestorationIdentifier, in scene: Scene
    ) throws {
        try scene.registerObject(forStateRestoration: object, restorationIdentifier: identifier)
    }

    @Test func `P7: an orphan is found among several objects below a container`() throws {
        func tree() -> TestObject {
            TestObject(
                "nav",
                [
                    TestObject("first"),
                    TestObject(nil, [TestObject("other"), TestObject("leaf")]),
                ])
        }
        let root = tree()
        let leaf = root.children[1].children[1]
        leaf.value = 6
        root.reference = leaf
        let saved = try TestScene.launched(root)
        saved.save()
        #expect(saved.archive.paths == ["leaf", "nav", "nav/first"])
        let next = tree()
        let test = try TestScene.launched(next, archive: saved.archive)
        #expect(test.unrestored == [])
        #expect(next.children[1].children[1].value == 6)
    }

    @Test func `P7: an orphan is found below a registered object that is a root`() throws {
        let archive = MemoryArchive()
        for value in [6, nil] {
            let leaf = TestObject("leaf", value: value)
            let box = TestObject(nil, .object, [TestObject(nil, [leaf])])
            let test = try TestScene.launched(TestObject("nav"), archive: archive) {
                $0.launching = { try register(box, "box", in: $0) }
                $0.encoding = { $0.encode(leaf, forKey: "leaf") }
            }
            #expect(test.unrestored == [])
            #expect(leaf.value == 6)
            test.save()
            #expect(archive.paths == ["box", "leaf", "nav"])
            withExtendedLifetime(box) {}
        }
    }

    @Test
    func `R7: a registered object below a preserved object does not match the record of a root`()
        throws
    {
        let saved = [TestObject(nil, .object, value: 1), TestObject(nil, .object, value: 1)]
        let first = try TestScene.launched(TestObject("nav")) {
            $0.launching = {
                try register(saved[0], "one", in: $0)
                try register(saved[1], "two", in: $0)
            }
        }
        first.save()
        #expect(first.archive.paths == ["nav", "one", "two"])
        // One object is two levels below the window's root, and the other object is below a
        // registered root.
        let page = TestObject("page")
        let (box, one, two) = (
            TestObject(nil, .object), TestObject(nil, .object), TestObject(nil, .object)
        )
        (one.parentObject, two.parentObject) = (page, box)
        let test = try TestScene.launched(TestObject("nav", [page]), archive: first.archive) {
            $0.launching = {
                try register(box, "box", in: $0)
                try register(one, "one", in: $0)
                try register(two, "two", in: $0)
            }
        }
        #expect(test.unrestored == ["one: no-object", "two: no-object"])
        #expect([one.decodings, two.decodings] == [0, 0])
        withExtendedLifetime(box) {}
    }
}
