import ExactText
import SavedState
import StateRestoration

/// A change of what scenes are made from, all or nothing: another saved state in a rollback, a
/// reset, a put-back or another program's archive; or other storyboards, or none (L6, L8).
///
/// What is saved becomes a generation, the other state is written durably, the scenes are launched
/// from it beside those from before, and take their places; if one cannot be launched everything is
/// undone. Of an application that does not run there is nothing to launch.
struct StateChange {
    /// What the scenes are launched from.
    enum Source {
        /// A generation, or something in quarantine. Scenes of which it knows nothing are launched
        /// without state if they are configured or named, and end otherwise.
        case kept(KeptContents)
        /// No state: they all are.
        case nothing
        /// The state that another program left under the archive's name.
        case file(ReplacingArchive)
        /// What is saved of them: they are only made anew.
        case saved
    }

    /// Progress of the change.
    private enum Phase {
        case requested
        /// The archive holds the other state.
        case written(Written)
        /// The scenes are launched; the end is told to who asked for it.
        case launching(Written, scenes: [RestorationIdentifier], conclude: Conclusion)
    }

    /// The written change, with everything that undoing it needs.
    private struct Written {
        /// Nil: the archive's state stayed.
        var transfer: StateTransfer?
        /// The generation of what was saved before.
        var kept: GenerationPolicy.Kept?
        /// The launch records of the scenes from before.
        var known: KnownLaunches
    }

    /// Told what came of it.
    typealias Conclusion = (Result<ReplacedState, StateChangeFailure>) -> Void

    /// What the scenes are launched from.
    let source: Source
    /// The scenes that are to change; nil: all of the application.
    let scenes: [RestorationIdentifier]?
    /// Why the scenes are launched (R2).
    let reason: LaunchReason
    /// Reason for which the saved state is kept as a generation; nil: it is not.
    let generation: GenerationReason?
    /// Definition that the new scenes are made from.
    let definition: ApplicationDefinition
    private var phase = Phase.requested

    init(
        _ source: Source, scenes: [RestorationIdentifier]? = nil, reason: LaunchReason = .replace,
        generation: GenerationReason?, definition: ApplicationDefinition
    ) {
        self.source = source
        self.scenes = scenes
        self.reason = reason
        self.generation = generation
        self.definition = definition
    }

    /// Whether a scene of that name is to change.
    func covers(_ name: RestorationIdentifier) -> Bool { scenes?.contains(name) ?? true }

    /// Whether the scenes are launched from another state than what was saved.
    var isOfOtherState: Bool { if case .saved = source { false } else { true } }

    private var shortfall: String? {
        guard case .kept(let kept) = source, let shortfall = kept.shortfall else { return nil }
        if kept.lost.isEmpty { return shortfall }
        let shown = kept.lost.prefix(100).map(\.shown).joined(separator: ", ")
        return "\(shortfall); not intact: \(shown)"
    }

    /// The file that another program left, if the state comes from it.
    var replacing: ReplacingArchive? {
        if case .file(let archive) = source { archive } else { nil }
    }

    // MARK: Writing

    /// Keeps what is saved, and gives the archive the other state, durably.
    ///
    /// - Parameters:
    ///   - names: the archive's names; those of the launched application, if it is.
    ///   - numbering: gives the archive's numbers, likewise.
    ///   - hosted: the scenes of an application that runs; nil: it does not.
    ///   - conclude: told when the scenes are launched, or why nothing has changed.
    /// - Returns: the scenes to launch.
    /// - Throws: why it could not be done; nothing has changed then, and nobody is told.
    mutating func write(
        by saver: StateSaver, _ sceneGuard: SceneGuard, names: NameTable,
        numbering: RecordNumbering, hosted: HostedScenes?, conclude: Conclusion? = nil
    ) throws(StateChangeFailure) -> [RestorationIdentifier] {
        var transfer: StateTransfer?
        if let contents {
            transfer = try StateTransfer(
                contents, of: scenes, into: saver.archive, names: names, numbering: numbering)
        }
        let launched = hosted.map { scenesToLaunch(from: transfer, of: $0) } ?? []
        let covered = transfer?.covered ?? []
        var known: KnownLaunches = [:]
        for name in covered + launched { known[name] = sceneGuard.known(name) ?? SceneLaunches() }
        let reason = transfer?.standing.isEmpty == true ? nil : generation
        let kept = try saver.generations.keeping(because: reason) {
            path throws(StateChangeFailure) in
            guard let transfer else { return }
            sceneGuard.note(LaunchEvent.newState, of: covered)
            sceneGuard.note({ .replaced(scene: $0, generation: path) }, of: covered)
            sceneGuard.note(
                { .replaced(scene: $0, generation: nil) },
                of: launched.filter { !covered.contains($0) })
            do throws(StateChangeFailure) {
                do throws(SaveError) {
                    // In one file, so that no moment has one scene twice.
                    try saver.archive.requireWholeFile(accepting: replacing)
                } catch {
                    throw StateChangeFailure(error)
                }
                try transfer.write(by: saver, from: replacing)
            } catch {
                sceneGuard.reinstate(known)
                throw error
            }
        }
        let written = Written(transfer: transfer, kept: kept, known: known)
        phase =
            conclude.map { .launching(written, scenes: launched, conclude: $0) }
            ?? .written(written)
        return launched
    }

    private var contents: ArchiveContents? {
        switch source {
        case .kept(let kept): kept.contents
        case .nothing: .empty
        case .file(let replacing): replacing.contents
        case .saved: nil
        }
    }

