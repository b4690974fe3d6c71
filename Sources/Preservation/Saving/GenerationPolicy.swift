import ExactText
import Logging
import SavedState
import StateRestoration

/// Decides when the saved state becomes a generation, makes generations, and removes the oldest ones.
///
/// Generations are made in three situations:
///
/// - Before a replacement of the saved state (``saveToHistory(because:)``).
/// - Before the first write after a launch that did not restore all of its state (``require(_:)``).
/// - When the application stops, or after an interval, if anything changed (``saveChangesToHistory(because:)``).
///
/// State that the newest generation already holds is not saved again.
final class GenerationPolicy {
    let archive: ApplicationArchive
    let log: ApplicationLog
    /// Sentence about the failure of the last attempt to make a generation, or `nil` if it succeeded.
    private(set) var failure: String?
    /// Newest generation, if it holds everything except what launches have added since.
    ///
    /// The archive's write number and the digest of its state show whether anything else was saved since.
    private var addition: (generation: String, write: UInt64, digest: UInt64?)?
    /// Kinds of differences that count as a change.
    ///
    /// If unused scenes are closed and launched again on demand, a change in whether scenes are in use does
    /// not count.
    private var counting: StateComparison.Counting
    /// Limits of the history.
    private var history: HistorySettings
    /// Limits of the quarantine.
    private var quarantine: QuarantineSettings

    init(_ archive: ApplicationArchive, log: ApplicationLog, settings: PreservationSettings) {
        self.archive = archive
        self.log = log
        history = settings.history
        quarantine = settings.quarantine
        counting = Self.counting(settings)
    }

    private static func counting(_ settings: PreservationSettings) -> StateComparison.Counting {
        settings.idleTime == nil ? .history : .historyBesidesUse
    }

    // MARK: Making generations

    /// Saves records that a launch added after an orderly stop, for example for views that were never loaded
    /// before.
    ///
    /// If the newest generation holds everything else, the added records do not count as a change for the
    /// history.
    func saveAddition(_ save: () -> Void) {
        let generation = newestGeneration(besides: \.isAddition)
        save()
        addition = generation.map { ($0, archive.writeNumber, archive.stateDigest()) }
    }

    /// Saves records that a later launch added while the application already accepts commands.
    func saveFurtherAddition(_ save: () -> Void) {
        let generation = addition.flatMap { $0.write == archive.writeNumber ? $0.generation : nil }
        save()
        addition = generation.map { ($0, archive.writeNumber, nil) }
    }

    /// Marks the end of all launches, after which no launch adds records.
    func launchesDidEnd() {
        guard let addition, addition.digest == nil, addition.write == archive.writeNumber else {
            return
        }
        self.addition?.digest = archive.stateDigest()
    }

    /// Path of a generation, and whether the generation was newly made.
    typealias HistoryEntry = (path: String, isNew: Bool)

    /// Saves the state in memory to the history before its replacement, whatever the state of the file is.
    ///
    /// The generation does not contain changes since the last pass, so make a full pass before this call
    /// (P18). No older generation is removed yet, because the replacement may fail; see ``prune()``.
    ///
    /// - Returns: The durable generation that holds the state, or `nil` if nothing is saved.
    /// - Throws: The reason why the state could not be saved to the history. The replacement must not be made
    ///   in this case.
    @discardableResult
    func saveToHistory(
        because reason: GenerationReason
    ) throws(SaveError) -> HistoryEntry? {
        if let path = unchangedGeneration { return (path, isNew: false) }
        do throws(SaveError) {
            guard let path = try archive.makeGeneration(because: "\(reason)") else { return nil }
            recordGeneration(path, "\(reason)")
            return (path, isNew: true)
        } catch {
            recordFailure("\(error)")
            throw error
        }
    }

    /// Deletes the generation of a cancelled operation, unless the generation existed before.
    func withdraw(_ kept: HistoryEntry?) {
        if let kept, kept.isNew { archive.removeGeneration(at: kept.path) }
    }

    /// Requires a generation of the saved state before the next write, because a scene's launch did not
    /// restore all of its state (R16, L6).
    func require(_ reason: GenerationReason) throws(SaveError) {
        guard !archive.isGenerationRequired, unchangedGeneration == nil else { return }
        try archive.requireGeneration(because: "\(reason)")
    }

    /// Makes the required generation, if there is one.
    ///
    /// Saving does not wait for the history. State that cannot be added to the history is moved to
    /// quarantine. If that fails too, the state stays in memory until a later attempt.
    ///
    /// - Returns: The reason why nothing may be written, or `nil` if writing is permitted.
    func makeRequired() -> String? {
        guard archive.isGenerationRequired else { return nil }
        do throws(SaveError) {
            try makeRequiredGeneration()
            return nil
        } catch {
            return quarantineAsFallback(archive.requiredGenerationReason, "\(error)")
        }
    }

    private func makeRequiredGeneration() throws(SaveError) {
        let reason = archive.requiredGenerationReason
        guard let path = try archive.makeRequiredGeneration() else { return }
        recordGeneration(path, reason)
        prune()
    }

    private func quarantineAsFallback(_ reason: String, _ failure: String) -> String? {
        recordFailure(failure)
        do throws(SaveError) {
            if let path = try archive.quarantineRequired(because: failure) {
                log.logProblem(
                    .error, .quarantined,
                    "the previous state (\(reason)) is in quarantine as \(path), because it could "
                        + "not be added to the history: \(failure) "
                        + "\(archive.putBackCommand(of: path)) brings it back",
                    reason: reason)
            }
            return nil
        } catch {
            log.logProblem(
                .error, .generationFailed,
                "the previous state (\(reason)) is only in memory until it can be added to the "
                    + "history: \(error)", reason: reason)
        }
        do throws(SaveError) {
            try archive.deferRequiredGeneration()
            return nil
        } catch {
            return "the previous state (\(reason)) must go to the history, and cannot be read: "
                + "\(error)"
        }
    }

