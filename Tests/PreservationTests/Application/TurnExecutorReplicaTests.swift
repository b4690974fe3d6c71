import Glibc
import LinuxIO
import SavedState
import SimulatedDisk
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Turns whose replies wait for a replica, and changes that the replica receives.
@Suite struct TurnExecutorReplicaTests {
    @Test func `all replies to a turn are sent when its record is replicated`() {
        var levels: [DurabilityLevel] = []
        var pending = PendingReplies()
        let progress = PendingReplies.SaveProgress(
            requiredDurability: .replicated, currentDurability: .durable, writeNumber: 1,
            durableWriteNumber: 1, acceptedRecordNumber: 4)
        let readyCount = pending.add([{ levels.append($0) }, { levels.append($0) }], progress).count
        #expect(readyCount == 0)
        for reply in pending.didReplicate(upTo: 4) { reply.send() }
        #expect(levels == [.replicated, .replicated])
        #expect(pending.newestAwaitedRecordNumber == nil)
    }

    @Test(arguments: [false, true])
    func `a deferred reply waits until the whole state has been replicated`(isStopping: Bool) throws
    {
        let bench = try TurnBench()
        bench.executor.externalChange.didDetectChange(isFailureReported: false)
        bench.perform("read", isReadOnly: true)
        bench.runTurn()
        let replica = ManualReplica()
        bench.replicate(to: replica)
        if isStopping {
            bench.executor.sendAllReplies()
        } else {
            bench.executor.externalChange.endWaiting()
            bench.executor.sendDeferredReplies()
        }
        #expect(replica.calls == ["state"])
        bench.executor.sendReplicatedReplies()
        #expect(bench.replies == [])
        replica.replicateAll()
        bench.executor.sendReplicatedReplies()
        #expect(bench.replies == ["read: replicated"])
    }

    @Test func `a reply that waits for replication waits for the whole state`() throws {
        let bench = try TurnBench()
        let replica = ManualReplica()
        bench.replicate(to: replica)
        var levels: [DurabilityLevel] = []
        bench.executor.addReplyUntilReplicated { levels.append($0) }
        bench.executor.sendReplicatedReplies()
        #expect(levels == [])
        replica.replicateAll()
        bench.executor.sendReplicatedReplies()
        #expect(levels == [.replicated])
    }

    @Test func `L4: the replica also loses the state that another program removed`() throws {
        let bench = try TurnBench()
        bench.write("live")
        bench.runTurn()
        let replica = ManualReplica()
        bench.replicate(to: replica)
        bench.executor.replicateWholeStateIfNeeded()
        #expect(replica.objectCount == 2)
        #expect(try bench.openDirectory().remove("data.archive"))
        #expect(bench.executor.checkArchive() == .unchanged)
        let number = try #require(bench.executor.externalChange.pendingChangeNumber)
        let isCheckDue = bench.executor.externalChange.debounceDidElapse(for: number)
        #expect(isCheckDue)
        #expect(bench.executor.checkArchive() == .removed)
        _ = try #require(bench.executor.removeState(of: bench.scenes))
        #expect(replica.objectCount == 0)
    }

    @Test func `P16: after a failed sync, the oldest change that is not durable stays the same`()
        throws
    {
        let bench = try TurnBench()
        bench.write("one")
        bench.runTurn()
        bench.saver.updateNondurableTime { Moment(time: 1) { .zero } }
        let job = try #require(bench.saver.archive.beginSync())
        bench.disk.inject(SimulatedDisk.Fault(operation: 1, code: EIO, isPermanent: true))
        let failure = IOError(.synchronize, path: bench.saver.archive.path, code: EIO)
        bench.executor.didSync((job, .failure(failure)), since: Moment(time: 2) { .zero })
        #expect(bench.saver.notDurableSince?.time == 1)
    }
}
