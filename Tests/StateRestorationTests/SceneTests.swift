import StateRecords
import StateRestoration
import Testing

@Suite struct SceneTests {
    @Test func `P17: a scene is never saved before its launch is complete`() throws {
        let test = TestScene(TestDelegate(TestObject("nav")))
        #expect(test.save(isFull: true) == nil)
        test.delegate.launched = { [test] _ in #expect(test.save(isFull: true) == nil) }
        try test.launch()
        test.delegate.launched = nil
        #expect(test.save() != nil)
    }

    @Test func `P17: a scene whose launch failed is never saved`() throws {
        let first = try TestScene.launched(TestObject("nav", value: 1))
        first.save()
        for fails in ["before", "after"] {
            let test = TestScene(TestDelegate(TestObject("nav")), archive: first.archive)
            if fails == "before" {
                test.delegate.launching = { _ in throw Refusal() }
            } else {
                test.delegate.launched = { _ in throw Refusal() }
            }
            #expect(throws: Refusal.self) { try test.launch() }
            #expect(!test.scene.isLaunched)
            #expect(test.save(isFull: true) == nil)
        }
        #expect(try first.archive.values(at: "nav") == ["value": .integer(1)])
    }

    @Test(arguments: [
        LaunchReason.pristine, .restore, .recover, .replace, .reload,
    ])
    func `R2: a launch passes its reason to the delegate and the report`(reason: LaunchReason)
        throws
    {
        let test = TestScene(TestDelegate(TestObject("nav")), reason: reason)
        try test.launch()
        #expect(test.delegate.reasons == [reason, reason])
        #expect(test.scene.launchReason == reason)
        #expect(test.report.reason == reason)
    }

    @Test func `P13: an added alias must be valid and must not belong to another class`() throws {
        let test = TestScene(TestDelegate(TestObject("nav")))
        try test.scene.addAliases(["Old", "Older"], of: TestObject.self)
        #expect(throws: ClassRegistryError.self) {
            try test.scene.addAliases([""], of: TestObject.self)
        }
        let other = TestScene(TestDelegate(TestObject("nav")))
        try other.scene.addAliases(["Old"], of: TestObject.self)
        #expect(throws: ClassRegistryError.self) {
            try other.scene.addAliases(["Old"], of: OtherObject.self)
        }
    }

    @Test func `S1: scenes of one application have separate namespaces and record numbers`() throws
    {
        let names = NameTable()
        let numbering = RecordNumberGenerator()
        let scenes = try ["one", "two"].map { name in
            let scene = Scene(
                name: try RestorationIdentifier(validating: name), launchReason: .pristine,
                delegate: TestDelegate(TestObject("nav")), classes: ClassRegistry(),
                records: SceneRecords(names: names, numbering: numbering))
            try scene.launch(restoring: nil)
            return scene
        }
        let passes = scenes.compactMap { $0.preserve(.test) }
        #expect(Set(passes.flatMap(\.objects).map(\.header.number)).count == 4)
        #expect(passes.map(\.records.end.scene).count == 2)
        #expect(passes[1].names.isEmpty)
    }

    @Test func `a registered object is preserved, but only referenced weakly`() throws {
        let test = try TestScene.launched(nil)
        var settings: TestObject? = TestObject(nil, .object, value: 4)
        try test.scene.registerObject(
            forStateRestoration: #require(settings), restorationIdentifier: "settings")
        test.save()
        #expect(try test.archive.values(at: "settings") == ["value": .integer(4)])
        settings = nil
        #expect(test.scene.registeredObjects.isEmpty)
    }

    @Test func `registering a second object under one identifier throws an error that names it`()
        throws
    {
        let test = try TestScene.launched(nil)
        let first = TestObject(nil, .object)
        try test.scene.registerObject(
            forStateRestoration: first, restorationIdentifier: "settings")
        let error = #expect(throws: RegistrationError.self) {
            try test.scene.registerObject(
                forStateRestoration: TestObject(nil, .object), restorationIdentifier: "settings")
        }
        #expect(
            error?.description
                == "another object is registered as \"settings\": register this one under another "
                + "identifier")
        try test.scene.registerObject(
            forStateRestoration: first, restorationIdentifier: "settings")
        #expect(test.scene.registeredObjects.count == 1)
    }

    @Test func `inspecting an object shows what it would save and saves nothing`() throws {
        let page = TestObject("page", value: 1)
        let root = TestObject("nav", value: 3, [page])
        root.reference = page
        let test = try TestScene.launched(root)
        test.save()
        root.change(to: 4)
        let values = try StateInspection(test.scene).values(of: root, passMetadata: .test)
        #expect(
            values == [
                "value": .integer(4), "reference": .reference(RestorationPath(["nav", "page"])),
            ])
        #expect(try test.archive.values(at: "nav")["value"] == .integer(3))
        #expect(test.save()?.objects.count == 1)
    }

    @Test func `inspecting an object that fails to encode throws its error`() throws {
        let root = TestObject("nav")
        root.encoding = { _ in throw Refusal() }
        let test = try TestScene.launched(root)
        #expect(throws: Refusal.self) {
            try StateInspection(test.scene).values(of: root, passMetadata: .test)
        }
    }

    @Test func `S3: a change in whether a scene is in use is saved once, by the next pass`() throws
    {
        let test = try TestScene.launched(TestObject("nav"))
        test.save()
        for isInUse in [false, true] {
            test.scene.isInUse = isInUse
            #expect(test.scene.needsPass)
            test.save()
            #expect(!test.scene.needsPass)
            let saved = try #require(test.archive.savedScene)
            let reserved = saved.reservedState(names: NameTable(test.archive.names))
            #expect(reserved.isInUse == isInUse)
        }
    }

    @Test func `a reference is shown as the path of its target, even below a later sibling`()
        throws
    {
        let target = TestObject("target")
        let root = TestObject("nav", [TestObject("first"), TestObject("last", [target])])
        root.reference = target
        let test = try TestScene.launched(root)
        test.save()
        let values = try StateInspection(test.scene).values(of: root, passMetadata: .test)
        #expect(values == ["reference": .reference(RestorationPath(["nav", "last", "target"]))])
    }
}
