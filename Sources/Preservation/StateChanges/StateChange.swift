import ExactText
import SavedState
import StateRestoration

/// An all-or-nothing change of the state or the storyboards that scenes are made from (L6, L8).
///
/// The new state comes from a rollback, a reset, a put-back or another program's archive. Storyboards can be
/// replaced or removed. The change proceeds in four steps:
///
/// 1. The saved state becomes a generation.
/// 2. The new state is written durably.
/// 3. New scenes are launched from it while the previous scenes still exist.
/// 4. The new scenes replace the previous ones.
///
/// If a scene cannot be launched, the whole change is undone. If the application does not run, no scene is
/// launched.
struct StateChange {
    /// Source of the state that scenes are launched from.
    enum Source {
        /// A generation or a quarantined file.
        ///
        /// A scene without state in this source is launched without state if it is configured or named, and
        /// closed otherwise.
        case stored(StoredContents)
        /// No state for any scene.
        case nothing
        /// The archive that another program stored under the archive's name.
        case file(ReplacingArchive)
        /// The saved state of the scenes, which stays the same while the scenes are created again.
        case saved
    }

    /// Progress of the change.
    private enum Phase {
        case requested
        /// The new state is in the archive.
        case written(Written)
        /// The scenes are being launched; the conclusion reports the outcome to the requester.
        case launching(Written, scenes: [RestorationIdentifier], conclude: Conclusion)
    }

    /// A written change, with everything that is needed to undo it.
    private struct Written {
        /// Transfer of the new state, or `nil` if the archive's state stayed.
        var transfer: StateTransfer?
        /// Generation with the previously saved state.
        var kept: GenerationPolicy.HistoryEntry?
        /// Launch records of the previous scenes.
        var known: KnownLaunches
    }

    /// Receives the outcome of the change.
    typealias Conclusion = (Result<ReplacedState, StateChangeFailure>) -> Void

    /// Source of the state that the scenes are launched from.
    let source: Source
    /// Names of the scenes to change, or `nil` for all scenes of the application.
    let scenes: [RestorationIdentifier]?
    /// Reason of the launches (R2).
    let reason: LaunchReason
    /// Reason why the saved state is added to the history, or `nil` if it is not added.
    let generation: GenerationReason?
    /// Definition from which the new scenes are made.
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

    /// Whether a scene with this name is to be changed.
    func covers(_ name: RestorationIdentifier) -> Bool { scenes?.contains(name) ?? true }

    /// Whether the scenes are launched from state other than the saved state.
    var isOfOtherState: Bool { if case .saved = source { false } else { true } }

    private var shortfall: String? {
        guard case .stored(let kept) = source, let shortfall = kept.shortfall else { return nil }
        if kept.lost.isEmpty { return shortfall }
        let shown = kept.lost.prefix(100).map(\.shown).joined(separator: ", ")
        return "\(shortfall); not intact: \(shown)"
    }

    /// The archive that another program left, or `nil` if the state has another source.
    var replacing: ReplacingArchive? {
        if case .file(let archive) = source { archive } else { nil }
    }

    // MARK: Writing

