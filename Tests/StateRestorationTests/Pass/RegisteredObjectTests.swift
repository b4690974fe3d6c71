import StateRestoration
import Testing

/// An object of an existing program, which is neither a view controller nor a view.
private final class Player: StateRestoring {
    let restoration = RestorationNode()
    weak var owner: TestObject?
    var volume = 0

    init(below owner: TestObject? = nil) { self.owner = owner }

    var restorationParent: (any StateRestoring)? { owner }

    func encodeRestorableState(with coder: StateEncoder) throws {
        coder.encode(volume, forKey: "volume")
    }

    func decodeRestorableState(with coder: StateDecoder) throws {
        volume = try coder.decode(forKey: "volume") ?? 0
    }
}

@Suite struct RegisteredObjectTests {
    /// Saves a player below a controller and launches again.
    private func roundTrip(
        owner identifier: RestorationIdentifier?, isOwned: Bool = true
    ) throws -> (paths: [String], volume: Int) {
        let archive = MemoryArchive()
        func launched(volume: Int) throws -> (TestScene, Player) {
            let owner = TestObject(identifier)
            let player = Player(below: isOwned ? owner : nil)
            player.volume = volume
            let scene = TestScene(TestDelegate(TestObject("nav", [owner])), archive: archive)
            scene.delegate.launching = {
                try $0.registerObject(
                    forStateRestoration: player, restorationIdentifier: "player")
            }
            try scene.launch()
            return (scene, player)
        }
        let (scene, player) = try launched(volume: 11)
        scene.save()
        let paths = archive.paths.filter { $0.hasSuffix("player") }
        _ = player
        let (again, restored) = try launched(volume: 0)
        #expect(again.unrestored == [])
        #expect(again.save()?.isEmpty == true)
        return (paths, restored.volume)
    }

    @Test func `I4: a registered object without a parent is a root`() throws {
        let (paths, volume) = try roundTrip(owner: "owner", isOwned: false)
        #expect(paths == ["player"])
        #expect(volume == 11)
    }

    @Test func `I4: a registered object is saved below its parent if the parent takes part`() throws
    {
        let (paths, volume) = try roundTrip(owner: "owner")
        #expect(paths == ["nav/owner/player"])
        #expect(volume == 11)
    }

    @Test func `I4: a registered object is a root if its parent does not take part`() throws {
        let (paths, volume) = try roundTrip(owner: nil)
        #expect(paths == ["player"])
        #expect(volume == 11)
    }

    @Test func `I4: a registered object is preserved even if its parent is not reached`()
        throws
    {
        let unreached = TestObject("lonely")
        let player = Player(below: unreached)
        let scene = TestScene(TestDelegate(TestObject("nav")))
        scene.delegate.launching = {
            try $0.registerObject(forStateRestoration: player, restorationIdentifier: "player")
        }
        try scene.launch()
        scene.save()
        #expect(scene.archive.paths.contains("player"))
    }

    @Test func `P12: a registered object that is also a child is recorded once`() throws {
        let child = TestObject("child", value: 1)
        let test = try TestScene.launched(TestObject("nav", [child]))
        test.save()
        try test.scene.registerObject(forStateRestoration: child, restorationIdentifier: "child")
        for _ in 1...3 {
            let pass = test.save(isFull: true)
            #expect(pass?.isEmpty == true)
            #expect(pass?.diagnostics == [])
        }
        #expect(test.archive.paths == ["nav", "nav/child"])
        #expect(TreeSurvey(test.scene).entries().map(\.address) == ["nav", "nav/child"])
    }

