import SavedState
import SimulatedDisk
import TestSupport

extension ArchiveSimulation {
    /// Shuts the application down and starts it again.
    mutating func closeAndStart() throws(Violation) {
        let before = promises.versions[promises.newest]
        var closed = before
        closed.isClosed = closed.model != nil
        closed.origin = "close"
        begin([closed])
        let done: Void? = try attempt("close") { archive throws(SaveError) in try archive.close() }
        try checkRequiredGeneration()
        if done == nil {
            begin([before])
        } else if closed.model != nil {
            promises.promiseDurable(promises.newest, at: disk.snapshotIndex)
        }
        recordDurability()
        try killAndStart()
    }

    /// Records in the archive that the application is running.
    mutating func markOpened() throws(Violation) {
        let before = promises.versions[promises.newest]
        var opened = before
        opened.isClosed = false
        opened.origin = "opening"
        begin([opened])
        let done: Void? = try attempt("opening") { archive throws(SaveError) in
            try archive.markOpened()
        }
        // If nothing can be written, the state is unchanged.
        if done == nil || archive.contents?.isClosed == true {
            begin([before])
        } else {
            promises.promiseWritten(promises.newest, at: disk.snapshotIndex)
        }
        recordDurability()
    }

    /// Kills the process and starts another process.
    mutating func killAndStart() throws(Violation) {
        // The sync of `closed` failed, and no process remains that knows this.
        if disk.snapshot.hasLostData, archive.contents?.isClosed == true {
            return try losePowerAndStart()
        }
        restart()
        let bounds = promises.currentBounds
        let version = try start(from: promises.versions[bounds.written...bounds.newest])
        promises.begin([version], after: disk.snapshotIndex)
        promises.promiseWritten(promises.newest, at: disk.snapshotIndex)
        try finishStart()
    }

    /// Simulates one of the possible power cuts, and starts the application again.
    mutating func losePowerAndStart() throws(Violation) {
        let seed = numbers.next()
        let bounds = promises.currentBounds
        let possible = promises.versions[bounds.durable...bounds.newest]
        let left = disk.snapshot.afterPowerCut(seed: seed)
        do throws(Violation) {
            move(to: left)
            try begin(with: start(from: possible))
        } catch {
            let recentSteps = episodes.last?.recentSteps(upTo: .max) ?? []
            throw error.addingDetails(["before, up to the power cut \(seed):"] + recentSteps)
        }
    }

    /// Changes bytes of the file while no process is running, and starts the application again.
    mutating func damageAndStart() throws(Violation) {
        guard let good = disk.file(Self.file), good.count > EncryptedDisk.firstDamageableOffset
        else {
            return
        }
        var bytes = good
        for _ in 0..<1 + numbers.below(3) {
            let first = EncryptedDisk.firstDamageableOffset
            bytes[first + numbers.below(bytes.count - first)] ^= UInt8(1 + numbers.below(255))
        }
        if bytes == good { return }
        let left = disk.copy(afterPowerCut: false)
        left.put(bytes, at: Self.file)
        move(to: left)
        damagedFile = left.content(Self.file)
        try begin(with: start(from: nil), keeping: damagedFile)
    }

    private mutating func move(to disk: SimulatedDisk) {
        sync.abandon()
        compaction.abandon()
        endEpisode()
        self.disk = disk
        damagedFile = nil
        mayFail = false
        hasFaults = false
        disk.omitSyncs(omitsSync)
        disk.startRecording()
        restart()
    }

    /// Replaces the process with a new process, which has no state.
    private mutating func restart() {
        sync.abandon()
        compaction.abandon()
        archive = Self.archive(on: disk, reservesSpace: reservesSpace)
        requiredGeneration = nil
    }

    /// Ends the episode, so that crashes can be simulated in it.
    mutating func endEpisode() {
        recordFaultOccurrence()
        guard let record = disk.stopRecording() else { return }
        episodes.append(
            Episode(
                record: record, promises: promises, damagedFile: damagedFile, hasFaults: hasFaults))
    }
}