    /// Adds the saved state to the history, and writes the new state to the archive durably.
    ///
    /// - Parameters:
    ///   - names: Name table of the launched application, or of the archive if the application does not run.
    ///   - numbering: Record numbering of the launched application, or of the archive if the application does
    ///     not run.
    ///   - hosted: Scenes of a running application, or `nil` if it does not run.
    ///   - conclude: Called after the scenes are launched, or with the reason if nothing has changed.
    /// - Returns: The names of the scenes to launch.
    /// - Throws: The reason why the change failed. Nothing has changed in this case, and `conclude` is not
    ///   called.
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
        let reason = transfer?.replaced.isEmpty == true ? nil : generation
        let kept = try saver.generations.savingToHistory(because: reason) {
            path throws(StateChangeFailure) in
            guard let transfer else { return }
            sceneGuard.record(LaunchEvent.newState, of: covered)
            sceneGuard.record({ .replaced(scene: $0, generation: path) }, of: covered)
            sceneGuard.record(
                { .replaced(scene: $0, generation: nil) },
                of: launched.filter { !covered.contains($0) })
            do throws(StateChangeFailure) {
                do throws(SaveError) {
                    // All scenes are written in one file, so that no scene is ever stored twice.
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
        case .stored(let kept): kept.contents
        case .nothing: .empty
        case .file(let replacing): replacing.contents
        case .saved: nil
        }
    }

    /// Scenes to launch: scenes in use in the new state, configured scenes without new state, and scenes
    /// whose launch failed.
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

    /// Completes the change after every new scene has replaced its predecessor.
    func commit(_ sceneGuard: SceneGuard, saved: Saved) {
        guard case .launching(let written, let scenes, let conclude) = phase else { return }
        if let transfer = written.transfer {
            // Scenes that were closed without a new launch must not be restored after a crash.
            sceneGuard.record(
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

    /// Restores the previous state of the archive, and the previous records of the scene guard.
    ///
    /// - Parameter failure: Error that is reported to the requester of the change.
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
            // The next process finds the new state.
            sceneGuard.record(
                { .replaced(scene: $0, generation: written.kept?.path) }, of: transfer.covered)
        }
        conclude?(.failure(failure))
    }
}

/// Result of a successful change of state.
public struct ReplacedState: Sendable, Equatable {
    /// The names of the scenes that got the new state; for a running application, the names of the scenes
    /// that were launched from it.
    public var scenes: [String]
    /// The name of the document of the model data that was put back, or `nil` if saved state was put back.
    public var document: String?
    /// The path of the generation with the previous state, or `nil` if there was nothing to save.
    public var generation: String?
    /// A phrase about the unusable part of the new state, or `nil` if all of it was usable.
    public var shortfall: String?
    /// The durability level of the new state.
    public var saved: Saved
}

/// Reason why the state or the storyboards were not changed, in which case everything is as before.
struct StateChangeFailure: Error {
    var cause: ReplacementObstacle
    /// Phrase or sentence that describes the reason.
    var reason: String
    /// Scene that could not be launched, or `nil` if the failure has another cause.
    var scene: RestorationIdentifier?
    /// Whether another program has changed the archive again before it could be loaded.
    var isSuperseded = false

    init(cause: ReplacementObstacle, reason: String, scene: RestorationIdentifier? = nil) {
        self.cause = cause
        self.reason = reason
        self.scene = scene
    }

    /// Creates a failure for an archive that did not accept the new state.
    init(_ error: SaveError) {
        cause = if case .malformed = error { .damaged } else { .notSaved }
        if case .changedExternally = error { isSuperseded = true }
        reason = "\(error)"
    }

    /// Creates a failure for saved state that could not be added to the history before its replacement.
    init(notKept error: SaveError) {
        cause = .notSaved
        reason = "the saved state cannot be added to the history: \(error)"
    }

    /// Creates a failure for a file whose state cannot be used.
    init(_ error: StoredStateError) {
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

    /// Reads the file that holds the new state.
    static func reading<Kept>(
        _ body: () throws(StoredStateError) -> Kept
    ) throws(StateChangeFailure) -> Kept {
        do throws(StoredStateError) { return try body() } catch { throw StateChangeFailure(error) }
    }

    /// Phrase or sentence that names the scene if one could not be launched.
    var sentence: String {
        guard cause == .notLaunched, let scene else { return reason }
        return "the scene \(scene) could not be launched: \(reason)"
    }
}

/// Obstacle that prevented the replacement of the saved state.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum ReplacementObstacle: String, Sendable {
    /// No generation or file with this name exists.
    case unknown
    /// The file fails its integrity check, or contains no scene.
    case damaged
    /// The entry is a directory or another entry that is not a file.
    case noFile = "no-file"
    /// The file belongs to another application.
    case foreign
    /// A newer version of the program wrote the file.
    case newerFormat = "newer-format"
    /// The kernel does not permit reading the file.
    case unreadable
    /// The values of an object are not valid.
    case unreadableValues = "unreadable-values"
    /// A scene could not be launched from the new state.
    case notLaunched = "not-launched"
    /// The previous state cannot be added to the history, or the new state cannot be saved.
    case notSaved = "not-saved"

    /// Whether another attempt with the same file is likely to succeed.
    var isOfDisk: Bool { self == .notSaved || self == .unreadable }
}
