import ExactText
import SavedState
import StateRestoration

/// All-or-nothing change to the state or storyboards of scenes (L6, L8).
///
/// A rollback, a reset, a put-back or another program's archive provides the new state. A reload replaces or removes
/// storyboards. The application performs the change (see ``Application/performChange(_:of:completion:)``).
struct StateChange {
    /// Source of the state from which scenes are launched.
    enum Source {
        /// A generation or a quarantined file.
        ///
        /// A scene that has no state in this source is launched without state if it is configured or was specified.
        /// Otherwise, the scene is closed.
        case storedFile(StoredContents)
        /// No state for any scene.
        case noState
        /// Another program's archive, which has replaced the application's archive.
        case replacementArchive(ReplacementArchive)
        /// The current saved state. The state does not change, and the scenes are recreated from it.
        case savedState
    }

    /// Source of the state from which scenes are launched.
    let source: Source
    /// Names of the scenes to change, or `nil` for all scenes in the application.
    let sceneNames: [RestorationIdentifier]?
    /// Launch reason for the new scenes (R2).
    let launchReason: LaunchReason
    /// Reason for adding the saved state to the history, or `nil` if the state is not added.
    let generationReason: GenerationReason?
    /// Definition from which the new scenes are created.
    let definition: ApplicationDefinition

    init(
        _ source: Source, sceneNames: [RestorationIdentifier]? = nil,
        launchReason: LaunchReason = .replace, generationReason: GenerationReason?,
        definition: ApplicationDefinition
    ) {
        self.source = source
        self.sceneNames = sceneNames
        self.launchReason = launchReason
        self.generationReason = generationReason
        self.definition = definition
    }

    /// Returns whether the change includes the scene with the given name.
    func covers(_ name: RestorationIdentifier) -> Bool { sceneNames?.contains(name) ?? true }

    /// Whether the scenes are launched from state other than the current saved state.
    var replacesState: Bool { if case .savedState = source { false } else { true } }

    private var shortfall: String? {
        guard case .storedFile(let file) = source, let shortfall = file.shortfall else {
            return nil
        }
        if file.lostObjects.isEmpty { return shortfall }
        let listedNames = file.lostObjects.prefix(100).map(\.displayName).joined(separator: ", ")
        return "\(shortfall); not intact: \(listedNames)"
    }

    /// Another program's archive that contains the new state, or `nil` if the state has a different source.
    var replacingArchive: ReplacementArchive? {
        if case .replacementArchive(let archive) = source { archive } else { nil }
    }

    // MARK: Writing

