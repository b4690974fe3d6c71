import StateRestoration
import Testing

@Suite struct RegistrationTests {
    @Test func `P12: an object that is registered again gives up its earlier identifier`() throws {
        let objects = [TestObject(nil, .object), TestObject(nil, .object)]
        let test = try TestScene.launched(TestObject("nav"))
        func register(_ object: TestObject, _ identifier: RestorationIdentifier) throws {
            try test.scene.registerObject(
                forStateRestoration: object, restorationIdentifier: identifier)
        }
        try register(objects[0], "a")
        try register(objects[0], "b")
        try register(objects[1], "a")
        #expect(throws: RegistrationError.self) { try register(objects[1], "b") }
        test.save()
        #expect(test.archive.paths == ["a", "b", "nav"])
        #expect(test.scene.registeredObjects.count == 2)
        withExtendedLifetime(objects) {}
    }

    @Test func `P18: a registered object that no longer exists is removed by the next full pass`()
        throws
    {
        let root = TestObject("nav")
        let test = try TestScene.launched(root)
        do {
            let player = TestObject(nil, .object)
            player.parentObject = root
            try test.scene.registerObject(
                forStateRestoration: player, restorationIdentifier: "player")
            test.save()
            #expect(test.archive.paths == ["nav", "nav/player"])
            withExtendedLifetime(player) {}
        }
        let other = TestObject(nil, .object)
        try test.scene.registerObject(forStateRestoration: other, restorationIdentifier: "other")
        test.save()
        #expect(test.archive.paths == ["nav", "nav/player", "other"])
        test.save(isFull: true)
        #expect(test.archive.paths == ["nav", "other"])
        withExtendedLifetime(other) {}
    }

    @Test func `P12: an object that already has its identifier is saved after its registration`()
        throws
    {
        let settings = TestObject("settings", .object, value: 3)
        let test = try TestScene.launched(TestObject("nav"))
        test.save()
        #expect(!test.scene.needsPass)
        try test.scene.registerObject(
            forStateRestoration: settings, restorationIdentifier: "settings")
        #expect(test.scene.needsPass)
        test.save()
        #expect(test.archive.paths == ["nav", "settings"])
        #expect(try test.archive.values(at: "settings")["value"] == .integer(3))
        withExtendedLifetime(settings) {}
    }
}
