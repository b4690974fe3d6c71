import Dispatch
import ExactText
package import LinuxIO
import Synchronization

/// Guard that prevents a crash during the launch of a scene from recurring forever (L2, L3, L8).
///
/// The guard stores a ``LaunchLedger`` in the file `launches` of the state directory. If this process crashes, it
/// leaves a stamp in the file `stamp`. When the guard is first used, it reads the files of the previous process. If the
/// files cannot be used, scenes are launched anyway. The guard is then off, or records events only in memory, and
/// reports the problem once.
///
/// The state is in memory, under a lock that is held only briefly. The files are used only on a dispatch queue. A
/// function that records an important event waits until the event is written. Once the files have been read, functions
/// that only read the state do not wait for the disk.
package final class LaunchGuard: Sendable {
    /// Gate that lets only one scene be launched at a time.
    package let gate = LaunchGate()
    private let environment: LaunchEnvironment
    private let known = Mutex(Known())
    private let queue = DispatchQueue(label: "org.reprise.launches")
    /// Files, which are used only on the queue.
    private let files: Mutex<LaunchFiles>

    private struct Known: Sendable {
        /// Ledger, or `nil` if the files have not been read yet.
        var ledger: LaunchLedger?
        /// Whether the files could be read.
        var isRead = false
        /// Whether events can be stored. Otherwise every scene is launched.
        var isOn = false
        /// Events that have not been written yet, in order.
        var unwritten: [LaunchEvent] = []
        /// Whether any of these events must survive a power cut.
        var needsSync = false
        var stamp: CrashStamp?
        var problems: [LaunchGuardProblem] = []
        /// Descriptions of the previous process's end that have not been returned yet, keyed by scene.
        var deaths: [SceneKey: String] = [:]
        private var hasReportedWriteFailure = false

        mutating func reportWriteFailure(_ error: IOError) {
            if hasReportedWriteFailure { return }
            hasReportedWriteFailure = true
            problems.append(.unwritable(error))
        }
    }

    /// Creates a guard whose files are in a directory. Nothing is read or written yet.
    ///
    /// - Parameter plain: Unencrypted view of the same directory, for the stamps that a crashing process
    ///   writes, or `nil` if `folder` is not encrypted.
    package init(
        in folder: any Folder, stampsIn plain: (any Folder)? = nil,
        environment: LaunchEnvironment = .current()
    ) {
        self.environment = environment
        files = Mutex(LaunchFiles(in: folder, stampsIn: plain ?? folder))
    }

    /// Returns the identity of this process's program, from its version and the fingerprint of its storyboards.
    package func identity(version: String, resources: UInt64) -> ProgramIdentity {
        ProgramIdentity(
            version: version, resources: resources, executable: environment.executable)
    }

    /// Decides what to do with a scene that is about to be launched, see ``LaunchLedger``.
    package func decide(
        _ scene: SceneKey, identity: ProgramIdentity, hasState: Bool, limits: LaunchLimits
    ) -> LaunchDecision {
        use { known in
            guard known.isOn, let ledger = known.ledger else { return .launch }
            return ledger.decide(scene, identity: identity, hasState: hasState, limits: limits)
        }
    }

    /// Returns the records of a scene's launches, or `nil` if there are no records.
    package func launches(of scene: SceneKey) -> SceneLaunches? {
        use { $0.ledger?.scenes[scene] }
    }

    /// Returns the records of an application's scenes that satisfy a condition, sorted by scene name.
    package func launches(
        of application: String, where isMeant: (SceneLaunches) -> Bool
    ) -> [(scene: String, launches: SceneLaunches)] {
        use { known in
            var found: [(scene: String, launches: SceneLaunches)] = []
            for (scene, launches) in known.ledger?.scenes ?? [:]
            where isMeant(launches) && scene.application == application {
                found.append((scene.scene, launches))
            }
            return found.sorted { $0.scene < $1.scene }
        }
    }

    /// Returns the scenes that the previous process was launching, or had recently launched, when it ended.
    ///
    /// The result contains the scenes of one application, each with a description of how the process ended. Each scene
    /// is returned only once.
    package func consumeCrashes(of application: String) -> [(scene: String, end: String)] {
        use { known in
            let taken = known.deaths.filter { $0.key.application == application }
            for scene in taken.keys { known.deaths[scene] = nil }
            return taken.sorted { $0.key < $1.key }.map { ($0.key.scene, $0.value) }
        }
    }

    /// Returns the last problem of an application, or `nil` if there is no problem. The problem may be from an earlier
    /// process.
    package func problem(of application: String) -> NotedProblem? {
        use { $0.ledger?.problems[application] }
    }

    /// Rewrites the ledger's file durably.
    ///
    /// - Returns: `false` if the file was not written because the existing file could not be read.
    package func rewrite() throws(IOError) -> Bool {
        let isRead = use { $0.isRead }
        guard isRead else { return false }
        let result = queue.sync { () -> Result<Void, IOError> in
            Result { () throws(IOError) in
                guard let ledger = known.withLock({ $0.ledger }) else { return }
                try files.withLock { files throws(IOError) in try files.write(ledger) }
            }
        }
        try result.get()
        return true
    }

    /// Returns and removes the guard's own problems that have not been returned yet.
    package func consumeProblems() -> [LaunchGuardProblem] {
        use { known in
            defer { known.problems = [] }
            return known.problems
        }
    }

    // MARK: Events

    /// Records that a scene's launch begins, with its first stage and its launch reason (R2).
    package func begin(
        _ scene: SceneKey, reason: String, stage: String, identity: ProgramIdentity
    ) {
        record { known in
            let launches = known.ledger?.scenes[scene]
            let failures = launches?.identity == identity ? launches?.failures ?? 0 : 0
            known.stamp?.markExits(true)
            let mark = LaunchMark(
                boot: environment.boot, scene: scene, attempt: failures + 1, reason: reason,
                stage: stage, identity: identity)
            return [.launching(mark: mark)]
        }
    }

    /// Records that the scene's launch is complete (R13).
    package func recordLaunch(_ scene: SceneKey, identity: ProgramIdentity) {
        record { known in
            known.stamp?.markExits(false)
            return [.launched(scene: scene, identity: identity, time: environment.now())]
        }
    }

    /// Records the scenes that have been running for long enough. Later crashes do not count against them (L3).
    ///
    /// The events are written asynchronously.
    package func recordSurvivingScenes() {
        record(waits: false) { known in
            let now = environment.now()
            return known.ledger?.scenes.filter { $0.value.hasSurvivedGracePeriod(at: now) }
                .map { .endured(scene: $0.key) } ?? []
        }
    }

    /// Returns whether ``recordSurvivingScenes()`` may record an event for a scene of an application.
    package func hasSceneInGracePeriod(_ application: String) -> Bool {
        use {
            $0.ledger?.scenes.contains {
                $0.key.application == application && $0.value.isInGracePeriod
            }
                ?? false
        }
    }

    /// Records that the launch in progress was abandoned without a crash.
    package func recordAbandonedLaunch() {
        record { known in
            known.stamp?.markExits(false)
            return known.ledger?.mark == nil ? [] : [.abandoned]
        }
    }

    /// Records events, and waits until they are written, as far as the disk allows.
    ///
    /// - Parameter durably: Whether the events must survive a power cut.
    package func record(_ events: [LaunchEvent], durably: Bool = false) {
        record(durably: durably) { _ in events }
    }

    /// Records an event, see ``record(_:durably:)``.
    package func record(_ event: LaunchEvent, durably: Bool = false) {
        record([event], durably: durably)
    }

    /// Records a problem of an application. The event is written asynchronously, as far as the disk allows.
    package func record(_ problem: NotedProblem, of application: String) {
        record(waits: false) { _ in [.problem(application: application, problem: problem)] }
    }

    /// Returns a crash stamp place for threads that run a scene's code, or `nil` if no stamps can be written.
    package func place(of scene: SceneKey) -> CrashStamp.Place? {
        use { $0.stamp }?.place(scene.subject)
    }

    /// Runs code that reads an application's files. A crash in this code does not count against any scene (L2).
    ///
    /// - Parameter application: Bundle identifier of the application.
    package func readFiles<Result, Failure>(
        of application: String, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // Before the guard has read its files, no launch of this process can be blamed.
        guard let place = known.withLock({ $0.stamp })?.place(application) else {
            return try body()
        }
        return try place.run(at: "reading-files", body)
    }

    private func use<Result>(_ body: (inout Known) -> sending Result) -> sending Result {
        if known.withLock({ $0.ledger == nil }) { queue.sync { start() } }
        return known.withLock { body(&$0) }
    }

    /// Records events and writes them in order.
    private func record(
        durably: Bool = false, waits: Bool = true, _ body: (inout Known) -> [LaunchEvent]
    ) {
        let isUnwritten = use { known in
            let events = body(&known)
            for event in events { known.ledger?.apply(event) }
            guard known.isOn, !events.isEmpty else { return false }
            known.unwritten += events
            if durably { known.needsSync = true }
            return true
        }
        guard isUnwritten else { return }
        if waits { queue.sync { write() } } else { queue.async { self.write() } }
    }

    /// Waits until all events are written, for tests.
    func waitUntilWritten() { queue.sync {} }

    // MARK: On the queue

    /// Writes the events that have not been written yet.
    private func write() {
        let (events, ledger, durably) = known.withLock { known in
            defer {
                known.unwritten = []
                known.needsSync = false
            }
            return (known.unwritten, known.ledger, known.needsSync)
        }
        guard let ledger, !events.isEmpty else { return }
        do throws(IOError) {
            try files.withLock { files throws(IOError) in
                try files.write(events, of: ledger, durably: durably)
            }
        } catch {
            // If all events are problems of applications, the failed write may have the same cause, and no launch was
            // lost.
            let isOfLaunches = events.contains {
                if case .problem = $0 { false } else { true }
            }
            if isOfLaunches { known.withLock { $0.reportWriteFailure(error) } }
        }
    }

    /// Reads and adopts the files of the previous process.
    private func start() {
        guard known.withLock({ $0.ledger == nil }) else { return }
        var started = Known()
        files.withLock { files in
            do throws(IOError) {
                let (ledger, isFirst) = try self.ledger(from: files, &started)
                started.ledger = ledger
                started.isRead = true
                // The ledger is written before the stamps of the old process are removed.
                if isFirst { try files.create(ledger) } else { try files.write(ledger) }
                started.isOn = true
                try self.arm(files, &started)
            } catch {
                // A file that cannot be read is not overwritten, so the guard stays off.
                started.reportWriteFailure(error)
            }
        }
        if started.ledger == nil { started.ledger = LaunchLedger(process: "") }
        known.withLock { [started] in $0 = started }
    }

    /// Returns the previous process's ledger, updated with how that process ended, and whether there was no previous
    /// process.
    private func ledger(
        from files: LaunchFiles, _ started: inout Known
    ) throws(IOError) -> (LaunchLedger, isFirst: Bool) {
        let (found, problem) = try files.ledger()
        var ledger = found ?? LaunchLedger(process: "")
        if let problem { started.problems.append(problem) }
        var stamps: [CrashStamp.Line] = []
        do throws(IOError) { stamps = try files.stamps() } catch {
            started.reportWriteFailure(error)
        }
        let before = ledger.scenes
        ledger.countEnd(stamps, boot: environment.boot)
        for (scene, launches) in ledger.scenes
        where launches.endCount > before[scene]?.endCount ?? 0 {
            started.deaths[scene] = launches.lastEnd
        }
        ledger.handOver(to: environment.process)
        return (ledger, found == nil && problem == nil)
    }

    /// Prepares this process to write its stamp, after the stamps of the previous process are removed.
    private func arm(_ files: LaunchFiles, _ started: inout Known) throws(IOError) {
        guard let file = try files.emptyStamps() else { return }
        started.stamp = CrashStamp(file, owner: environment.process)
        if started.stamp == nil {
            started.problems.append(.unstamped(reason: "too many state directories are open"))
        }
    }
}

/// Reason why the launch guard does not fully work. Scenes are launched anyway.
package enum LaunchGuardProblem: Sendable, Equatable, CustomStringConvertible {
    /// The records of earlier launches cannot be used. Their file was renamed.
    case damaged(path: String, reason: String)
    /// Events cannot be stored.
    case unwritable(IOError)
    /// No stamps can be written.
    case unstamped(reason: String)

    /// One sentence that describes the problem.
    package var description: String {
        switch self {
        case .damaged(let path, let reason):
            """
            The record of earlier launches cannot be used and was renamed to '\(path)', so \
            earlier crashes are no longer counted: \(reason)
            """
        case .unwritable(let error):
            """
            Launches cannot be recorded, so a scene that crashes the program may be launched again: \
            \(error)
            """
        case .unstamped(let reason):
            "Crashes cannot be distinguished from kills, and more kills than crashes are allowed: \(reason)"
        }
    }
}
