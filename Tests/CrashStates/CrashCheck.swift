import LinuxIO
import SavedState
import SimulatedDisk

/// Check of the state after a crash, and of saving after it.
struct CrashCheck {
    let episode: Episode
    private let bounds: [Promises.Bounds]
    private let leavesOut: (@Sendable (SyncSite) -> Bool)?

    /// Kind of crash.
    enum Crash {
        case kill
        /// A power cut whose outcome is chosen by a seed.
        case powerCut(UInt64)
    }

    /// - Parameter leavesOut: Syncs that also do nothing after the crash.
    init(_ episode: Episode, leavesOut: (@Sendable (SyncSite) -> Bool)? = nil) {
        self.episode = episode
        self.leavesOut = leavesOut
        bounds = episode.promises.bounds(count: episode.record.snapshots.count)
    }

    var snapshotCount: Int { bounds.count }

    /// Returns whether every power cut at a snapshot leaves the same state as a kill.
    func isDurable(_ snapshot: Int) -> Bool { episode.record.snapshots[snapshot].isDurable }

    /// Returns the disk after a crash, and the versions that a load may find.
    func leftBy(
        _ crash: Crash, at snapshot: Int
    ) -> (disk: SimulatedDisk, possible: ArraySlice<Promises.Version>) {
        let bounds = bounds[snapshot]
        let versions = episode.promises.versions
        switch crash {
        case .kill:
            return (
                episode.record.snapshots[snapshot].afterKill(),
                versions[bounds.written...bounds.newest]
            )
        case .powerCut(let seed):
            return (
                episode.record.snapshots[snapshot].afterPowerCut(seed: seed),
                versions[bounds.durable...bounds.newest]
            )
        }
    }

    /// Loads the archive after a crash, appends once, and loads it again.
    ///
    /// - Returns: The version that the first load found.
    @discardableResult
    func check(_ crash: Crash, at snapshot: Int) throws(Violation) -> Promises.Version {
        let (disk, possible) = leftBy(crash, at: snapshot)
        do throws(Violation) {
            return try check(disk, possible, crash, snapshot)
        } catch {
            var lines = ["after \(crash) at step \(snapshot):"]
            lines += episode.story(upTo: snapshot)
            lines += ["the disk before the crash:"]
            lines += episode.record.snapshots[snapshot].listing
            lines +=
                ["the disk after the crash:"] + leftBy(crash, at: snapshot).disk.snapshot.listing
            throw error.adding(lines)
        }
    }

    private func check(
        _ disk: SimulatedDisk, _ possible: ArraySlice<Promises.Version>, _ crash: Crash,
        _ snapshot: Int
    ) throws(Violation) -> Promises.Version {
        let file = Rehearsal.file(on: disk)
        disk.leaveOut(leavesOut)
        disk.begin("load")
        let before = disk.copy(afterPowerCut: false)
        let archive = Rehearsal.archive(on: disk, reservesSpace: snapshot % 3 != 0)
        let finding = Finding(try load(archive), archive, file: file)
        try checkKeepsakes(on: before, finding, snapshot)
        let isDamaged = episode.damaged != nil && episode.damaged == file
        let version = try finding.version(among: possible, isDamaged: isDamaged)
        if case .kill = crash, finding.isTorn, !episode.hasFaults, isTornBefore(file) == false {
            throw Violation("A kill has left a torn end")
        }
        // The sync of `closed` failed, and the process ended before it could revoke `closed`.
        if finding.isClosed, disk.snapshot.hasLost { return version }
        try checkGoingOn(disk, archive, version, snapshot)
        if finding.isTorn, case .powerCut = crash, let file {
            try check(
                Promises.Keepsake(bytes: file, since: 0), on: disk.copy(afterPowerCut: true),
                snapshot)
        }
        try checkKeepsakes(on: disk.copy(afterPowerCut: true), finding, snapshot)
        return version
    }

    /// Returns whether the file was already torn when it was loaded, and has not been saved since.
    private func isTornBefore(_ file: [UInt8]?) -> Bool {
        episode.promises.keepsakes.contains { $0.path == nil && $0.bytes == file }
    }

    private func checkGoingOn(
        _ disk: SimulatedDisk, _ archive: ApplicationArchive, _ version: Promises.Version,
        _ snapshot: Int
    ) throws(Violation) {
        let model = version.model ?? SavedModel()
        var maker = TurnMaker(seed: UInt64(snapshot), after: 1 << 32)
        let (turn, states) = maker.turn(on: model)
        let next = Promises.Version(model: states.last, origin: "append after the crash")
        let synchronizes = snapshot % 2 == 0
        do throws(SaveError) {
            disk.begin("append")
            let level = try archive.append(turn)
            disk.begin("sync")
            if level == .written, synchronizes, let job = archive.beginSync() {
                try archive.endSync(job, job.run())
            }
        } catch {
            throw Violation("After the crash saving fails: \(error)")
        }
        if synchronizes, !archive.isDurable {
            throw Violation("After a sync the archive is not durable")
        }
        try check(disk.copy(afterPowerCut: archive.isDurable), next)
    }

    /// Checks that a load finds exactly this version.
    private func check(_ disk: SimulatedDisk, _ version: Promises.Version) throws(Violation) {
        let archive = Rehearsal.archive(on: disk)
        _ = try Finding(try load(archive), archive).version(among: [version])
    }

    private func load(_ archive: ApplicationArchive) throws(Violation) -> LoadOutcome {
        do throws(LoadError) {
            return try archive.load()
        } catch {
            throw Violation("A load fails without a fault: \(error)")
        }
    }
}

/// Broken promise, with the information that is needed to explain it.
struct Violation: Error, CustomStringConvertible {
    /// Sentence that says what is wrong.
    var what: String
    /// Lines that describe the preceding operations and the disks.
    var account: [String] = []

    init(_ what: String) {
        self.what = what
    }

    var description: String { ([what] + account.map { "    \($0)" }).joined(separator: "\n") }

    /// Returns the violation with additional lines.
    func adding(_ lines: [String]) -> Violation {
        var more = self
        more.account += lines
        return more
    }
}
