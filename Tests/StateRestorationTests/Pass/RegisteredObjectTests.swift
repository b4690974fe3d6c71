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
    /// Saves a player below a controller and launches again; gives its path and its volume then.
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

    @Test func `I4: a registered object lies below its parent if that takes part`() throws {
        let (paths, volume) = try roundTrip(owner: "owner")
        #expect(paths == ["nav/owner/player"])
        #expect(volume == 11)
    }

    @Test func `I4: a registered object whose parent takes no part is a root`() throws {
        let (paths, volume) = try roundTrip(owner: nil)
        #expect(paths == ["player"])
        #expect(volume == 11)
    }

    @Test func `I4: a registered object whose parent is not reached is preserved all the same`()
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
}
