import Testing

@testable import StateRestoration

/// A controller that runs a closure when its restoration is finished.
private final class FinishingObject: TestObject {
    var finishing: (() -> Void)?

    override func applicationFinishedRestoringState() {
        super.applicationFinishedRestoringState()
        finishing?()
    }
}

/// An object whose restoration continues after the launch.
private final class ContinuingObject: TestObject, AsyncStateRestoring {
    nonisolated(nonsending) func finishRestoring(in scene: Scene) async throws {}
}

/// Objects that a launch created but did not link, and objects that could not decode.
@Suite struct UnlinkedObjectTests {
    private func made(_ identifier: RestorationIdentifier) -> MadeObject {
        let object = MadeObject(identifier)
        object.restoration.restorationClass = MadeObject.self
        return object
    }

    private func archive(of root: TestObject) throws -> MemoryArchive {
        let test = try TestScene.launched(root, classes: .withMadeObject)
        test.save()
        return test.archive
    }

    /// Launches a scene whose restoration class creates objects that are not linked.
    private func launch(
        _ root: TestObject, _ archive: MemoryArchive,
        making: @escaping (MadeObject) -> Void = { _ in }
    ) throws -> TestScene {
        try TestScene.launched(root, archive: archive, classes: .withMadeObject) {
            $0.making = { path, _ in
                let object = MadeObject(path.components.last)
                object.isInObjectTree = false
                making(object)
                return object
            }
        }
    }

    @Test func `R15: an object that is linked when the restoration finishes counts as restored`()
        throws
    {
        let archive = try archive(of: TestObject("nav", [made("page")]))
        let root = FinishingObject("nav")
        let test = try launch(root, archive) { page in
            root.finishing = { page.isInObjectTree = true }
        }
        #expect(test.unrestored == [])
        #expect(test.report.restored == 2)
    }

    @Test func `R15: all objects to which any restored object refers count as restored`() throws {
        let pages = [made("first"), made("second")]
        let holder = TestObject("holder")
        holder.encoding = { $0.encode(pages, forKey: "pages") }
        let archive = try archive(of: TestObject("nav", [holder] + pages))
        let test = try launch(TestObject("nav", [TestObject("holder")]), archive)
        #expect(test.unrestored == [])
        #expect(test.report.restored == 4)
    }

    @Test func `R15: no object that could not decode is counted a second time`() throws {
        let page = made("page")
        for name in ["a", "b", "c"] as [RestorationIdentifier] { page.add(TestObject(name)) }
        let archive = try archive(of: TestObject("nav", [page]))
        let test = try launch(TestObject("nav"), archive) { page in
            for name in ["a", "b", "c"] as [RestorationIdentifier] {
                let child = TestObject(name)
                child.decoding = { _ in throw Refusal() }
                page.add(child)
            }
        }
        #expect(test.report.restored == 1)
        #expect(
            test.unrestored == [
                "nav/page/a: decode-failed", "nav/page/b: decode-failed",
                "nav/page/c: decode-failed", "nav/page: no-object",
            ])
    }

    @Test func `R13: objects that could not decode do not extend the launch`() throws {
        let names: [RestorationIdentifier] = ["a", "b", "c"]
        let archive = try archive(of: TestObject("nav", names.map { ContinuingObject($0) }))
        let objects = names.map { ContinuingObject($0) }
        for object in objects { object.decoding = { _ in throw Refusal() } }
        let test = try launch(TestObject("nav", objects), archive)
        #expect(test.report.unrestored.count == 3)
        #expect(test.scene.isLaunched)
        #expect(!test.scene.isLaunchExtended)
    }

    @Test func `R3: a decoder that an object retains still reads the state of the object`() throws {
        let archive = try archive(
            of: TestObject("nav", [TestObject("a", value: 1), TestObject("b", value: 2)]))
        let pages = [TestObject("a"), TestObject("b")]
        var decoders: [StateDecoder] = []
        for page in pages { page.decoding = { decoders.append($0) } }
        let test = try launch(TestObject("nav", pages), archive)
        #expect(test.unrestored == [])
        var values: [Int?] = []
        for decoder in decoders { values.append(try decoder.decode(Int.self, forKey: "value")) }
        #expect(values == [1, 2])
    }

    @Test
    func `R7: a created object is dropped if its identifier is registered for another object`()
        throws
    {
        let player = MadeObject(nil, .object, value: 6)
        player.restoration.restorationClass = MadeObject.self
        let saved = try TestScene.launched(TestObject("nav"), classes: .withMadeObject) {
            $0.launching = {
                try $0.registerObject(
                    forStateRestoration: player, restorationIdentifier: "player")
            }
        }
        saved.save()
        // The other object is a controller, so the launch does not look for it.
        let controller = TestObject(nil)
        let created = MadeObject(nil, .object)
        let test = try TestScene.launched(
            TestObject("nav"), archive: saved.archive, classes: .withMadeObject
        ) {
            $0.launching = {
                try $0.registerObject(
                    forStateRestoration: controller, restorationIdentifier: "player")
            }
            $0.making = { _, _ in created }
        }
        #expect(test.unrestored == ["player: duplicate-path"])
        #expect(created.decodings == 0)
    }
}
