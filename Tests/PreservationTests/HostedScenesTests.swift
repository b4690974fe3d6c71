import SavedState
import StateRecords
import StateRestoration
import Testing

@testable import Preservation

@Suite struct HostedScenesTests {
    /// An archive with one scene, in which a reference leads to an object that has no record.
    private func archive(
        in scratch: ScratchFolder, highestReference: UInt32
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
            HostedScenes.Launch(name: name, reason: .restore, definition: hosted.definition)
        ) { HostedScene($0, tasks: SceneTasks()) }
    }

    @Test func `S2: a number that only references of a scene hold is given to no other object`()
        async throws
    {
        try await withScratchFolder { scratch in
            let notes = Notes()
            let hosted = HostedScenes(
                definition: notes.definition(),
                archive: try archive(in: scratch, highestReference: 70),
                classes: ClassRegistry(), model: nil, reason: .restore)
            let name = try #require(hosted.table.next?.name)
            try launch(name, of: hosted)
            let completed = hosted.table.takeCompleted()
            let scene = try #require(completed)
            #expect(scene.scene.records.numbering.next() == RecordNumber(71))
        }
    }

    @Test func `R13: no scene is launched while another one is in restoration`() async throws {
        try await withScratchFolder { scratch in
            var wish = Notes.Wishes()
            wish.extendingScenes = ["first"]
            let hosted = HostedScenes(
                definition: Notes(wish).definition(scenes: ["first", "second"]),
                archive: try archive(in: scratch, highestReference: 0),
                classes: ClassRegistry(), model: nil, reason: .restore)
            #expect(hosted.table.next?.name == "first")
            try launch("first", of: hosted)
            let found1 = hosted.table.takeCompleted()
            #expect(found1?.name == nil)
            #expect(hosted.table.next?.name == nil)
            hosted.table.launching?.scene.completeStateRestoration()
            let found2 = hosted.table.takeCompleted()
            #expect(found2?.name == "first")
            #expect(hosted.table.next?.name == "second")
        }
    }
}
