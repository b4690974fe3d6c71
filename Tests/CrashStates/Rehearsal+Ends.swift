import SavedState
import SimulatedDisk
import TestSupport

extension Rehearsal {
    /// Shuts the application down and starts it again.
    mutating func closeAndStart() throws(Violation) {
        let before = promises.versions[promises.newest]
        var closed = before
        closed.isClosed = closed.model != nil
        closed.origin = "close"
        begin([closed])
        let done: Void? = try attempt("close") { archive throws(SaveError) in try archive.close() }
        try noteGeneration()
        if done == nil {
            begin([before])
        } else if closed.model != nil {
            promises.promiseDurable(promises.newest, at: disk.recordedSnapshot)
        }
        noteDurability()
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
        if done == nil || archive.contents?.closed == true {
            begin([before])
        } else {
            promises.promiseWritten(promises.newest, at: disk.recordedSnapshot)
        }
        noteDurability()
    }

    /// Kills the process and starts another process.
    mutating func killAndStart() throws(Violation) {
        // The sync of `closed` failed, and no process remains that knows this.
        if disk.snapshot.hasLost, archive.contents?.closed == true {
            return try losePowerAndStart()
        }
        restart()
        let bounds = promises.now
        let version = try start(from: promises.versions[bounds.written...bounds.newest])
        promises.begin([version], after: disk.recordedSnapshot)
        promises.promiseWritten(promises.newest, at: disk.recordedSnapshot)
        try goOn()
    }

    /// Simulates one of the possible power cuts, and starts the application again.
    mutating func losePowerAndStart() throws(Violation) {
        let seed = numbers.next()
        let bounds = promises.now
        let possible = promises.versions[bounds.durable...bounds.newest]
        let left = disk.snapshot.afterPowerCut(seed: seed)
        do throws(Violation) {
            move(to: left)
            try begin(with: start(from: possible))
        } catch {
            let story = episodes.last?.story(upTo: .max) ?? []
            throw error.adding(["before, up to the power cut \(seed):"] + story)
        }
    }

    /// Changes bytes of the file while no process is running, and starts the application again.
    mutating func damageAndStart() throws(Violation) {
        guard let good = disk.file(Self.file), good.count > EncryptedDisk.firstDamaged else {
            return
        }
        var bytes = good
        for _ in 0..<1 + numbers.below(3) {
            let first = EncryptedDisk.firstDamaged
            bytes[first + numbers.below(bytes.count - first)] ^= UInt8(1 + numbers.below(255))
        }
        if bytes == good { return }
        let left = disk.copy(afterPowerCut: false)
        left.put(bytes, at: Self.file)
        move(to: left)
        damaged = left.content(Self.file)
        try begin(with: start(from: nil), keeping: damaged)
    }

    private mutating func move(to disk: SimulatedDisk) {
        sync.abandon()
        compaction.abandon()
        endEpisode()
        self.disk = disk
        damaged = nil
        mayFail = false
        hasFaults = false
        disk.leaveOut(leavesOut)
        disk.startRecording()
        restart()
    }

    /// Replaces the process with a new process, which has no state.
    private mutating func restart() {
        sync.abandon()
        compaction.abandon()
        archive = Self.archive(on: disk, reservesSpace: reservesSpace)
        required = nil
    }

    /// Ends the episode, so that crashes can be simulated in it.
    mutating func endEpisode() {
        noteStrike()
        guard let record = disk.takeRecord() else { return }
        episodes.append(
            Episode(
                record: record, promises: promises, damaged: damaged, hasFaults: hasFaults))
    }
}
