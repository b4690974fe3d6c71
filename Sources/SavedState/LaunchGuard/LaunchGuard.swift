import Dispatch
import ExactText
package import LinuxIO
import Synchronization

/// Guard that prevents a scene from crashing the process at every launch (L2, L3, L8).
///
/// The guard stores a ``LaunchLedger`` in the file `launches` in the state directory. If this process crashes, it
/// leaves a stamp in the file `stamp`. When the guard is first used, it reads the previous process's files. If the
/// files cannot be used, scenes are launched anyway. In that case, the guard is off or records events only in memory,
/// and reports the problem once.
///
/// The guard's state is in memory, protected by a lock that is held only briefly. The files are accessed only on a
/// dispatch queue. Functions that record important events wait until the events have been written. Functions that only
/// read the guard's state do not wait for the disk once the files have been read.
package final class LaunchGuard: Sendable {
    /// Gate that allows only one scene to be launched at a time.
    package let gate = LaunchGate()
    private let environment: LaunchEnvironment
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "org.reprise.launches")
    /// The guard's files. They are accessed only on the queue.
    private let files: Mutex<LaunchFiles>

    private struct State: Sendable {
        /// The ledger, or `nil` if the files have not been read yet.
        var ledger: LaunchLedger?
        /// Whether the ledger's file could be read.
        var isLedgerRead = false
        /// Whether events can be stored. If they cannot, every scene is launched.
        var isRecording = false
        /// Events that have not been written yet, in the order in which they were recorded.
        var unwrittenEvents: [LaunchEvent] = []
        /// Whether any of the unwritten events must survive a power cut.
        var needsSync = false
        var crashRecorder: CrashRecorder?
        var problems: [LaunchGuardProblem] = []
        /// Descriptions of the previous process's crash, keyed by the scenes to which the crash is attributed. A
        /// description is removed when it is returned.
        var crashDescriptions: [SceneKey: String] = [:]
        private var hasReportedWriteFailure = false

        mutating func reportWriteFailure(_ error: IOError) {
            if hasReportedWriteFailure { return }
            hasReportedWriteFailure = true
            problems.append(.eventsNotStored(error))
        }
    }

    /// Creates a guard whose files are in a directory. Nothing is read or written yet.
    ///
    /// - Parameter stampDirectory: The same directory without encryption, for the stamps that a crashing process
    ///   writes, or `nil` if `directory` does not use encryption.
    package init(
        in directory: any DirectoryProtocol,
        stampsIn stampDirectory: (any DirectoryProtocol)? = nil,
        environment: LaunchEnvironment = .current()
    ) {
        self.environment = environment
        files = Mutex(LaunchFiles(in: directory, stampsIn: stampDirectory ?? directory))
    }

    /// Returns the identity of this process's program.
    package func identity(version: String, storyboardFingerprint: UInt64) -> ProgramIdentity {
        ProgramIdentity(
            version: version, storyboardFingerprint: storyboardFingerprint,
            executableChecksum: environment.executableChecksum)
    }

    /// Decides what to do with a scene that is about to be launched (see ``LaunchLedger``).
    package func decide(
        _ scene: SceneKey, identity: ProgramIdentity, hasState: Bool, limits: LaunchLimits
    ) -> LaunchDecision {
        withState { state in
            guard state.isRecording, let ledger = state.ledger else { return .launch }
            return ledger.decide(scene, identity: identity, hasState: hasState, limits: limits)
        }
    }

    /// Returns the records for a scene's launches, or `nil` if there are no records.
    package func launches(of scene: SceneKey) -> SceneLaunches? {
        withState { $0.ledger?.scenes[scene] }
    }

    /// Returns the records for those scenes of an application that satisfy a condition, sorted by scene name.
    package func launches(
        of bundleIdentifier: String, where isIncluded: (SceneLaunches) -> Bool
    ) -> [(scene: String, launches: SceneLaunches)] {
        withState { state in
            var scenesFound: [(scene: String, launches: SceneLaunches)] = []
            for (scene, launches) in state.ledger?.scenes ?? [:]
            where isIncluded(launches) && scene.application == bundleIdentifier {
                scenesFound.append((scene.scene, launches))
            }
            return scenesFound.sorted { $0.scene < $1.scene }
        }
    }

    /// Returns the scenes to which the previous process's crash is attributed, with a description of the crash.
    ///
    /// The process was launching these scenes of the application, or had recently launched them. Each scene is returned
    /// only once.
    package func consumeCrashes(of bundleIdentifier: String) -> [(
        scene: String, crashDescription: String
    )] {
        withState { state in
            let crashes = state.crashDescriptions.filter { $0.key.application == bundleIdentifier }
            for scene in crashes.keys { state.crashDescriptions[scene] = nil }
            return crashes.sorted { $0.key < $1.key }.map { ($0.key.scene, $0.value) }
        }
    }

    /// Returns the last problem with an application, or `nil` if there is none. The previous process may have recorded
    /// the problem.
    package func problem(of bundleIdentifier: String) -> RecordedProblem? {
        withState { $0.ledger?.problems[bundleIdentifier] }
    }

    /// Rewrites the ledger's file durably.
    ///
    /// - Returns: Whether the file was rewritten. It is not rewritten if the existing file could not be read.
    package func rewrite() throws(IOError) -> Bool {
        let isLedgerRead = withState { $0.isLedgerRead }
        guard isLedgerRead else { return false }
        let result = queue.sync { () -> Result<Void, IOError> in
            Result { () throws(IOError) in
                guard let ledger = state.withLock({ $0.ledger }) else { return }
                try files.withLock { files throws(IOError) in try files.write(ledger) }
            }
        }
        try result.get()
        return true
    }

    /// Removes and returns the problems with the guard itself.
    package func consumeProblems() -> [LaunchGuardProblem] {
        withState { state in
            defer { state.problems = [] }
            return state.problems
        }
    }

    // MARK: Events

    /// Records that a scene has begun to launch, with the first stage and the reason for the launch (R2).
    package func beginLaunch(
        of scene: SceneKey, reason: String, stage: String, identity: ProgramIdentity
    ) {
        record { state in
            let launches = state.ledger?.scenes[scene]
            let failedLaunchCount =
                launches?.identity == identity ? launches?.failedLaunchCount ?? 0 : 0
            state.crashRecorder?.setRecordsExits(true)
            let launch = LaunchInProgress(
                boot: environment.bootID, scene: scene, attempt: failedLaunchCount + 1,
                reason: reason,
                stage: stage, identity: identity)
            return [.launching(launch: launch)]
        }
    }

    /// Records that a scene's launch is complete (R13).
    package func recordLaunch(_ scene: SceneKey, identity: ProgramIdentity) {
        record { state in
            state.crashRecorder?.setRecordsExits(false)
            return [.launched(scene: scene, identity: identity, time: environment.now())]
        }
    }

    /// Records which scenes have been running for long enough that crashes no longer count against them (L3).
    ///
    /// The events are written asynchronously.
    package func recordSurvivingScenes() {
        record(waits: false) { state in
            let now = environment.now()
            return state.ledger?.scenes.filter { $0.value.hasSurvivedGracePeriod(at: now) }
                .map { .survivedGracePeriod(scene: $0.key) } ?? []
        }
    }

    /// Returns whether ``recordSurvivingScenes()`` may later record an event for one of an application's scenes.
    package func hasSceneInGracePeriod(_ bundleIdentifier: String) -> Bool {
        withState {
            $0.ledger?.scenes.contains {
                $0.key.application == bundleIdentifier && $0.value.isInGracePeriod
            }
                ?? false
        }
    }

    /// Records that the launch in progress has been abandoned without a crash.
    package func recordAbandonedLaunch() {
        record { state in
            state.crashRecorder?.setRecordsExits(false)
            return state.ledger?.launch == nil ? [] : [.abandoned]
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
    package func record(_ problem: RecordedProblem, of bundleIdentifier: String) {
        record(waits: false) { _ in [.problem(application: bundleIdentifier, problem: problem)] }
    }

    /// Returns a crash context for threads that run a scene's code, or `nil` if no stamps can be written.
    package func crashContext(of scene: SceneKey) -> CrashRecorder.Context? {
        withState { $0.crashRecorder }?.makeContext(subject: scene.subject)
    }

    /// Runs a closure that reads an application's files. A crash in the closure does not count against any scene (L2).
    ///
    /// - Parameter bundleIdentifier: Bundle identifier of the application.
    package func readFiles<Result, Failure>(
        of bundleIdentifier: String, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // If the guard has not read its files yet, this process has not launched a scene to which a crash could be
        // attributed.
        guard
            let context = state.withLock({ $0.crashRecorder })?.makeContext(
                subject: bundleIdentifier)
        else {
            return try body()
        }
        return try context.run(at: "reading-files", body)
    }

    private func withState<Result>(_ body: (inout State) -> sending Result) -> sending Result {
        if state.withLock({ $0.ledger == nil }) { queue.sync { adoptPreviousFiles() } }
        return state.withLock { body(&$0) }
    }

    /// Records events and writes them in order.
    private func record(
        durably: Bool = false, waits: Bool = true, _ body: (inout State) -> [LaunchEvent]
    ) {
        let isUnwritten = withState { state in
            let events = body(&state)
            for event in events { state.ledger?.apply(event) }
            guard state.isRecording, !events.isEmpty else { return false }
            state.unwrittenEvents += events
            if durably { state.needsSync = true }
            return true
        }
        guard isUnwritten else { return }
        if waits { queue.sync { write() } } else { queue.async { self.write() } }
    }

    /// Waits until all events have been written. Only tests use this method.
    func waitUntilWritten() { queue.sync {} }

    // MARK: On the queue

    /// Writes the events that have not been written yet.
    private func write() {
        let (events, ledger, durably) = state.withLock { state in
            defer {
                state.unwrittenEvents = []
                state.needsSync = false
            }
            return (state.unwrittenEvents, state.ledger, state.needsSync)
        }
        guard let ledger, !events.isEmpty else { return }
        do throws(IOError) {
            try files.withLock { files throws(IOError) in
                try files.write(events, of: ledger, durably: durably)
            }
        } catch {
            // If all events are problems with applications, the failed write is not reported: no launch event is lost,
            // and the write may have failed for the same reason.
            let hasLaunchEvent = events.contains {
                if case .problem = $0 { false } else { true }
            }
            if hasLaunchEvent { state.withLock { $0.reportWriteFailure(error) } }
        }
    }

    /// Reads and adopts the previous process's files.
    private func adoptPreviousFiles() {
        guard state.withLock({ $0.ledger == nil }) else { return }
        var startedState = State()
        files.withLock { files in
            do throws(IOError) {
                let (ledger, isFirst) = try self.ledger(from: files, &startedState)
                startedState.ledger = ledger
                startedState.isLedgerRead = true
                // The ledger is written before the previous process's stamps are removed.
                if isFirst { try files.create(ledger) } else { try files.write(ledger) }
                startedState.isRecording = true
                try self.installCrashStamp(files, &startedState)
            } catch {
                // A file that cannot be read is not overwritten, so the guard stays off.
                startedState.reportWriteFailure(error)
            }
        }
        if startedState.ledger == nil { startedState.ledger = LaunchLedger(processID: "") }
        state.withLock { [startedState] in $0 = startedState }
    }

    /// Returns the previous process's ledger, updated to reflect how that process ended, and whether there was no
    /// previous process.
    private func ledger(
        from files: LaunchFiles, _ startedState: inout State
    ) throws(IOError) -> (LaunchLedger, isFirst: Bool) {
        let (previousLedger, problem) = try files.readLedger()
        var ledger = previousLedger ?? LaunchLedger(processID: "")
        if let problem { startedState.problems.append(problem) }
        var stamps: [CrashRecorder.Line] = []
        do throws(IOError) { stamps = try files.readStamps() } catch {
            startedState.reportWriteFailure(error)
        }
        let scenesBefore = ledger.scenes
        ledger.recordProcessEnd(stamps, bootID: environment.bootID)
        for (scene, launches) in ledger.scenes
        where launches.crashAndKillCount > scenesBefore[scene]?.crashAndKillCount ?? 0 {
            startedState.crashDescriptions[scene] = launches.lastEnd
        }
        ledger.handOver(to: environment.processID)
        return (ledger, previousLedger == nil)
    }

    /// Removes the previous process's stamps, and prepares this process to write a stamp if it crashes.
    private func installCrashStamp(_ files: LaunchFiles, _ startedState: inout State)
        throws(IOError)
    {
        guard let file = try files.truncateStampFile() else { return }
        startedState.crashRecorder = CrashRecorder(file, processID: environment.processID)
        if startedState.crashRecorder == nil {
            startedState.problems.append(
                .stampsUnavailable(reason: "too many state directories are open"))
        }
    }
}
