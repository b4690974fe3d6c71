import SavedState
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Turns that run commands on several scenes.
@Suite struct TurnExecutorScenesTests {
    private static let names: [RestorationIdentifier] = ["main", "other"]

    @Test func `P14: a turn has changes if any of its commands is not read-only`() throws {
        let bench = try TurnBench()
        bench.perform("read", isReadOnly: true)
        bench.write("one")
        #expect(bench.runTurn().hasChanges)
        #expect(bench.replies == ["read: written", "write: written"])
    }

    @Test func `a turn has no common scene if its commands address different scenes`() throws {
        let bench = try TurnBench(scenes: Self.names)
        for name in Self.names { bench.write("one", in: name) }
        #expect(bench.runTurn().commonSceneName == nil)
        bench.write("two", in: "other")
        #expect(bench.runTurn().commonSceneName == "other")
    }

    @Test func `after a turn, no change in any scene is attributed to its commands`() throws {
        let bench = try TurnBench(scenes: Self.names)
        for name in Self.names { bench.write("one", in: name) }
        bench.runTurn()
        #expect(bench.scenes.table.launchedScenes.map(\.hasPendingMutation) == [false, false])
    }

    @Test func `L8: a turn records the user's first change to each replaced scene`() throws {
        let bench = try TurnBench(scenes: Self.names)
        let sceneLaunchGuard = bench.launchSequence.sceneLaunchGuard
        sceneLaunchGuard.record(
            { .replaced(scene: $0, generation: "history/000001.archive") }, of: Self.names)
        for name in Self.names { bench.write("one", in: name) }
        bench.runTurn()
        let records = sceneLaunchGuard.launchRecords(of: Self.names)
        #expect(Self.names.map { records[$0]?.isChanged } == [true, true])
    }

    @Test func `R13: redundant completions in several scenes are logged in the same turn`()
        throws
    {
        let bench = try TurnBench(scenes: Self.names)
        for name in Self.names { bench.perform(in: name) { $0.completeStateRestoration() } }
        bench.runTurn()
        #expect(bench.log.count(.extensionMisused) == 2)
    }

    @Test func `P20: at the interval, every scene is searched for missed invalidations`() throws {
        let bench = try TurnBench(scenes: Self.names)
        for name in Self.names {
            bench.perform(in: name) { $0.note.changeWithoutInvalidating("missed in \(name)") }
        }
        bench.runTurn()
        #expect(bench.bytes()?.contains("missed in".utf8) == false)
        bench.executor.save(bench.scenes, .interval)
        for name in Self.names {
            #expect(bench.bytes()?.contains("missed in \(name)".utf8) == true, "\(name)")
        }
    }
}
