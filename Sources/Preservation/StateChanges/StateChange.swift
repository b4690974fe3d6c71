import ExactText
import SavedState
import StateRestoration

/// All-or-nothing change to the state or storyboards of scenes (L6, L8).
///
/// The new state comes from a rollback, a reset, a put-back or another program's archive. Storyboards can be replaced
/// or removed. The change is made in four steps:
///
/// 1. The saved state is added to the history.
/// 2. The new state is written durably.
/// 3. New scenes are launched from the new state while the previous scenes are still running.
/// 4. The new scenes replace the previous scenes.
///
/// If a scene cannot be launched, the whole change is undone. If the application is not running, no scenes are
/// launched.
struct StateChange {
    /// Source of the state from which scenes are launched.
    enum Source {
        /// A generation or a quarantined file.
        ///
        /// A scene without state in this source is launched without state if it is configured or was specified, and is
        /// closed otherwise.
        case stored(StoredContents)
        /// No state for any scene.
        case nothing
        /// The archive with which another program replaced the application's archive.
        case file(ReplacementArchive)
        /// The saved state of the scenes. The state does not change, and the scenes are recreated.
        case saved
    }

    /// Progress of a change.
    private enum Phase {
        case requested
        /// The new state has been written to the archive.
        case written(WrittenChange)
        /// The scenes are being launched. `completion` is called with the outcome.
        case launching(WrittenChange, scenes: [RestorationIdentifier], completion: Completion)
    }

    /// Information that is needed to undo a written change.
    private struct WrittenChange {
        /// Transfer of the new state, or `nil` if the archive's state does not change.
        var transfer: StateTransfer?
        /// Generation that contains the previously saved state, or `nil` if there is no such generation.
        var historyEntry: GenerationWriter.HistoryEntry?
        /// Launch records of the previous scenes.
        var launchRecords: LaunchesByScene
    }

    /// Closure that receives the outcome of a change.
    typealias Completion = (Result<StateChangeResult, StateChangeFailure>) -> Void

    /// Source of the state from which scenes are launched.
    let source: Source
    /// Names of the scenes to change, or `nil` for all scenes in the application.
    let scenes: [RestorationIdentifier]?
    /// Launch reason for the new scenes (R2).
    let reason: LaunchReason
    /// Reason for adding the saved state to the history, or `nil` if the state is not added.
    let generation: GenerationReason?
    /// Definition from which the new scenes are created.
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

    /// Returns whether the change includes the scene with the given name.
    func covers(_ name: RestorationIdentifier) -> Bool { scenes?.contains(name) ?? true }

    /// Whether the scenes are launched from state other than the current saved state.
    var usesOtherState: Bool { if case .saved = source { false } else { true } }

    private var shortfall: String? {
        guard case .stored(let stored) = source, let shortfall = stored.shortfall else {
            return nil
        }
        if stored.lostObjects.isEmpty { return shortfall }
        let listedNames = stored.lostObjects.prefix(100).map(\.displayName).joined(separator: ", ")
        return "\(shortfall); not intact: \(listedNames)"
    }

    /// Another program's archive from which the state comes, or `nil` if the state has a different source.
    var replacingArchive: ReplacementArchive? {
        if case .file(let archive) = source { archive } else { nil }
    }

    // MARK: Writing

    /// Adds the saved state to the history, and durably writes the new state to the archive.
    ///
    /// - Parameters:
    ///   - names: The name table of the launched application, or of the archive if the application is not running.
    ///   - numbering: The record numbering of the launched application, or of the archive if the application is not
    ///     running.
    ///   - hostedScenes: The scenes of the running application, or `nil` if the application is not running.
    ///   - completion: A closure that is called with the result after the scenes have been launched, or with the reason
    ///     why nothing has changed.
    /// - Returns: The names of the scenes to launch.
    /// - Throws: The reason why the change failed. In this case, nothing has changed, and `completion` is not called.
    mutating func write(
        by saver: StateSaver, _ sceneLaunchGuard: SceneLaunchGuard, names: NameTable,
        numbering: RecordNumbering, hostedScenes: HostedScenes?, completion: Completion? = nil
    ) throws(StateChangeFailure) -> [RestorationIdentifier] {
        var transfer: StateTransfer?
        if let contents {
            transfer = try StateTransfer(
                contents, of: scenes, into: saver.archive, names: names, numbering: numbering)
        }
        let launchedNames = hostedScenes.map { scenesToLaunch(from: transfer, of: $0) } ?? []
        let coveredSceneNames = transfer?.coveredSceneNames ?? []
        var launchRecords: LaunchesByScene = [:]
        for name in coveredSceneNames + launchedNames {
            launchRecords[name] = sceneLaunchGuard.launchRecord(of: name) ?? SceneLaunches()
        }
        let reason = transfer?.replacedSceneNames.isEmpty == true ? nil : generation
        let historyEntry = try saver.generations.saveToHistoryAndReplace(because: reason) {
            path throws(StateChangeFailure) in
            guard let transfer else { return }
            sceneLaunchGuard.record(LaunchEvent.newState, of: coveredSceneNames)
            sceneLaunchGuard.record(
                { .replaced(scene: $0, generation: path) }, of: coveredSceneNames)
            sceneLaunchGuard.record(
                { .replaced(scene: $0, generation: nil) },
                of: launchedNames.filter { !coveredSceneNames.contains($0) })
            do throws(StateChangeFailure) {
                do throws(SaveError) {
                    // All scenes are written to a single new file, so that no scene is ever stored twice.
                    try saver.archive.requireNewFile(accepting: replacingArchive)
                } catch {
                    throw StateChangeFailure(error)
                }
                try transfer.write(by: saver, from: replacingArchive)
            } catch {
                sceneLaunchGuard.reinstate(launchRecords)
                throw error
            }
        }
        let written = WrittenChange(
            transfer: transfer, historyEntry: historyEntry, launchRecords: launchRecords)
        phase =
            completion.map { .launching(written, scenes: launchedNames, completion: $0) }
            ?? .written(written)
        return launchedNames
    }

