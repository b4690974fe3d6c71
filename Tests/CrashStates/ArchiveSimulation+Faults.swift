import SavedState
import SimulatedDisk

extension ArchiveSimulation {
    /// Makes the disk fail from now on.
    mutating func injectFault(_ fault: SimulatedDisk.Fault) {
        mayFail = true
        hasFaults = true
        disk.inject(fault)
    }

    /// Repairs the disk. All state in memory can then be saved, and is saved.
    mutating func repairDisk() throws(Violation) {
        recordFaultOccurrence()
        disk.inject(nil)
        // Completed jobs may still have to report that they failed.
        while sync.isInProgress { try advanceSync() }
        while compaction.isInProgress { try advanceCompaction() }
        mayFail = false
        try retry()
        repeat { try advanceCompaction() } while compaction.isInProgress
        try synchronizeAll()
        guard archive.isDurable, !archive.hasPendingChanges else {
            throw Violation("After the fault was gone something is still not durable")
        }
        let after = disk.copy(afterPowerCut: true)
        let again = Self.archive(on: after)
        let outcome = Result { try again.load() }
        guard case .success(let outcome) = outcome else {
            throw Violation("After the fault was gone a load fails: \(outcome)")
        }
        // If no state is saved, state whose removal failed may be found again.
        let newest = promises.newest
        let oldest =
            promises.versions[newest].model == nil ? promises.currentBounds.durable : newest
        _ = try LoadResult(outcome, again).version(among: promises.versions[oldest...newest])
    }

    /// Records whether the fault of this disk has occurred.
    mutating func recordFaultOccurrence() {
        if disk.hasFaultOccurred { hasFaultOccurred = true }
    }
}
