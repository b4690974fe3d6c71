import SavedState
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Operations that affect several hosted scenes at once.
@Suite struct SeveralScenesTests {
    private static let names: [RestorationIdentifier] = ["main", "other"]

    @Test func `P20: the scenes are idle only after every scene has been checked`() throws {
        let bench = try TurnBench(scenes: Self.names)
        let scenes = bench.scenes.table.launchedScenes
        bench.scenes.endTurn(.interval, scenes) { _ in false }
        #expect(bench.scenes.isIdle { _ in false })
        scenes[1].scene.markNeedsFullScan()
        bench.scenes.endTurn(.interval, scenes) { _ in false }
        #expect(!bench.scenes.isIdle { _ in false })
    }

    @Test func `P14: a pass is needed if any due scene has changed`() throws {
        let bench = try TurnBench(scenes: Self.names)
        let scenes = bench.scenes.table.launchedScenes
        bench.scenes.markDue(scenes[0])
        #expect(!bench.scenes.needsPass)
        scenes[1].scene.note.text = "changed"
        bench.scenes.markDue(scenes[1])
        #expect(bench.scenes.needsPass)
    }

    @Test func `scenes that have not been saved are listed after the other scenes`() throws {
        let bench = try TurnBench(scenes: Self.names)
        for name: RestorationIdentifier in ["third", "fourth"] {
            bench.scenes.table.scheduleLaunch(for: name)
        }
        #expect(bench.scenes.names() == Self.names + ["third", "fourth"])
    }

    @Test(arguments: [true, false])
    func `closing all scenes notifies every delegate, but only if the stop is orderly`(
        isOrderly: Bool
    ) throws {
        let bench = try TurnBench(scenes: Self.names)
        let scenes = bench.scenes.table.launchedScenes
        bench.scenes.table.closeAndRemoveAll(isOrderly: isOrderly)
        #expect(bench.notes.record.terminated == (isOrderly ? ["main", "other"] : []))
        #expect(scenes.map { $0.scene.records.startTask == nil } == [true, true])
        #expect(bench.scenes.table.names == [])
    }

    @Test func `L8: every scene whose state was quarantined is launched without state`() throws {
        let bench = try TurnBench()
        let lost: [RestorationIdentifier] = ["first", "second"]
        let sceneLaunchGuard = bench.launchSequence.sceneLaunchGuard
        for (number, name) in lost.enumerated() {
            let state = QuarantinedState(
                name: "00000\(number)-\(name).archive", record: 1, cause: .launching)
            sceneLaunchGuard.record({ .quarantined(scene: $0, state: state) }, of: [name])
        }
        #expect(
            sceneLaunchGuard.quarantinedFileNames.sorted() == [
                "000000-first.archive", "000001-second.archive",
            ])
        sceneLaunchGuard.record(LaunchEvent.removedFromArchive, of: lost)
        bench.launchSequence.crashRecovery.scheduleLaunchesWithoutState(bench.scenes)
        #expect(bench.scenes.table.waitingNames == lost)
    }
}
