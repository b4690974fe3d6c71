import LinuxIO
import SavedState
import SimulatedDisk
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Conditions under which a turn executor writes the state again, passes it to a replica, or quarantines an archive.
@Suite struct TurnExecutorConditionsTests {
    @Test(arguments: [false, true], [false, true])
    func `a new replica receives the whole state once, if replies wait for replication`(
        isDurable: Bool, waitsForReplication: Bool
    ) throws {
        let bench = try TurnBench()
        if !isDurable {
            bench.write("appended")
            bench.runTurn()
        }
        #expect(bench.saver.recordDurability == (isDurable ? .durable : .written))
        let replica = ManualReplica()
        bench.replicate(to: replica)
        bench.executor.durability = waitsForReplication ? .replicated : .written
        for _ in 0..<2 {
            bench.perform("read", isReadOnly: true)
            bench.runTurn()
        }
        #expect(replica.calls == (waitsForReplication ? ["state"] : []))
    }

    @Test func `P16: if there is nothing to sync, state that needs a new file is written`() throws {
        let bench = try TurnBench()
        bench.write("one")
        bench.runTurn()
        try bench.saver.archive.requireNewFile()
        #expect(!bench.saver.recordDurability.isSaved)
        bench.executor.didSync(nil, since: Moment(time: 2) { .zero })
        #expect(bench.saver.recordDurability == .durable)
    }

    @Test func `state that needs a new file after a compaction is written at once`() throws {
        let bench = try TurnBench()
        for letter in "abcde" {
            bench.write(String(repeating: letter, count: 600_000))
            bench.runTurn()
        }
        let job = try #require(bench.saver.archive.beginCompaction())
        let result = job.run()
        try bench.saver.archive.requireNewFile()
        #expect(bench.saver.archive.hasUnwrittenState)
        bench.executor.didCompact(job, result)
        #expect(!bench.saver.archive.hasUnwrittenState)
    }

    @Test(arguments: [ReplacementObstacle.damaged, .notSaved], [true, false])
    func `L8: a refused archive is quarantined, unless it can be restored from its file later`(
        cause: ReplacementObstacle, isInPlace: Bool
    ) throws {
        let bench = try TurnBench()
        let earlierBytes = try #require(bench.bytes())
        bench.write("one")
        bench.runTurn()
        let directory = try bench.openDirectory()
        _ = try directory.replace("data.archive", with: earlierBytes, temporaryName: "copy")
        guard case .replaced(let replacement)? = bench.executor.checkArchive() else {
            Issue.record("the replacement was not found")
            return
        }
        if !isInPlace { #expect(try directory.remove("data.archive")) }
        bench.executor.didAdopt(
            replacement, .failure(StateChangeFailure(cause: cause, reason: "a test refuses it")))
        let quarantinedBytes = bench.bytes(of: "quarantine/000001-data.archive")
        if cause == .notSaved, isInPlace {
            #expect(quarantinedBytes == nil)
            #expect(bench.bytes() == earlierBytes)
            #expect(bench.saver.failureReason?.contains("is not restored yet") == true)
        } else {
            #expect(quarantinedBytes == earlierBytes)
        }
    }
}
