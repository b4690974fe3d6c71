package import LinuxIO
import Synchronization

/// Sees to it that a crash while a scene is launched does not repeat itself for ever (L2, L3, L8).
///
/// It keeps a ``LaunchLedger`` in the state directory's file `launches` and lets this process leave a
/// stamp in the file `stamp` when it dies by itself. What the process before left is read when the
/// first scene is asked for. Whatever is wrong with these files, scenes are launched: the guard then
/// is off, or remembers only in memory, and says so once.
package final class LaunchGuard: Sendable {
    static let ledgerName = "launches"
    static let temporaryName = "launches.new"
    static let damagedName = "launches.damaged"
    static let stampName = "stamp"
    /// The most bytes of each file that are read.
    static let mostBytes = 8 << 20

    /// Lets one scene be launched at a time.
    package let gate = LaunchGate()
    let folder: any Folder
    let environment: LaunchEnvironment
    let state = Mutex(State())

    struct State {
        /// Nil until the files were read.
        var ledger: LaunchLedger?
        /// Whether what happens can be kept; else everything is launched.
        var isOn = false
        /// The ledger's file, to add events to; nil: it has to be written anew.
        var file: (any FolderFile)?
        /// How many events stand in it.
        var eventCount = 0
        var stamp: CrashStamp?
        var problems: [LaunchGuardProblem] = []
        /// What the process before died with, and nobody asked for yet.
        var deaths: [SceneKey: String] = [:]
        var hasToldWriting = false
    }

    /// A guard whose files lie in a folder; nothing is read or written yet.
    package init(in folder: any Folder, environment: LaunchEnvironment = .current()) {
        self.folder = folder
        self.environment = environment
    }

    /// The identity of this process's program.
    ///
    /// - Parameters:
    ///   - version: the bundle version.
    ///   - resources: a fingerprint of the storyboards.
    package func identity(version: String, resources: UInt64) -> ProgramIdentity {
        ProgramIdentity(
            version: version, resources: resources, executable: environment.executable)
    }

    /// What is to be done with a scene that is about to be launched, see ``LaunchLedger``.
    package func decide(
        _ scene: SceneKey, identity: ProgramIdentity, hasState: Bool, limits: LaunchLimits
    ) -> LaunchDecision {
        use { state in
            guard state.isOn, let ledger = state.ledger else { return .launch }
            return ledger.decide(scene, identity: identity, hasState: hasState, limits: limits)
        }
    }

    /// What is known of a scene's launches; nil: nothing.
    package func launches(of scene: SceneKey) -> SceneLaunches? {
        use { $0.ledger?.scenes[scene] }
    }

    /// The scenes of an application whose states took the places of others, and where those are kept, as
    /// long as it is not known that they are good (L8).
    package func replaced(of application: String) -> [(scene: String, generation: String)] {
        use { state in
            let scenes = state.ledger?.scenes.filter { $0.key.application == application } ?? [:]
            return scenes.sorted { $0.key < $1.key }.compactMap { scene, launches in
                launches.replaced.map { (scene.scene, $0) }
            }
        }
    }

    /// The scenes of an application that the process before died with, while it launched them or soon
    /// after, and how; each only once.
    package func takeDeaths(of application: String) -> [(scene: String, end: String)] {
        use { state in
            let taken = state.deaths.filter { $0.key.application == application }
            for scene in taken.keys { state.deaths[scene] = nil }
            return taken.sorted { $0.key < $1.key }.map { ($0.key.scene, $0.value) }
        }
    }

    /// What is wrong with the guard and was not asked for yet; each only once.
    package func takeProblems() -> [LaunchGuardProblem] {
        use { state in
            defer { state.problems = [] }
            return state.problems
        }
    }

    // MARK: What happens

    /// A scene's launch begins.
    ///
    /// - Parameters:
    ///   - reason: why it is launched (R2).
    ///   - stage: the first one that it reaches.
    package func begin(
        _ scene: SceneKey, reason: String, stage: String, identity: ProgramIdentity
    ) {
        use { state in
            let known = state.ledger?.scenes[scene]
            let failures = known?.identity == identity ? known?.failures ?? 0 : 0
            let mark = LaunchMark(
                boot: environment.boot, scene: scene, attempt: failures + 1, reason: reason,
                stage: stage, identity: identity)
            state.stamp?.markExits(true)
            record(.launching(mark: mark), &state)
        }
    }

    /// The scene's launch is complete (R13).
    package func noteLaunched(_ scene: SceneKey, identity: ProgramIdentity) {
        use { state in
            state.stamp?.markExits(false)
            record(
                .launched(scene: scene, identity: identity, time: environment.now()), &state)
        }
    }

    /// Time has gone by: a scene that has lived for long is well, whatever ends the process then (L3).
    package func noteTime() {
        use { state in
            guard let ledger = state.ledger else { return }
            let now = environment.now()
            for (scene, launches) in ledger.scenes where launches.hasEndured(at: now) {
                record(.endured(scene: scene), &state)
            }
        }
    }

    /// The launch that was going on came to nothing, without a death.
    package func noteAbandoned() {
        use { state in
            state.stamp?.markExits(false)
            guard state.ledger?.mark != nil else { return }
            record(.abandoned, &state)
        }
    }

    /// Something else happened.
    ///
    /// - Parameter durably: whether it has to survive a power cut, as far as the disk can.
    package func note(_ event: LaunchEvent, durably: Bool = false) {
        use { record(event, &$0, durably: durably) }
    }

    /// Where a thread is while it runs a scene's code; nil if no stamps can be left.
    package func place(of scene: SceneKey) -> CrashStamp.Place? {
        use { $0.stamp }?.place(scene.subject)
    }

    private func use<Result>(_ body: (inout State) -> sending Result) -> sending Result {
        state.withLock { state in
            if state.ledger == nil { start(&state) }
            return body(&state)
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
            What was known of earlier launches cannot be used and is kept as '\(path)', so that \
            crashes are counted from now on: \(reason)
            """
        case .unwritable(let error):
            """
            Launches cannot be noted, so that a crash while a scene is launched may repeat itself: \
            \(error)
            """
        case .unstamped(let reason):
            "Crashes cannot be told from kills, which are allowed more often: \(reason)"
        }
    }
}