    /// Tries again to add state that exists only in memory to the history.
    func makeOverdue() {
        guard archive.isGenerationOverdue else { return }
        do throws(SaveError) { try makeRequiredGeneration() } catch { recordFailure("\(error)") }
    }

    /// Saves the state in memory to the history, unless the newest generation holds all of it except the
    /// additions of a launch.
    ///
    /// A failure is logged, and saving continues.
    func saveChangesToHistory(because reason: GenerationReason) {
        if let addition, addition.generation == archive.newestGeneration()?.path,
            addition.write == archive.writeNumber || addition.digest == archive.stateDigest()
        {
            return
        }
        do throws(SaveError) {
            try saveToHistory(because: reason)
            prune()
        } catch {
            // The failure was logged, and the next interval retries.
        }
    }

    /// Saves the state to the history and removes it from the archive, for a forced quit (L1).
    ///
    /// - Returns: Path of the generation with the state, or `nil` if there was no state.
    /// - Throws: The reason why the state could not be saved to the history. Nothing was removed in this
    ///   case.
    func removeState() throws(SaveError) -> String? {
        let reason = "\(GenerationReason.forcedQuit)"
        do throws(SaveError) {
            let path = try archive.remove(because: reason)
            if let path { recordGeneration(path, reason) }
            prune()
            return path
        } catch {
            recordFailure("\(error)")
            throw error
        }
    }

    // MARK: Limits

    /// Applies new limits, and removes the oldest generations if they exceed the limits.
    func apply(_ new: PreservationSettings) {
        let before = history
        (history, quarantine) = (new.history, new.quarantine)
        counting = Self.counting(new)
        if history.count != before.count || history.bytes != before.bytes { prune() }
    }

    /// Removes the oldest generations that exceed the limits.
    func prune() {
        logPruned(
            archive.pruneGenerations(count: history.count, bytes: history.bytes),
            .generationsRemoved, failure: .generationsNotRemoved, of: "history")
    }

    /// Removes the oldest files in quarantine that exceed the limits.
    ///
    /// - Parameter names: Names of files that must stay because their state may still be restored to a scene.
    func pruneQuarantine(keeping names: [String]) {
        logPruned(
            archive.pruneQuarantine(
                count: quarantine.count, bytes: quarantine.bytes, keeping: names),
            .quarantineRemoved, failure: .quarantineNotRemoved, of: "quarantine")
    }

    private func logPruned(
        _ pruned: PrunedFiles, _ removal: LogEvent, failure event: LogEvent, of folder: String
    ) {
        if !pruned.removed.isEmpty {
            let names = pruned.removed.joined(separator: ", ")
            log.log(.info, removal, "removed from the \(folder): \(names)")
        }
        if let failure = pruned.failure {
            log.logProblem(
                .warning, event, "old files could not be removed from the \(folder): \(failure)",
                reason: "\(failure)")
        }
    }

    /// Records that a generation could not be made, and logs the failure unless the previous attempt failed too.
    private func recordFailure(_ reason: String) {
        let sentence = "the saved state could not be added to the history: \(reason)"
        if failure == nil { log.log(.error, .generationFailed, sentence, reason: reason) }
        log.recordProblem(sentence)
        failure = reason
    }

    private func recordGeneration(_ path: String, _ reason: String) {
        if failure != nil {
            log.log(.notice, .generationMade, "state can be added to the history again")
            failure = nil
        }
        log.log(
            .notice, .generationMade,
            "a copy of the saved state was added to the history as \(path), because \(reason)",
            generation: path, reason: reason)
    }

    // MARK: Contents of the newest generation

    /// Path of the newest generation if it holds exactly the state in memory, or `nil` if it does not or
    /// cannot be read.
    ///
    /// Only the times of passes and the numbers of records may differ.
    private var unchangedGeneration: String? { newestGeneration() }

    /// Returns the path of the newest generation if it differs from the state in memory only in ways that do
    /// not count.
    ///
    /// - Parameter isUncounted: Returns whether a difference does not count; `nil` means that all differences
    ///   count.
    private func newestGeneration(
        besides isUncounted: ((StateDifference) -> Bool)? = nil
    ) -> String? {
        guard !archive.isGenerationRequired else { return nil }
        if let path = archive.unchangedGeneration() { return path }
        guard let contents = archive.contents, !contents.objects.isEmpty else { return nil }
        do {
            guard let newest = archive.newestGeneration() else { return nil }
            let kept = try archive.contents(ofGeneration: newest.name)
            guard kept.shortfall == nil else { return nil }
            let differences = StateComparison.differences(
                from: kept.contents.comparisonSide, to: contents.comparisonSide,
                limit: isUncounted == nil ? 1 : StateComparison.maximumListed, counting: counting)
            let isHeld =
                differences.unlisted == 0
                && differences.listed.allSatisfy { isUncounted?($0) == true }
            return isHeld ? newest.path : nil
        } catch {
            return nil
        }
    }
}

extension StateDifference {
    /// Whether the difference only adds an object or a value, without changing or removing anything of the
    /// first state.
    fileprivate var isAddition: Bool {
        switch change {
        case .appeared: path != nil
        case .value(_, from: nil, _), .trait(_, from: nil, _): true
        case .value, .trait, .disappeared, .unreadable: false
        }
    }
}
