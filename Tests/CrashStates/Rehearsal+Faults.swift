import SavedState
import SimulatedDisk

extension Rehearsal {
    /// From now on the disk fails so.
    mutating func arm(_ fault: SimulatedDisk.Fault) {
        mayFail = true
        hasFaults = true
        disk.inject(fault)
    }

    /// The disk is well again: then everything that is in memory can be saved, and is.
    mutating func mend() throws(Violation) {
        noteStrike()
        disk.inject(nil)
        // What has run may still have to tell that it failed.
        while sync.isGoingOn { try advanceSync() }
        while compaction.isGoingOn { try advanceCompaction() }
        mayFail = false
        try retry()
        repeat { try advanceCompaction() } while compaction.isGoingOn
        try synchronizeAll()
        guard archive.isDurable, !archive.hasPending else {
            throw Violation("After the fault was gone something is still not durable")
        }
        let after = disk.copy(afterPowerCut: true)
        let again = Self.archive(on: after)
        let outcome = Result { try again.load() }
        guard case .success(let outcome) = outcome else {
            throw Violation("After the fault was gone a load fails: \(outcome)")
        }
        // Where nothing is saved, what was removed without success may come back.
        let newest = promises.newest
        let oldest = promises.versions[newest].model == nil ? promises.now.durable : newest
        _ = try Finding(outcome, again).version(among: promises.versions[oldest...newest])
    }

    /// Remembers whether the fault of this disk has struck.
    mutating func noteStrike() {
        if disk.faultStruck { faultStruck = true }
    }
}
