import StateRecords
import Testing

@testable import Preservation
@testable import SavedState

@Suite struct StateChangeTests {
    @Test(arguments: [1, 100, 101])
    func `L5: the result of a put-back names at most 100 objects that are not intact`(count: Int) {
        var kept = StoredContents(path: "/state/000001-main.archive", contents: .empty)
        let change = { (kept: StoredContents) in
            StateChange(
                .storedFile(kept), generationReason: nil, definition: Notes().definition())
        }
        #expect(change(kept).result(saved: .durable).shortfall == nil)
        kept.shortfall = "it is damaged at byte 7"
        #expect(change(kept).result(saved: .durable).shortfall == "it is damaged at byte 7")
        let names = (1...count).map { "note\($0)" }
        kept.lostObjects = names.map {
            ArchiveSalvage.LostObject(scene: "main", path: [$0], reason: "it is damaged")
        }
        let shown = names.prefix(100).joined(separator: ", ")
        #expect(
            change(kept).result(saved: .durable)
                == StateChangeResult(
                    scenes: [], generation: nil,
                    shortfall: "it is damaged at byte 7; not intact: \(shown)", saved: .durable))
    }

    @Test func `a file without scenes cannot be put back`() throws {
        let kept = StoredContents(path: "/state/000001-main.archive", contents: .empty)
        let failure = #expect(throws: StateChangeFailure.self) { try kept.sceneNamesToPutBack }
        #expect(failure?.cause == .damaged)
        #expect(failure?.reason == "/state/000001-main.archive contains no scene")
    }
}