    /// Adds the saved state to the history, and durably writes the new state to the archive.
    ///
    /// - Parameter hostedScenes: The scenes of the running application, or `nil` if the application is not running.
    /// - Throws: An error that states why the change failed. In this case, nothing has changed.
    func write(
        by saver: StateSaver, _ sceneLaunchGuard: SceneLaunchGuard, hostedScenes: HostedScenes?
    ) throws(StateChangeFailure) -> WrittenChange {
        let transfer = try transfer(to: saver.archive, hostedScenes)
        let namesToLaunch = hostedScenes.map { scenesToLaunch(from: transfer, of: $0) } ?? []
        let coveredSceneNames = transfer?.coveredSceneNames ?? []
        let launchRecords = sceneLaunchGuard.launchRecords(of: coveredSceneNames + namesToLaunch)
        let reason = transfer?.replacedSceneNames.isEmpty == true ? nil : generationReason
        let historyEntry = try saver.generations.saveToHistoryAndReplace(because: reason) {
            path throws(StateChangeFailure) in
            guard let transfer else { return }
            sceneLaunchGuard.record(LaunchEvent.newState, of: coveredSceneNames)
            sceneLaunchGuard.record(
                { .replaced(scene: $0, generation: path) }, of: coveredSceneNames)
            sceneLaunchGuard.record(
                { .replaced(scene: $0, generation: nil) },
                of: namesToLaunch.filter { !coveredSceneNames.contains($0) })
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
        return WrittenChange(
            namesToLaunch: namesToLaunch, transfer: transfer, historyEntry: historyEntry,
            launchRecords: launchRecords)
    }

    /// Returns a transfer that moves the new state into the archive, or `nil` if the archive's state does not change.
    private func transfer(
        to archive: ApplicationArchive, _ hostedScenes: HostedScenes?
    ) throws(StateChangeFailure) -> StateTransfer? {
        let contents: ArchiveContents
        switch source {
        case .storedFile(let file): contents = file.contents
        case .noState: contents = .empty
        case .replacementArchive(let replacingArchive): contents = replacingArchive.contents
        case .savedState: return nil
        }
        return try StateTransfer(
            contents, of: sceneNames, into: archive,
            names: hostedScenes?.names ?? NameTable(archive.names),
            numbering: hostedScenes?.numbering
                ?? RecordNumberGenerator(after: archive.highestObjectNumber))
    }

    /// Returns the names of the scenes to launch.
    ///
    /// If the saved state does not change, the specified scenes are launched, or all running scenes if no scenes were
    /// specified. Otherwise, the following scenes are launched:
    ///
    /// - Scenes that are in use in the new state.
    /// - Configured scenes without new state.
    /// - Specified scenes that are running or could not be launched.
    /// - Scenes that could not be launched and have new state.
    private func scenesToLaunch(
        from transfer: StateTransfer?, of hostedScenes: HostedScenes
    ) -> [RestorationIdentifier] {
        guard let transfer else {
            return sceneNames ?? hostedScenes.table.launchedScenes.map(\.name)
        }
        var names: [RestorationIdentifier] = []
        var addedNames: Set<RestorationIdentifier> = []
        let candidates =
            sceneNames ?? definition.scenes + hostedScenes.names() + transfer.transferredSceneNames
        for name in candidates where addedNames.insert(name).inserted {
            let hasNewState = transfer.transferredSceneNames.contains(name)
            let shouldLaunch =
                switch hostedScenes.state(of: name) {
                case .launched where sceneNames != nil: true
                case .failed where sceneNames != nil: true
                case .failed: hasNewState || definition.scenes.contains(name)
                case .launched, .saved, .unknown, .launching:
                    hasNewState ? transfer.isInUse(name) : definition.scenes.contains(name)
                }
            if shouldLaunch { names.append(name) }
        }
        return names
    }

    /// Returns the result of the change.
    ///
    /// - Parameters:
    ///   - scenes: The names of the scenes that received new state.
    ///   - generation: The path of the generation that contains the previous state, or `nil` if no generation contains
    ///     it.
    func result(
        scenes: [RestorationIdentifier] = [], generation: String? = nil, saved: DurabilityLevel
    ) -> StateChangeResult {
        StateChangeResult(
            scenes: scenes.map(\.text), generation: generation, shortfall: shortfall, saved: saved)
    }
}

/// Change whose new state has been written to the archive and can still be undone.
struct WrittenChange {
    /// Names of the scenes to launch from the new state.
    let namesToLaunch: [RestorationIdentifier]
    /// Transfer of the new state, or `nil` if the archive's state does not change.
    fileprivate let transfer: StateTransfer?
    /// Generation that contains the previously saved state, or `nil` if the state was not added to the history.
    let historyEntry: GenerationWriter.HistoryEntry?
    /// Launch records of the previous scenes.
    fileprivate let launchRecords: LaunchRecordsByScene

    /// Names of the scenes that received new state.
    var changedSceneNames: [RestorationIdentifier] { transfer?.transferredSceneNames ?? [] }

    /// Records that the new scenes have replaced the previous scenes.
    func commit(_ sceneLaunchGuard: SceneLaunchGuard) {
        // After a crash, a scene that the change closed and did not launch again must not be restored.
        sceneLaunchGuard.record(
            { .replaced(scene: $0, generation: nil) },
            of: (transfer?.coveredSceneNames ?? []).filter {
                !namesToLaunch.contains($0) && !changedSceneNames.contains($0)
            })
    }

    /// Restores the archive's previous state and the scenes' previous launch records.
    func undo(by saver: StateSaver, _ sceneLaunchGuard: SceneLaunchGuard) {
        let isUndone = transfer?.undo(by: saver) ?? true
        sceneLaunchGuard.reinstate(launchRecords)
        if isUndone {
            saver.generations.discardIfNew(historyEntry)
        } else if let transfer {
            // The next process will find the new state in the archive.
            sceneLaunchGuard.record(
                { .replaced(scene: $0, generation: historyEntry?.path) },
                of: transfer.coveredSceneNames)
        }
    }
}

/// Result of a successful state change.
public struct StateChangeResult: Sendable, Equatable {
    /// Names of the scenes that received new state.
    ///
    /// If the application is running, these are the scenes that were launched from the new state.
    public var scenes: [String]
    /// Name of the model-data document that was put back, or `nil` if no document was put back.
    public var document: String?
    /// Path of the generation that contains the previous state, or `nil` if no previous state was saved.
    public var generation: String?
    /// Phrase that describes the unusable part of the new state, or `nil` if the whole state was usable.
    public var shortfall: String?
    /// Durability level of the new state.
    public var saved: DurabilityLevel
}
