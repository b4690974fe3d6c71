import Dispatch
import ExactText
package import LinuxIO
import Synchronization

/// Sees to it that a crash while a scene is launched does not repeat itself for ever (L2, L3, L8).
///
/// It keeps a ``LaunchLedger`` in the state directory's file `launches` and lets this process leave
/// a stamp in the file `stamp` when it dies by itself. What the process before left is read when
/// the first scene is asked for. Whatever is wrong with these files, scenes are launched: the guard
/// then is off, or remembers only in memory, and says so once.
///
/// What is known is in memory, under a lock that is held for moments only. The files belong to a
/// queue: who notes what may not be lost waits until it is written there; who asks waits for no
/// disk, once the files were read.
package final class LaunchGuard: Sendable {
    /// Lets one scene be launched at a time.
    package let gate = LaunchGate()
    private let environment: LaunchEnvironment
    private let known = Mutex(Known())
    private let queue = DispatchQueue(label: "org.reprise.launches")
    /// Used on the queue alone.
    private let files: Mutex<LaunchFiles>

    private struct Known: Sendable {
        /// Nil until the files were read.
        var ledger: LaunchLedger?
        /// Whether the files could be read.
        var isRead = false
        /// Whether what happens can be kept; else everything is launched.
        var isOn = false
        /// What happened and is not written yet, in its order.
        var unwritten: [LaunchEvent] = []
        /// Whether some of that has to survive a power cut.
        var needsSync = false
        var stamp: CrashStamp?
        var problems: [LaunchGuardProblem] = []
        /// What the process before died with, and nobody asked for yet.
        var deaths: [SceneKey: String] = [:]
        private var hasToldWriting = false

        mutating func tell(_ error: IOError) {
            if hasToldWriting { return }
            hasToldWriting = true
            problems.append(.unwritable(error))
        }
    }

    /// A guard whose files lie in a folder; nothing is read or written yet.
    ///
    /// - Parameter plain: the same folder as the kernel knows it, for the stamps that a dying
    ///   process writes; nil: that is the folder.
    package init(
        in folder: any Folder, stampsIn plain: (any Folder)? = nil,
        environment: LaunchEnvironment = .current()
    ) {
        self.environment = environment
        files = Mutex(LaunchFiles(in: folder, stampsIn: plain ?? folder))
    }

    /// The identity of this process's program, by its version and its storyboards' fingerprint.
    package func identity(version: String, resources: UInt64) -> ProgramIdentity {
        ProgramIdentity(
            version: version, resources: resources, executable: environment.executable)
    }

    /// What is to be done with a scene that is about to be launched, see ``LaunchLedger``.
    package func decide(
        _ scene: SceneKey, identity: ProgramIdentity, hasState: Bool, limits: LaunchLimits
    ) -> LaunchDecision {
        use { known in
            guard known.isOn, let ledger = known.ledger else { return .launch }
            return ledger.decide(scene, identity: identity, hasState: hasState, limits: limits)
        }
    }

    /// What is known of a scene's launches; nil: nothing.
    package func launches(of scene: SceneKey) -> SceneLaunches? {
        use { $0.ledger?.scenes[scene] }
    }

    /// What is known of those scenes of an application of which something holds, by their names.
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

    /// The scenes of an application that the process before died with, while it launched them or
    /// soon after, and how; each only once.
    package func takeDeaths(of application: String) -> [(scene: String, end: String)] {
        use { known in
            let taken = known.deaths.filter { $0.key.application == application }
            for scene in taken.keys { known.deaths[scene] = nil }
            return taken.sorted { $0.key < $1.key }.map { ($0.key.scene, $0.value) }
        }
    }

    /// The last thing that went wrong with an application, also before this process; nil: nothing
    /// is known.
    package func problem(of application: String) -> NotedProblem? {
        use { $0.ledger?.problems[application] }
    }

    /// Writes what is known anew, durably.
    ///
    /// - Returns: false if it does not, because what is there could not be read.
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

    /// What is wrong with the guard and was not asked for yet; each only once.
    package func takeProblems() -> [LaunchGuardProblem] {
        use { known in
            defer { known.problems = [] }
            return known.problems
        }
    }

    // MARK: What happens

    /// A scene's launch begins, for a reason (R2), at its first stage.
    package func begin(
        _ scene: SceneKey, reason: String, stage: String, identity: ProgramIdentity
    ) {
        note { known in
            let launches = known.ledger?.scenes[scene]
            let failures = launches?.identity == identity ? launches?.failures ?? 0 : 0
            known.stamp?.markExits(true)
            let mark = LaunchMark(
                boot: environment.boot, scene: scene, attempt: failures + 1, reason: reason,
                stage: stage, identity: identity)
            return [.launching(mark: mark)]
        }
    }

    /// The scene's launch is complete (R13).
    package func noteLaunched(_ scene: SceneKey, identity: ProgramIdentity) {
        note { known in
            known.stamp?.markExits(false)
            return [.launched(scene: scene, identity: identity, time: environment.now())]
        }
    }

    /// Time has gone by: a scene that has lived for long is well, whatever ends the process then
    /// (L3). That is written later.
    package func noteTime() {
        note(waits: false) { known in
            let now = environment.now()
            return known.ledger?.scenes.filter { $0.value.hasEndured(at: now) }
                .map { .endured(scene: $0.key) } ?? []
        }
    }

    /// Whether ``noteTime()`` will have something to note of a scene of an application.
    package func mayEndure(_ application: String) -> Bool {
        use {
            $0.ledger?.scenes.contains { $0.key.application == application && $0.value.mayEndure }
                ?? false
        }
    }

    /// The launch that was going on came to nothing, without a death.
    package func noteAbandoned() {
        note { known in
            known.stamp?.markExits(false)
            return known.ledger?.mark == nil ? [] : [.abandoned]
        }
    }

    /// Something else happened. It is written when this returns, as far as the disk can, and if it
    /// is told durably survives a power cut, too.
    package func note(_ events: [LaunchEvent], durably: Bool = false) {
        note(durably: durably) { _ in events }
    }

    /// The same, for one event.
    package func note(_ event: LaunchEvent, durably: Bool = false) {
        note([event], durably: durably)
    }

    /// Something went wrong with an application. That is written later, as far as the disk can.
    package func note(_ problem: NotedProblem, of application: String) {
        note(waits: false) { _ in [.problem(application: application, problem: problem)] }
    }

    /// Where a thread is while it runs a scene's code; nil if no stamps can be left.
    package func place(of scene: SceneKey) -> CrashStamp.Place? {
        use { $0.stamp }?.place(scene.subject)
    }

    /// Runs code that reads an application's files. A crash in this code counts against no scene (L2).
    ///
    /// - Parameter application: The application's bundle identifier.
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

    /// Takes in what happened, and sees to it that it is written in that order.
    private func note(
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

    /// Makes sure that the guard has nothing more to write; for tests.
    func waitUntilWritten() { queue.sync {} }

    // MARK: On the queue

    /// Writes what nobody has written yet.
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
            // What went wrong may be why: it says nothing of the launches.
            let isOfLaunches = events.contains {
                if case .problem = $0 { false } else { true }
            }
            if isOfLaunches { known.withLock { $0.tell(error) } }
        }
    }

    /// Reads what the process before left, and takes it over.
    private func start() {
        guard known.withLock({ $0.ledger == nil }) else { return }
        var started = Known()
        files.withLock { files in
            do throws(IOError) {
                let (ledger, isFirst) = try self.ledger(from: files, &started)
                started.ledger = ledger
                started.isRead = true
                // Before the stamps of the old process go, what they say is written.
                if isFirst { try files.create(ledger) } else { try files.write(ledger) }
                started.isOn = true
                try self.arm(files, &started)
            } catch {
                // What cannot be read is not written over: the guard stays off.
                started.tell(error)
            }
        }
        if started.ledger == nil { started.ledger = LaunchLedger(process: "") }
        known.withLock { [started] in $0 = started }
    }

    /// The ledger of the process before, with how that ended counted, and now this one's; and
    /// whether there was no process before.
    private func ledger(
        from files: LaunchFiles, _ started: inout Known
    ) throws(IOError) -> (LaunchLedger, isFirst: Bool) {
        let (found, problem) = try files.ledger()
        var ledger = found ?? LaunchLedger(process: "")
        if let problem { started.problems.append(problem) }
        var stamps: [CrashStamp.Line] = []
        do throws(IOError) { stamps = try files.stamps() } catch { started.tell(error) }
        let before = ledger.scenes
        ledger.countEnd(stamps, boot: environment.boot)
        for (scene, launches) in ledger.scenes
        where launches.endCount > before[scene]?.endCount ?? 0 {
            started.deaths[scene] = launches.lastEnd
        }
        ledger.handOver(to: environment.process)
        return (ledger, found == nil && problem == nil)
    }

    /// Lets this process leave its stamp, where nothing of the one before is left.
    private func arm(_ files: LaunchFiles, _ started: inout Known) throws(IOError) {
        guard let file = try files.emptyStamps() else { return }
        started.stamp = CrashStamp(file, owner: environment.process)
        if started.stamp == nil {
            started.problems.append(.unstamped(reason: "too many state directories are open"))
        }
    }
}

/// Why the launch guard does not work as it should. Scenes are launched all the same.
package enum LaunchGuardProblem: Sendable, Equatable, CustomStringConvertible {
    /// What was known of earlier launches cannot be used, and was moved away.
    case damaged(path: String, reason: String)
    /// What happens cannot be kept.
    case unwritable(IOError)
    /// No stamps can be left.
    case unstamped(reason: String)

    /// One sentence.
    package var description: String {
        switch self {
        case .damaged(let path, let reason):
            """
            The record of earlier launches cannot be used and was renamed to '\(path)', so \
            crashes are counted from now on: \(reason)
            """
        case .unwritable(let error):
            """
            Launches cannot be recorded, so a crash while a scene is launched may repeat itself: \
            \(error)
            """
        case .unstamped(let reason):
            "Crashes cannot be distinguished from kills, which are allowed more often: \(reason)"
        }
    }
}