    private var contents: ArchiveContents? {
        switch source {
        case .stored(let stored): stored.contents
        case .nothing: .empty
        case .file(let replacingArchive): replacingArchive.contents
        case .saved: nil
        }
    }

    /// Returns the names of the scenes to launch.
    ///
    /// If the saved state does not change, these are the specified scenes, or all running scenes. Otherwise, they are
    /// the following scenes:
    ///
    /// - Scenes that are in use in the new state.
    /// - Configured scenes without new state.
    /// - Specified scenes that are running or could not be launched.
    /// - Scenes that could not be launched and have new state.
    private func scenesToLaunch(
        from transfer: StateTransfer?, of hostedScenes: HostedScenes
    ) -> [RestorationIdentifier] {
        guard let transfer else { return scenes ?? hostedScenes.table.launchedScenes.map(\.name) }
        var names: [RestorationIdentifier] = []
        var addedNames: Set<RestorationIdentifier> = []
        let candidates = scenes ?? definition.scenes + hostedScenes.names() + transfer.scenes
        for name in candidates where addedNames.insert(name).inserted {
            let hasNewState = transfer.scenes.contains(name)
            let shouldLaunch =
                switch hostedScenes.state(of: name) {
                case .launched where scenes != nil: true
                case .failed where scenes != nil: true
                case .failed: hasNewState || definition.scenes.contains(name)
                case .launched, .saved, .unknown, .launching:
                    hasNewState ? transfer.isInUse(name) : definition.scenes.contains(name)
                }
            if shouldLaunch { names.append(name) }
        }
        return names
    }

    // MARK: Launching

    /// Completes the change after all new scenes have replaced the previous scenes.
    func commit(_ sceneLaunchGuard: SceneLaunchGuard, saved: DurabilityLevel) {
        guard case .launching(let writtenChange, let scenes, let completion) = phase else { return }
        if let transfer = writtenChange.transfer {
            // A crash must not restore a scene that the change closed and did not launch again.
            sceneLaunchGuard.record(
                { .replaced(scene: $0, generation: nil) },
                of: transfer.coveredSceneNames.filter {
                    !scenes.contains($0) && !transfer.scenes.contains($0)
                })
        }
        completion(
            .success(
                StateChangeResult(
                    scenes: scenes.map(\.text), generation: writtenChange.historyEntry?.path,
                    shortfall: shortfall,
                    saved: saved)))
    }

    /// Returns the result of the change for an application that is not running.
    func result(saved: DurabilityLevel) -> StateChangeResult {
        var writtenChange: WrittenChange?
        if case .written(let state) = phase { writtenChange = state }
        return StateChangeResult(
            scenes: writtenChange?.transfer?.scenes.map(\.text) ?? [],
            generation: writtenChange?.historyEntry?.path,
            shortfall: shortfall, saved: saved)
    }

    // MARK: Undoing

    /// Restores the archive's previous state and the scenes' previous launch records.
    ///
    /// - Parameter failure: The failure to pass to the completion closure.
    func undo(
        by saver: StateSaver, _ sceneLaunchGuard: SceneLaunchGuard,
        because failure: StateChangeFailure
    ) {
        let writtenChange: WrittenChange
        var completion: Completion?
        switch phase {
        case .requested: return
        case .written(let state): writtenChange = state
        case .launching(let state, _, let body): (writtenChange, completion) = (state, body)
        }
        let isUndone = writtenChange.transfer?.undo(by: saver) ?? true
        sceneLaunchGuard.reinstate(writtenChange.launchRecords)
        if isUndone {
            saver.generations.discardIfNew(writtenChange.historyEntry)
        } else if let transfer = writtenChange.transfer {
            // The next process will find the new state.
            sceneLaunchGuard.record(
                { .replaced(scene: $0, generation: writtenChange.historyEntry?.path) },
                of: transfer.coveredSceneNames)
        }
        completion?(.failure(failure))
    }
}

/// Result of a successful state change.
public struct StateChangeResult: Sendable, Equatable {
    /// Names of the scenes that received new state.
    ///
    /// If the application is running, these are the scenes that were launched from the new state.
    public var scenes: [String]
    /// Name of the model-data document that was put back, or `nil` if saved state was put back.
    public var document: String?
    /// Path of the generation that contains the previous state, or `nil` if no previous state was saved.
    public var generation: String?
    /// Phrase that describes the unusable part of the new state, or `nil` if the whole state was usable.
    public var shortfall: String?
    /// Durability level of the new state.
    public var saved: DurabilityLevel
}
