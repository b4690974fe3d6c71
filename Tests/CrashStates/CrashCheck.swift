import LinuxIO
import SavedState
import SimulatedDisk

/// Checks what is found after a crash, and that saving goes on from there.
struct CrashCheck {
    let episode: Episode
    private let bounds: [Promises.Bounds]
    private let leavesOut: (@Sendable (SyncSite) -> Bool)?

    /// How the application ended.
    enum Crash {
        case kill
        /// A power cut, chosen by the seed.
        case powerCut(UInt64)
    }

    /// - Parameter leavesOut: syncs that go on doing nothing after the crash.
    init(_ episode: Episode, leavesOut: (@Sendable (SyncSite) -> Bool)? = nil) {
        self.episode = episode
        self.leavesOut = leavesOut
        bounds = episode.promises.bounds(count: episode.record.snapshots.count)
    }

    var snapshotCount: Int { bounds.count }

    /// Whether all power cuts at a snapshot leave what a kill leaves.
    func isDurable(_ snapshot: Int) -> Bool { episode.record.snapshots[snapshot].isDurable }

    /// The disk that a crash leaves, and what may be found there.
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

    /// Loads after a crash, appends once more and loads again.
    ///
    /// - Returns: what was found.
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
        // The sync of `closed` has failed, and the process ended before it could take that back.
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

    /// Whether the file was torn when it was loaded, and nothing was saved since.
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

    /// A load must find exactly this.
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

/// A promise that was broken, with all that is needed to see how.
struct Violation: Error, CustomStringConvertible {
    /// What is wrong, in one sentence.
    var what: String
    /// What led to it, and what there is; a line each.
    var account: [String] = []

    init(_ what: String) {
        self.what = what
    }

    var description: String { ([what] + account.map { "    \($0)" }).joined(separator: "\n") }

    /// The same with more lines.
    func adding(_ lines: [String]) -> Violation {
        var more = self
        more.account += lines
        return more
    }
}
