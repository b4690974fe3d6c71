import LinuxIO
import SavedState
import SimulatedDisk

/// Check of the state after a crash, and of saving after it.
struct CrashCheck {
    let episode: Episode
    private let bounds: [Promises.Bounds]
    private let omitsSync: (@Sendable (SyncSite) -> Bool)?

    /// Kind of crash.
    enum Crash {
        case kill
        /// A power cut whose outcome is chosen by a seed.
        case powerCut(UInt64)
    }

    /// - Parameter omitsSync: Syncs that also do nothing after the crash.
    init(_ episode: Episode, omitsSync: (@Sendable (SyncSite) -> Bool)? = nil) {
        self.episode = episode
        self.omitsSync = omitsSync
        bounds = episode.promises.bounds(count: episode.record.snapshots.count)
    }

    var snapshotCount: Int { bounds.count }

    /// Returns whether every power cut at a snapshot leaves the same state as a kill.
    func isDurable(_ snapshot: Int) -> Bool { episode.record.snapshots[snapshot].isDurable }

    /// Returns the disk after a crash, and the versions that a load may find.
    func stateAfter(
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
        let (disk, possible) = stateAfter(crash, at: snapshot)
        do throws(Violation) {
            return try check(disk, possible, crash, snapshot)
        } catch {
            var lines = ["after \(crash) at step \(snapshot):"]
            lines += episode.recentSteps(upTo: snapshot)
            lines += ["the disk before the crash:"]
            lines += episode.record.snapshots[snapshot].listing
            lines +=
                ["the disk after the crash:"]
                + stateAfter(crash, at: snapshot).disk.snapshot.listing
            throw error.addingDetails(lines)
        }
    }

    private func check(
        _ disk: SimulatedDisk, _ possible: ArraySlice<Promises.Version>, _ crash: Crash,
        _ snapshot: Int
    ) throws(Violation) -> Promises.Version {
        let file = ArchiveSimulation.file(on: disk)
        disk.omitSyncs(omitsSync)
        disk.begin("load")
        let before = disk.copy(afterPowerCut: false)
        let archive = ArchiveSimulation.archive(on: disk, reservesSpace: snapshot % 3 != 0)
        let result = LoadResult(try load(archive), archive, file: file)
        try checkRetainedContents(on: before, result, snapshot)
        let isDamaged = episode.damagedFile != nil && episode.damagedFile == file
        let version = try result.version(among: possible, isDamaged: isDamaged)
        if case .kill = crash, result.isTorn, !episode.hasFaults, isTornBefore(file) == false {
            throw Violation("A kill has left a torn end")
        }
        // The sync of `closed` failed, and the process ended before it could revoke `closed`.
        if result.isClosed, disk.snapshot.hasLostData { return version }
        try checkSavingAfterCrash(disk, archive, version, snapshot)
        if result.isTorn, case .powerCut = crash, let file {
            try check(
                Promises.RetainedContents(bytes: file, since: 0),
                on: disk.copy(afterPowerCut: true),
                snapshot)
        }
        try checkRetainedContents(on: disk.copy(afterPowerCut: true), result, snapshot)
        return version
    }

    /// Returns whether the file was already torn when it was loaded, and has not been saved since.
    private func isTornBefore(_ file: [UInt8]?) -> Bool {
        episode.promises.retainedContents.contains { $0.path == nil && $0.bytes == file }
    }

    private func checkSavingAfterCrash(
        _ disk: SimulatedDisk, _ archive: ApplicationArchive, _ version: Promises.Version,
        _ snapshot: Int
    ) throws(Violation) {
        let model = version.model ?? SavedModel()
        var generator = TurnGenerator(seed: UInt64(snapshot), after: 1 << 32)
        let (turn, states) = generator.turn(on: model)
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
        let archive = ArchiveSimulation.archive(on: disk)
        _ = try LoadResult(try load(archive), archive).version(among: [version])
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
    var message: String
    /// Lines that describe the preceding operations and the disks.
    var details: [String] = []

    init(_ message: String) {
        self.message = message
    }

    var description: String { ([message] + details.map { "    \($0)" }).joined(separator: "\n") }

    /// Returns the violation with additional lines.
    func addingDetails(_ lines: [String]) -> Violation {
        var copy = self
        copy.details += lines
        return copy
    }
}
