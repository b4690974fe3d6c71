import Testing

@testable import StateRestoration

/// Objects that move from one scene of an application to another scene.
@Suite struct TransferTests {
    /// Two scenes that share an archive. The root of the second scene is `other`.
    private struct Scenes {
        let first: TestScene
        let second: Scene
        let secondRoot: TestObject

        init(_ firstRoot: TestObject, archive: MemoryArchive = MemoryArchive()) throws {
            first = try TestScene.launched(firstRoot, archive: archive)
            secondRoot = TestObject("other")
            let records = SceneRecords(
                names: first.scene.records.names, numbering: first.scene.records.numbering)
            second = Scene(
                name: "second", launchReason: .pristine, delegate: TestDelegate(secondRoot),
                classes: ClassRegistry(), records: records)
            try second.launch(restoring: nil)
        }

        var paths: [String] { first.archive.paths }

        /// Makes a pass over the second scene and then over the first scene, and writes the
        /// outputs to the archive.
        @discardableResult
        func save(_ scope: PassScope = .marked) -> [PassOutput] {
            let secondOutput = second.preserve(.test, scope)
            if let secondOutput { first.archive.write(secondOutput) }
            return [secondOutput, first.save(scope)].compactMap(\.self)
        }
    }

    @Test func `P5: references from another scene do not preserve any objects that stay behind`()
        throws
    {
        let left = [TestObject("a"), TestObject("b")]
        let page = TestObject("page")
        page.encoding = { $0.encode(left, forKey: "left") }
        let scenes = try Scenes(TestObject("nav", [page]))
        scenes.save()
        #expect(scenes.paths == ["a", "b", "nav", "nav/page", "other"])
        scenes.secondRoot.add(page)
        scenes.save()
        #expect(scenes.paths == ["nav", "other", "other/page"])
    }

    @Test func `P5: any reference in its own scene preserves an object that stays behind`() throws {
        let (other, shared) = (TestObject("x"), TestObject("shared"))
        let page = TestObject("page")
        page.reference = shared
        let root = TestObject("nav", [page])
        root.encoding = { $0.encode([other, shared], forKey: "both") }
        let scenes = try Scenes(root)
        scenes.save()
        scenes.secondRoot.add(page)
        scenes.save()
        #expect(scenes.paths.contains("shared"))
        #expect(scenes.paths.contains("other/page"))
    }

    @Test func `P5: a removed object that moves later does not take its former children along`()
        throws
    {
        let (page, item) = (TestObject("page"), TestObject("item"))
        page.add(item)
        let root = TestObject("nav", [page])
        let scenes = try Scenes(root)
        scenes.save()
        page.leave()
        scenes.save()
        #expect(scenes.paths == ["nav", "other"])
        item.leave()
        root.reference = item
        root.invalidateRestorableState()
        scenes.secondRoot.add(page)
        scenes.save()
        #expect(scenes.paths == ["item", "nav", "other", "other/page"])
    }

    @Test func `R16: an object that could not decode is saved when it moves to another scene`()
        throws
    {
        let saved = try TestScene.launched(TestObject("nav", [TestObject("page", value: 1)]))
        saved.save()
        let page = TestObject("page")
        page.decoding = { _ in throw Refusal() }
        let scenes = try Scenes(TestObject("nav", [page]), archive: saved.archive)
        page.value = 9
        scenes.save()
        #expect(try saved.archive.values(at: "nav/page")["value"] == .integer(1))
        scenes.secondRoot.add(page)
        scenes.save()
        #expect(try saved.archive.values(at: "other/page")["value"] == .integer(9))
    }

    /// A registered object with a child and two references. Its parent moves to another scene.
    private struct LeftObject {
        let scenes: Scenes
        let page = TestObject("page")
        let left = TestObject(nil, .object, value: 1, [TestObject("below", value: 2)])
        let targets = [TestObject("x"), TestObject("y")]

        init() throws {
            scenes = try Scenes(TestObject("nav", [page]))
            left.parentObject = page
            left.encoding = { [targets] in $0.encode(targets, forKey: "targets") }
            try scenes.first.scene.registerObject(
                forStateRestoration: left, restorationIdentifier: "left")
            scenes.save()
            let paths = scenes.paths
            #expect(
                paths == [
                    "nav", "nav/page", "nav/page/left", "nav/page/left/below", "other", "x", "y",
                ])
            scenes.secondRoot.add(page)
        }

        static let paths = ["left", "left/below", "nav", "other", "other/page", "x", "y"]
    }

    @Test(arguments: [false, true])
    func `P12: a registered object whose parent moves to another scene becomes a root`(
        isFull: Bool
    ) throws {
        let object = try LeftObject()
        let outputs = object.scenes.save(isFull ? .everything() : .marked)
        #expect(object.scenes.paths == LeftObject.paths)
        #expect(outputs.count == 2)
        #expect(outputs.allSatisfy { $0.missedInvalidationCount == 0 })
        object.left.encoding = nil
        object.left.invalidateRestorableState()
        object.scenes.save()
        #expect(object.scenes.paths == LeftObject.paths.filter { !["x", "y"].contains($0) })
    }

    @Test
    func `P9: a registered object that fails to encode after its parent moved is saved later`()
        throws
    {
        let object = try LeftObject()
        let encoding = object.left.encoding
        object.left.encoding = { _ in throw Refusal() }
        object.scenes.save()
        #expect(object.scenes.paths.contains("left/below"))
        object.left.encoding = encoding
        object.left.invalidateRestorableState()
        object.scenes.save()
        #expect(try object.scenes.first.archive.values(at: "left")["value"] == .integer(1))
        #expect(object.scenes.paths.filter { $0.hasSuffix("left") } == ["left"])
    }
}
