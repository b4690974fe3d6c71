import SavedState
import StateRecords
import StateRestoration
import Synchronization
import Testing

@testable import Preservation

@Suite struct HostedScenesTests {
    /// Returns an archive with one scene, in which a value refers to an object without a record.
    private func archive(
        in scratch: ScratchDirectory, highestReference: UInt32
    ) throws -> ApplicationArchive {
        let archive = try StateDirectory.open(scratch.stateDirectory)
            .archive(of: Notes.bundleIdentifier)
        _ = try archive.load()
        var turn = TurnRecords()
        turn.addObject(
            ObjectHeader(number: 3, parent: 0, kind: 0, identifier: "saved"), values: [])
        if highestReference > 0 { turn.addRemoval(highestReference) }
        turn.endPass(PassEnd(scene: 3, timestamp: 0))
        _ = try archive.append(turn)
        return archive
    }

    private func launch(_ name: RestorationIdentifier, of hosted: HostedScenes) throws {
        _ = try hosted.launch(
            HostedScenes.LaunchParameters(
                name: name, reason: .restore, definition: hosted.definition)
        ) { HostedScene($0, tasks: SceneTasks()) }
    }

    @Test
    func `S2: a record number that is used only by references is not given to another object`()
        async throws
    {
        try await withScratchDirectory { scratch in
            let notes = Notes()
            let hosted = HostedScenes(
                definition: notes.definition(),
                archive: try archive(in: scratch, highestReference: 70),
                classes: ClassRegistry(), model: nil, reason: .restore)
            let name = try #require(hosted.table.nextLaunch?.name)
            try launch(name, of: hosted)
            let completed = hosted.table.completeLaunch()
            let scene = try #require(completed)
            #expect(scene.scene.records.numbering.next() == RecordNumber(71))
        }
    }

    @Test func `R13: no scene is launched while another scene is being restored`() async throws {
        try await withScratchDirectory { scratch in
            var behavior = Notes.Behavior()
            behavior.extendingScenes = ["first"]
            let hosted = HostedScenes(
                definition: Notes(behavior).definition(scenes: ["first", "second"]),
                archive: try archive(in: scratch, highestReference: 0),
                classes: ClassRegistry(), model: nil, reason: .restore)
            #expect(hosted.table.nextLaunch?.name == "first")
            try launch("first", of: hosted)
            let found1 = hosted.table.completeLaunch()
            #expect(found1?.name == nil)
            #expect(hosted.table.nextLaunch?.name == nil)
            hosted.table.launchingScene?.scene.completeStateRestoration()
            let found2 = hosted.table.completeLaunch()
            #expect(found2?.name == "first")
            #expect(hosted.table.nextLaunch?.name == "second")
        }
    }

    @Test func `S3: the launches are finished only after every deferred scene has launched`()
        async throws
    {
        try await withScratchDirectory { scratch in
            let hosted = HostedScenes(
                definition: Notes().definition(scenes: ["first"]),
                archive: try archive(in: scratch, highestReference: 0),
                classes: ClassRegistry(), model: nil, reason: .restore, isEager: false)
            #expect(!hosted.areLaunchesFinished)
            try launch("first", of: hosted)
            _ = hosted.table.completeLaunch()
            #expect(!hosted.areLaunchesFinished)
            #expect(hosted.popDeferredScene() == "saved")
            #expect(hosted.areLaunchesFinished)
            hosted.table.scheduleLaunch(for: "saved")
            #expect(!hosted.areLaunchesFinished)
        }
    }

    /// Storyboards that contain no view controllers.
    private struct NoStoryboards: StoryboardInstantiating {
        func instantiateViewController(_ origin: StoryboardOrigin) -> (any StateRestoring)? { nil }
    }

    @Test func `storyboards are read once, however many scenes use them`()
        async throws
    {
        try await withScratchDirectory { scratch in
            let count = Mutex(0)
            var definition = Notes().definition(scenes: ["first", "second"], resources: 1)
            definition.makeStoryboards = { _ in
                count.withLock { $0 += 1 }
                return NoStoryboards()
            }
            let hosted = HostedScenes(
                definition: definition, archive: try archive(in: scratch, highestReference: 0),
                classes: ClassRegistry(), model: nil, reason: .restore)
            for name: RestorationIdentifier in ["first", "second"] {
                try launch(name, of: hosted)
                _ = hosted.table.completeLaunch()
            }
            #expect(count.withLock { $0 } == 1)
            // A scene with other storyboards reads them, and they do not replace the usual storyboards.
            var other = definition
            other.resourceFingerprint = 2
            for (definition, reads) in [(other, 2), (definition, 2), (other, 3)] {
                _ = try hosted.launch(
                    HostedScenes.LaunchParameters(
                        name: "first", reason: .restore, definition: definition)
                ) { HostedScene($0, tasks: SceneTasks()) }
                _ = hosted.table.completeLaunch()
                #expect(count.withLock { $0 } == reads)
            }
            hosted.definition = other
            try launch("second", of: hosted)
            #expect(count.withLock { $0 } == 4)
        }
    }

    @Test func `a closed scene runs no callbacks`() throws {
        let notes = Notes()
        let context = SceneContext(
            name: "main", classes: ClassRegistry(), storyboards: nil, model: nil)
        let scene = Scene(
            name: "main", launchReason: .pristine,
            delegate: try notes.definition().makeDelegate(context), classes: context.classes,
            records: SceneRecords(names: NameTable(), numbering: RecordNumberGenerator()))
        scene.onLaunchCompleted = {}
        let hosted = HostedScene(scene, tasks: SceneTasks())
        hosted.onStage = { _ in }
        scene.onLaunchStep = { _, _, _ in }
        #expect(scene.onStage != nil && scene.records.startTask != nil)
        hosted.close()
        #expect(scene.onStage == nil)
        #expect(scene.onLaunchStep == nil)
        #expect(scene.onLaunchCompleted == nil)
        #expect(scene.records.startTask == nil)
        #expect(hosted.onStage == nil)
        #expect(!hosted.hasWorkForTurn)
        _ = hosted.tasks.add {}
        #expect(!hosted.tasks.hasPendingTasks)
    }
}