    /// The scenes to launch: those that the other state has in use, the configured ones of which it
    /// knows nothing, and those that could not be launched.
    private func scenesToLaunch(
        from transfer: StateTransfer?, of hosted: HostedScenes
    ) -> [RestorationIdentifier] {
        guard let transfer else { return scenes ?? hosted.table.launched.map(\.name) }
        var names: [RestorationIdentifier] = []
        var seen: Set<RestorationIdentifier> = []
        let candidates = scenes ?? definition.scenes + hosted.names() + transfer.scenes
        for name in candidates where seen.insert(name).inserted {
            let isThere = transfer.scenes.contains(name)
            let isWanted =
                switch hosted.state(of: name) {
                case .launched where scenes != nil: true
                case .failed where scenes != nil: true
                case .failed: isThere || definition.scenes.contains(name)
                case .launched, .saved, .unknown, .launching:
                    isThere ? transfer.isInUse(name) : definition.scenes.contains(name)
                }
            if isWanted { names.append(name) }
        }
        return names
    }

    // MARK: Launching

    /// Every scene has taken its place.
    func commit(_ sceneGuard: SceneGuard, saved: Saved) {
        guard case .launching(let written, let scenes, let conclude) = phase else { return }
        if let transfer = written.transfer {
            // Scenes that ended without being launched anew are not to be given back by a crash.
            sceneGuard.note(
                { .replaced(scene: $0, generation: nil) },
                of: transfer.covered.filter {
                    !scenes.contains($0) && !transfer.scenes.contains($0)
                })
        }
        conclude(
            .success(
                ReplacedState(
                    scenes: scenes.map(\.text), generation: written.kept?.path,
                    shortfall: shortfall,
                    saved: saved)))
    }

    /// Result of the change for an application that does not run.
    func result(saved: Saved) -> ReplacedState {
        var written: Written?
        if case .written(let state) = phase { written = state }
        return ReplacedState(
            scenes: written?.transfer?.scenes.map(\.text) ?? [], generation: written?.kept?.path,
            shortfall: shortfall, saved: saved)
    }

    // MARK: Undoing

    /// The archive gets back what it had before, and the guard what it knew.
    ///
    /// - Parameter failure: told to who asked for the change.
    func undo(by saver: StateSaver, _ sceneGuard: SceneGuard, because failure: StateChangeFailure) {
        let written: Written
        var conclude: Conclusion?
        switch phase {
        case .requested: return
        case .written(let state): written = state
        case .launching(let state, _, let body): (written, conclude) = (state, body)
        }
        let isUndone = written.transfer?.undo(by: saver) ?? true
        sceneGuard.reinstate(written.known)
        if isUndone {
            saver.generations.withdraw(written.kept)
        } else if let transfer = written.transfer {
            // The next process finds the other state.
            sceneGuard.note(
                { .replaced(scene: $0, generation: written.kept?.path) }, of: transfer.covered)
        }
        conclude?(.failure(failure))
    }
}

/// Result of a change of state that was made.
public struct ReplacedState: Sendable, Equatable {
    /// The names of the scenes that got the other state; of a running application, those that were
    /// launched from it.
    public var scenes: [String]
    /// Where what was saved before is kept; nil: nothing was.
    public var generation: String?
    /// A clause that tells what of the other state could not be used; nil: all could.
    public var shortfall: String?
    /// How safe the other state is.
    public var saved: Saved
}

/// Why what scenes are made from was not changed; everything is as before then.
struct StateChangeFailure: Error {
    var cause: ReplacementObstacle
    /// A clause or a sentence.
    var reason: String
    /// The scene that could not be launched, if it was one.
    var scene: RestorationIdentifier?
    /// Whether another program has changed the archive again, which was to be taken over.
    var isSuperseded = false

    init(cause: ReplacementObstacle, reason: String, scene: RestorationIdentifier? = nil) {
        self.cause = cause
        self.reason = reason
        self.scene = scene
    }

    /// The archive did not take the other state.
    init(_ error: SaveError) {
        cause = if case .malformed = error { .damaged } else { .notSaved }
        if case .changedExternally = error { isSuperseded = true }
        reason = "\(error)"
    }

    /// What is saved did not become a generation before it gives way.
    init(notKept error: SaveError) {
        cause = .notSaved
        reason = "the saved state cannot be added to the history: \(error)"
    }

    /// What holds the other state cannot be used.
    init(_ error: KeptStateError) {
        cause =
            switch error {
            case .unknown: .unknown
            case .noFile: .noFile
            case .damaged: .damaged
            case .foreign: .foreign
            case .newerFormat: .newerFormat
            case .io: .unreadable
            }
        reason = "\(error)"
    }

    /// Reads what holds the other state.
    static func reading<Kept>(
        _ body: () throws(KeptStateError) -> Kept
    ) throws(StateChangeFailure) -> Kept {
        do throws(KeptStateError) { return try body() } catch { throw StateChangeFailure(error) }
    }

    /// A clause or a sentence, which names the scene that could not be launched.
    var sentence: String {
        guard cause == .notLaunched, let scene else { return reason }
        return "the scene \(scene) could not be launched: \(reason)"
    }
}

/// What kept another state from taking the place of the present one.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum ReplacementObstacle: String, Sendable {
    /// There is nothing of that name.
    case unknown
    /// Its file fails its check, or holds no scene.
    case damaged
    /// It is a folder, or something else that is no file.
    case noFile = "no-file"
    /// Its file belongs to another application.
    case foreign
    /// A newer version of the program wrote its file.
    case newerFormat = "newer-format"
    /// The kernel does not let its file be read.
    case unreadable
    /// The values of one of its objects are none.
    case unreadableValues = "unreadable-values"
    /// A scene could not be launched from it.
    case notLaunched = "not-launched"
    /// What stands in its place cannot be kept, or the other state not be saved.
    case notSaved = "not-saved"

    /// Whether another attempt may well succeed, with the same file.
    var isOfDisk: Bool { self == .notSaved || self == .unreadable }
}
