import SavedState
import StateRestoration
import Testing

@testable import Preservation

/// States of scenes without an archive.
@Suite struct SceneTableTests {
    private let notes = Notes()

    /// Returns a scene whose launch has completed, unless it extends its restoration.
    private func scene(_ name: RestorationIdentifier, extends: Bool = false) throws -> HostedScene {
        notes.behavior.extendingScenes = extends ? [name.text] : []
        let context = SceneContext(
            name: name, classes: ClassRegistry(), storyboards: nil, model: nil)
        let scene = Scene(
            name: name, launchReason: .pristine,
            delegate: try notes.definition().makeDelegate(context),
            classes: context.classes,
            records: SceneRecords(names: NameTable(), numbering: RecordNumberGenerator()))
        try scene.launch(restoring: nil)
        return HostedScene(scene, tasks: SceneTasks())
    }

    /// Returns a table in which the given scenes are launched.
    private func table(_ names: RestorationIdentifier...) throws -> SceneTable {
        var table = SceneTable()
        for name in names {
            table.scheduleLaunch(for: name)
            table.markLaunching(try scene(name))
            _ = table.completeLaunch()
        }
        return table
    }

    private func names(_ scenes: [HostedScene]) -> [RestorationIdentifier] { scenes.map(\.name) }

    @Test func `R13: a scene is launched once the launch of the previous scene has completed`()
        throws
    {
        var table = SceneTable()
        table.beginLaunch(of: ["a", "b"])
        #expect(table.nextLaunch?.name == "a")
        let first = try scene("a", extends: true)
        table.markLaunching(first)
        #expect(table.nextLaunch == nil)
        let found1 = table.completeLaunch()
        #expect(found1 == nil)
        #expect(table.waitingNames == ["b"])
        first.scene.completeStateRestoration()
        let found2 = table.completeLaunch()
        #expect(found2 === first)
        #expect(names(table.launchedScenes) == ["a"])
        #expect(table.nextLaunch?.name == "b")
    }

    @Test func `a user's request to launch the waiting scenes lasts until their launches`() {
        var table = SceneTable()
        table.beginLaunch(of: ["a", "b"])
        #expect(table.nextLaunch?.isUserRequested == false)
        table.markWaitingAsUserRequested()
        #expect(table.nextLaunch?.isUserRequested == true)
        table.markFailed("a", "it does not want to")
        #expect(table.nextLaunch?.name == "b" && table.nextLaunch?.isUserRequested == true)
        table.scheduleLaunch(for: "a")
        #expect(table.waitingNames == ["b", "a"])
    }

    @Test func `a scene that leaves the launch queue early leaves the other scenes in order`() {
        var table = SceneTable()
        table.beginLaunch(of: ["a", "b", "c"])
        table.scheduleLaunch(for: "b")
        #expect(table.waitingNames == ["a", "c", "b"])
        table.markFailed("c", "it does not want to")
        #expect(table.waitingNames == ["a", "b"])
    }

    @Test func `scenes of an exchange accept no commands and are replaced together`() throws {
        var table = try table("a", "b", "c")
        let oldScenes = table.launchedScenes
        table.beginExchange(of: ["a", "d"], closing: ["b"])
        #expect(names(table.launchedScenes) == ["c"])
        #expect(table.liveScenes.count == 3)
        #expect(table.waitingNames == ["a", "d"])
        for name: RestorationIdentifier in ["a", "d"] {
            let early = table.completeExchange()
            #expect(early == nil)
            table.markLaunching(try scene(name))
            let found3 = table.completeLaunch()
            #expect(found3?.name == name)
        }
        #expect(names(table.launchedScenes) == ["c"])
        let completed = table.completeExchange()
        let exchanged = try #require(completed)
        #expect(names(exchanged.oldScenes) == ["a", "b"])
        #expect(exchanged.oldScenes[0] === oldScenes[0])
        #expect(names(exchanged.newScenes) == ["a", "d"])
        #expect(names(table.launchedScenes) == ["a", "c", "d"])
        #expect(table.liveScenes.count == 3)
    }

    @Test func `an abandoned exchange changes nothing`() throws {
        var table = try table("a", "b")
        table.markFailed("failed", "no")
        let old = table.launchedScenes
        table.beginExchange(of: ["b", "failed", "new"], closing: ["a"])
        table.markLaunching(try scene("b"))
        _ = table.completeLaunch()
        let found4 = table.abandonExchange()
        #expect(found4 == ["a", "b", "failed", "new"])
        #expect(zip(table.launchedScenes, old).allSatisfy { $0 === $1 })
        #expect(table.failures.map(\.reason) == ["no"])
        #expect(table["new"] == nil)
        #expect(table.waitingNames == [])
        #expect(!table.isBeingExchanged("b"))
    }

    @Test func `R2: a closed scene counts as ended until its next launch begins`() throws {
        var table = try table("a")
        #expect(!table.wasClosed("a"))
        table.markClosed("a")
        #expect(table.wasClosed("a"))
        #expect(table.launchedScenes.isEmpty)
        table.scheduleLaunch(for: "a")
        #expect(table.wasClosed("a"))
        table.beginLaunch(of: ["a"])
        #expect(!table.wasClosed("a"))
    }

    @Test func `P17: stopping the launches keeps only scenes whose launch has completed`() throws {
        var table = try table("a")
        table.scheduleLaunch(for: "b")
        table.markLaunching(try scene("b", extends: true))
        table.scheduleLaunch(for: "c")
        table.stopLaunching()
        #expect(table.launchingScene == nil)
        #expect(table.names == ["a"])
        table.scheduleLaunch(for: "d")
        table.markLaunching(try scene("d"))
        table.stopLaunching()
        #expect(table.launchingScene?.name == "d")
    }
}