    @Test func `P12: a registered object that changes its identifier takes the new path`() throws {
        let test = try TestScene.launched(TestObject("nav"))
        let first = Player()
        let second = Player()
        try test.scene.registerObject(forStateRestoration: first, restorationIdentifier: "a")
        test.save()
        first.restoration.identifier = "b"
        #expect(throws: RegistrationError.self) {
            try test.scene.registerObject(
                forStateRestoration: second, restorationIdentifier: "b")
        }
        try test.scene.registerObject(forStateRestoration: second, restorationIdentifier: "a")
    }

    @Test func `P12: an object can be registered with only one scene`() throws {
        let player = Player()
        let first = try TestScene.launched(TestObject("nav"))
        let second = try TestScene.launched(TestObject("nav"))
        try first.scene.registerObject(
            forStateRestoration: player, restorationIdentifier: "player")
        #expect(throws: RegistrationError.self) {
            try second.scene.registerObject(
                forStateRestoration: player, restorationIdentifier: "player")
        }
    }

    @Test func `surveys and passes handle objects and views that contain themselves`() throws {
        let inner = TestObject("inner")
        let root = TestObject("nav", [inner])
        let view = TestObject("view", .view)
        let other = TestObject("other", .view, [view])
        root.add(other)
        let test = try TestScene.launched(root)
        inner.additionalChild = root
        view.additionalChild = other
        test.save(isFull: true)
        #expect(test.archive.paths == ["nav", "nav/inner", "nav/other", "nav/view"])
        #expect(TreeSurvey(test.scene).entries().count == 4)
        inner.additionalChild = nil
        view.additionalChild = nil
    }

    @Test
    func `the tree lists registered objects correctly after some are deallocated and one is added`()
        throws
    {
        let test = try TestScene.launched(TestObject("nav"))
        var gone: [Player] = (1...3).map { _ in Player() }
        for (player, name) in zip(gone, ["a", "b", "c"]) {
            try test.scene.registerObject(
                forStateRestoration: player,
                restorationIdentifier: RestorationIdentifier(recorded: name))
        }
        test.save()
        gone[0].restoration.identifier = "other"
        gone.removeLast(2)
        let new = Player()
        try test.scene.registerObject(forStateRestoration: new, restorationIdentifier: "new")
        var addresses = TreeSurvey(test.scene).entries().map(\.address)
        #expect(addresses.first { $0 != "nav" } == "other")
        test.save()
        addresses = TreeSurvey(test.scene).entries().map(\.address).sorted()
        #expect(addresses == ["nav", "new", "other"])
    }

    @Test func `P12: a path stays taken after an object registered earlier is deallocated`() throws
    {
        let test = try TestScene.launched(TestObject("nav"))
        var players = (1...3).map { _ in Player() }
        for (player, name) in zip(players, ["a", "b", "c"]) {
            try test.scene.registerObject(
                forStateRestoration: player,
                restorationIdentifier: RestorationIdentifier(recorded: name))
        }
        players.removeFirst()
        test.save(isFull: true)
        #expect(throws: RegistrationError.self) {
            try test.scene.registerObject(
                forStateRestoration: Player(), restorationIdentifier: "c")
        }
        try test.scene.registerObject(
            forStateRestoration: players[0], restorationIdentifier: "a")
        #expect(test.scene.registeredObjects.count == 2)
    }

    @Test
    func `P12: a registered object that changes its identifier before any pass takes the new path`()
        throws
    {
        let test = try TestScene.launched(TestObject("nav"))
        let first = Player()
        try test.scene.registerObject(forStateRestoration: first, restorationIdentifier: "a")
        first.restoration.identifier = "b"
        #expect(throws: RegistrationError.self) {
            try test.scene.registerObject(
                forStateRestoration: Player(), restorationIdentifier: "b")
        }
    }

    @Test func `P12: a refused registration leaves nothing to save`() throws {
        let test = try TestScene.launched(TestObject("nav"))
        let first = Player()
        try test.scene.registerObject(forStateRestoration: first, restorationIdentifier: "a")
        test.save()
        #expect(!test.scene.needsPass)
        #expect(throws: RegistrationError.self) {
            try test.scene.registerObject(
                forStateRestoration: Player(), restorationIdentifier: "a")
        }
        #expect(!test.scene.needsPass)
        withExtendedLifetime(first) {}
    }
}
