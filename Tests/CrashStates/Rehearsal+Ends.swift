import SavedState
import SimulatedDisk
import TestSupport

extension Rehearsal {
    /// An orderly stop, and the next start.
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

    /// The application runs.
    mutating func markOpened() throws(Violation) {
        let before = promises.versions[promises.newest]
        var opened = before
        opened.isClosed = false
        opened.origin = "opening"
        begin([opened])
        let done: Void? = try attempt("opening") { archive throws(SaveError) in
            try archive.markOpened()
        }
        // Where nothing can be written it stays as it was.
        if done == nil || archive.contents?.closed == true {
            begin([before])
        } else {
            promises.promiseWritten(promises.newest, at: disk.recordedSnapshot)
        }
        noteDurability()
    }

    /// The process ends and another one starts.
    mutating func killAndStart() throws(Violation) {
        // The sync of `closed` has failed, and nobody is left who knows.
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

    /// The power fails, in one of the ways that can be, and comes back.
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

    /// Bytes of the file change while nobody runs.
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

    /// The next process, which knows nothing.
    private mutating func restart() {
        sync.abandon()
        compaction.abandon()
        archive = Self.archive(on: disk, reservesSpace: reservesSpace)
        required = nil
    }

    /// What was recorded can be crashed.
    mutating func endEpisode() {
        noteStrike()
        guard let record = disk.takeRecord() else { return }
        episodes.append(
            Episode(
                record: record, promises: promises, damaged: damaged, hasFaults: hasFaults))
    }
}
