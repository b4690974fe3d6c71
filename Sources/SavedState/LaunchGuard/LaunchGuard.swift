import Dispatch
import ExactText
package import LinuxIO
import Synchronization

/// Guard that prevents a crash during a scene's launch from recurring forever (L2, L3, L8).
///
/// The guard stores a ``LaunchLedger`` in the file `launches` in the state directory. If this process crashes, it
/// leaves a stamp in the file `stamp`. When the guard is first used, it reads the previous process's files. If the
/// files cannot be used, scenes are launched anyway. In this case, the guard is off or records events only in memory,
/// and reports the problem once.
///
/// The guard's state is in memory, protected by a lock that is held only briefly. The files are accessed only on a
/// dispatch queue. A function that records an important event waits until the event has been written. After the files
/// have been read, functions that only read the guard's state do not wait for the disk.
package final class LaunchGuard: Sendable {
    /// Gate that allows only one scene to be launched at a time.
    package let gate = LaunchGate()
    private let environment: LaunchEnvironment
    private let known = Mutex(Known())
    private let queue = DispatchQueue(label: "org.reprise.launches")
    /// The guard's files, which are accessed only on the queue.
    private let files: Mutex<LaunchFiles>

    private struct Known: Sendable {
        /// The ledger, or `nil` if the files have not been read yet.
        var ledger: LaunchLedger?
        /// Whether the ledger's file could be read.
        var isRead = false
        /// Whether events can be stored. If they cannot, every scene is launched.
        var isOn = false
        /// Events that have not been written yet, in order.
        var unwritten: [LaunchEvent] = []
        /// Whether any of the unwritten events must survive a power cut.
        var needsSync = false
        var stamp: CrashStamp?
        var problems: [LaunchGuardProblem] = []
        /// Descriptions of how the previous process died that have not been returned yet, keyed by the scene to which
        /// the crash is attributed.
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
    /// - Parameter plain: The same directory without encryption, for the stamps that a crashing process writes, or
    ///   `nil` if `folder` does not use encryption.
    package init(
        in folder: any Folder, stampsIn plain: (any Folder)? = nil,
        environment: LaunchEnvironment = .current()
    ) {
        self.environment = environment
        files = Mutex(LaunchFiles(in: folder, stampsIn: plain ?? folder))
    }

    /// Returns the identity of this process's program. It depends on the program's version, its executable, and the
    /// fingerprint of its storyboards.
    package func identity(version: String, resources: UInt64) -> ProgramIdentity {
        ProgramIdentity(
            version: version, resources: resources, executable: environment.executable)
    }

    /// Decides what to do with a scene that is about to be launched (see ``LaunchLedger``).
    package func decide(
        _ scene: SceneKey, identity: ProgramIdentity, hasState: Bool, limits: LaunchLimits
    ) -> LaunchDecision {
        use { known in
            guard known.isOn, let ledger = known.ledger else { return .launch }
            return ledger.decide(scene, identity: identity, hasState: hasState, limits: limits)
        }
    }

    /// Returns the records for a scene's launches, or `nil` if there are no records.
    package func launches(of scene: SceneKey) -> SceneLaunches? {
        use { $0.ledger?.scenes[scene] }
    }

    /// Returns the records for an application's scenes that satisfy a condition, sorted by scene name.
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

    /// Returns an application's scenes to which the previous process's crash is attributed, each with a description of
    /// how the process died.
    ///
    /// These are scenes that the process was launching or had recently launched. Each scene is returned only once.
    package func consumeCrashes(of application: String) -> [(scene: String, end: String)] {
        use { known in
            let taken = known.deaths.filter { $0.key.application == application }
            for scene in taken.keys { known.deaths[scene] = nil }
            return taken.sorted { $0.key < $1.key }.map { ($0.key.scene, $0.value) }
        }
    }

    /// Returns the last problem with an application, or `nil` if there is none. The previous process may have recorded
    /// the problem.
    package func problem(of application: String) -> NotedProblem? {
        use { $0.ledger?.problems[application] }
    }

    /// Rewrites the ledger's file durably.
    ///
    /// - Returns: Whether the file was rewritten. It is not rewritten if the existing file could not be read.
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

    /// Returns and removes the problems with the guard itself that have not been returned yet.
    package func consumeProblems() -> [LaunchGuardProblem] {
        use { known in
            defer { known.problems = [] }
            return known.problems
        }
    }

    // MARK: Events

    /// Records that a scene has begun to launch, with the first stage and the reason for the launch (R2).
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

    /// Records that a scene's launch is complete (R13).
    package func recordLaunch(_ scene: SceneKey, identity: ProgramIdentity) {
        record { known in
            known.stamp?.markExits(false)
            return [.launched(scene: scene, identity: identity, time: environment.now())]
        }
    }

    /// Records which scenes have been running for long enough that crashes no longer count against them (L3).
    ///
    /// The events are written asynchronously.
    package func recordSurvivingScenes() {
        record(waits: false) { known in
            let now = environment.now()
            return known.ledger?.scenes.filter { $0.value.hasSurvivedGracePeriod(at: now) }
                .map { .endured(scene: $0.key) } ?? []
        }
    }

    /// Returns whether ``recordSurvivingScenes()`` may later record an event for one of an application's scenes.
    package func hasSceneInGracePeriod(_ application: String) -> Bool {
        use {
            $0.ledger?.scenes.contains {
                $0.key.application == application && $0.value.isInGracePeriod
            }
                ?? false
        }
    }

    /// Records that the launch in progress has been abandoned without a crash.
    package func recordAbandonedLaunch() {
        record { known in
            known.stamp?.markExits(false)
            return known.ledger?.mark == nil ? [] : [.abandoned]
        }
    }

    /// Records events, and waits until they have been written or the write has failed.
    ///
    /// - Parameter durably: Whether the events must survive a power cut.
    package func record(_ events: [LaunchEvent], durably: Bool = false) {
        record(durably: durably) { _ in events }
    }

    /// Records an event (see ``record(_:durably:)``).
    package func record(_ event: LaunchEvent, durably: Bool = false) {
        record([event], durably: durably)
    }

    /// Records a problem with an application. The record is written asynchronously, and is lost if it cannot be written
    /// before the process ends.
    package func record(_ problem: NotedProblem, of application: String) {
        record(waits: false) { _ in [.problem(application: application, problem: problem)] }
    }

    /// Returns a crash-stamp place for threads that run a scene's code, or `nil` if no stamps can be written.
    package func place(of scene: SceneKey) -> CrashStamp.Place? {
        use { $0.stamp }?.place(scene.subject)
    }

    /// Runs code that reads an application's files. A crash in this code does not count against any scene (L2).
    ///
    /// - Parameter application: Bundle identifier of the application.
    package func readFiles<Result, Failure>(
        of application: String, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // Before the guard has read its files, this process has launched no scene to which a crash could be attributed.
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

    /// Waits until all events have been written, for tests.
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
            // If all events are problems with applications, they may have the same cause as the failed write, and no
            // launch event is lost.
            let isOfLaunches = events.contains {
                if case .problem = $0 { false } else { true }
            }
            if isOfLaunches { known.withLock { $0.reportWriteFailure(error) } }
        }
    }

    /// Reads and adopts the previous process's files.
    private func start() {
        guard known.withLock({ $0.ledger == nil }) else { return }
        var started = Known()
        files.withLock { files in
            do throws(IOError) {
                let (ledger, isFirst) = try self.ledger(from: files, &started)
                started.ledger = ledger
                started.isRead = true
                // The ledger is written before the previous process's stamps are removed.
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

    /// Returns the previous process's ledger, updated to reflect how that process ended, and whether there was no
    /// previous process.
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

    /// Removes the previous process's stamps, and prepares this process to write a stamp if it crashes.
    private func arm(_ files: LaunchFiles, _ started: inout Known) throws(IOError) {
        guard let file = try files.emptyStamps() else { return }
        started.stamp = CrashStamp(file, owner: environment.process)
        if started.stamp == nil {
            started.problems.append(.unstamped(reason: "too many state directories are open"))
        }
    }
}

/// Reason why the launch guard does not work fully. Scenes are launched anyway.
package enum LaunchGuardProblem: Sendable, Equatable, CustomStringConvertible {
    /// The records of earlier launches cannot be used. The file that contains them was renamed.
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
