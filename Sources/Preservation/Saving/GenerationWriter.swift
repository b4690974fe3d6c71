import ExactText
import Logging
import SavedState
import StateRestoration

/// Object that adds the saved state to the history on request and enforces the limits of the history and the
/// quarantine.
///
/// The callers decide when a generation is required. For example, the history interval is measured by
/// ``IntervalTimers``. Generations are added in three situations:
///
/// - Before the saved state is replaced (``saveToHistory(because:)``).
/// - Before the first write after a launch that did not restore all saved state (``requireGeneration(_:)``).
/// - When the application stops and at each history interval, if the state has changed
///   (``saveChangesToHistory(because:)``).
///
/// State that is equal to the newest generation is not added again.
final class GenerationWriter {
    let archive: ApplicationArchive
    let log: ApplicationLog
    /// Reason why the last attempt to add a generation failed, or `nil` if it succeeded.
    private(set) var failureReason: String?
    /// Generation that lacked only the records added by launches, or `nil` if there was no such generation.
    ///
    /// The write number and the digest of the archive show whether other changes have been saved since.
    private var generationBeforeAdditions:
        (generation: String, writeNumber: UInt64, digest: UInt64?)?
    /// Kinds of differences that count as changes.
    ///
    /// If idle scenes are closed and relaunched on demand, closing or launching a scene does not count as a change.
    private var countedChanges: StateComparison.CountedChanges
    /// Limits for the history.
    private var historySettings: HistorySettings
    /// Limits for the quarantine.
    private var quarantineSettings: QuarantineSettings

    init(_ archive: ApplicationArchive, log: ApplicationLog, settings: PreservationSettings) {
        self.archive = archive
        self.log = log
        historySettings = settings.history
        quarantineSettings = settings.quarantine
        countedChanges = Self.countedChanges(settings)
    }

    private static func countedChanges(_ settings: PreservationSettings)
        -> StateComparison.CountedChanges
    {
        settings.idleTimeout == nil ? .history : .historyIgnoringInUse
    }

    // MARK: Adding generations

    /// Saves records that were added by the launch after an orderly stop, such as records of views loaded for the first
    /// time.
    ///
    /// If the newest generation contains all other state, the added records do not count as a change.
    func saveLaunchAdditions(_ save: () -> Void) {
        let generation = newestGenerationPath(ignoring: \.isAddition)
        save()
        generationBeforeAdditions = generation.map {
            ($0, archive.writeNumber, archive.stateDigest())
        }
    }

    /// Saves records that were added by a deferred launch while the application was accepting commands.
    func saveDeferredLaunchAdditions(_ save: () -> Void) {
        let generation = generationBeforeAdditions.flatMap {
            hasNoChanges(since: $0.writeNumber) ? $0.generation : nil
        }
        save()
        generationBeforeAdditions = generation.map { ($0, archive.writeNumber, nil) }
    }

    /// Records that all launches have finished, so that no launch will add further records.
    func launchesDidEnd() {
        guard let generationBeforeAdditions, generationBeforeAdditions.digest == nil,
            hasNoChanges(since: generationBeforeAdditions.writeNumber)
        else {
            return
        }
        self.generationBeforeAdditions?.digest = archive.stateDigest()
    }

    /// Returns whether the state in memory has not changed since a write.
    ///
    /// After a failed write, the state in memory contains pending changes that are not reflected in the write number.
    private func hasNoChanges(since writeNumber: UInt64) -> Bool {
        writeNumber == archive.writeNumber && !archive.hasPendingChanges
    }

    /// Path of a generation, and whether the generation is new.
    typealias HistoryEntry = (path: String, isNew: Bool)

    /// Adds the state in memory to the history before the state is replaced.
    ///
    /// The contents of the archive file do not matter.
    ///
    /// The generation does not contain changes made since the last pass. Make a full pass before calling this method
    /// (P18). No older generation is removed, because the replacement may still fail. After the replacement, call
    /// ``pruneHistory()``.
    ///
    /// - Returns: The durable generation that contains the state, or `nil` if there is no saved state.
    /// - Throws: An error that states why the state could not be added to the history. In this case, the state must not
    ///   be replaced.
    @discardableResult
    func saveToHistory(
        because reason: GenerationReason
    ) throws(SaveError) -> HistoryEntry? {
        if let path = newestGenerationPath() { return (path, isNew: false) }
        do throws(SaveError) {
            guard let path = try archive.makeGeneration(because: "\(reason)") else { return nil }
            recordGeneration(path, "\(reason)")
            return (path, isNew: true)
        } catch {
            recordFailure("\(error)")
            throw error
        }
    }

    /// Deletes the generation of a cancelled operation, unless the generation existed before the operation.
    func discardIfNew(_ historyEntry: HistoryEntry?) {
        if let historyEntry, historyEntry.isNew { archive.removeGeneration(at: historyEntry.path) }
    }

    /// Requires that the saved state be added to the history before the next write.
    ///
    /// Call this method if a scene's launch did not restore all of the scene's state (R16, L6).
    func requireGeneration(_ reason: GenerationReason) throws(SaveError) {
        guard !archive.isGenerationRequired, newestGenerationPath() == nil else { return }
        try archive.requireGeneration(because: "\(reason)")
    }

    /// Adds the required generation, if any.
    ///
    /// Saving does not wait for the history. State that cannot be added to the history is quarantined. If quarantining
    /// also fails, the state is retained in memory until a later attempt.
    ///
    /// - Returns: The reason why no state may be written, or `nil` if writing is permitted.
    func addRequiredGeneration() -> String? {
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
        pruneHistory()
    }

    private func quarantineAsFallback(_ reason: String, _ failure: String) -> String? {
        recordFailure(failure)
        do throws(SaveError) {
            if let path = try archive.quarantineRequiredGeneration(because: failure) {
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
            return
                "the previous state (\(reason)) must be added to the history, but cannot be read: "
                + "\(error)"
        }
    }

    /// Retries adding an overdue generation to the history. Until a retry succeeds, the generation exists only in
    /// memory.
    func retryOverdueGeneration() {
        guard archive.isGenerationDeferred else { return }
        do throws(SaveError) { try makeRequiredGeneration() } catch { recordFailure("\(error)") }
    }

    /// Stores an overdue generation in the history, or in quarantine if the history is unusable.
    ///
    /// Call this method when the application stops, because the generation is lost when the program stops.
    ///
    /// - Returns: A sentence without a period that states why the generation remains only in memory, or `nil` if no
    ///   generation is overdue.
    func storeOverdueGeneration() -> String? {
        guard archive.isGenerationDeferred else { return nil }
        let reason = archive.requiredGenerationReason
        do throws(SaveError) {
            try makeRequiredGeneration()
            return nil
        } catch {
            let problem = quarantineAsFallback(reason, "\(error)")
            guard archive.isGenerationDeferred else { return problem }
            return "the previous state (\(reason)) is only in memory, because it could be added "
                + "neither to the history nor to the quarantine: \(error)"
        }
    }

    /// Adds the state in memory to the history if it has changed since the newest generation was added.
    ///
    /// Records that launches have added do not count as changes. A failure is logged, and saving continues.
    func saveChangesToHistory(because reason: GenerationReason) {
        if let generationBeforeAdditions,
            generationBeforeAdditions.generation == archive.newestGeneration()?.path,
            hasNoChanges(since: generationBeforeAdditions.writeNumber)
                || generationBeforeAdditions.digest == archive.stateDigest()
        {
            return
        }
        do throws(SaveError) {
            try saveToHistory(because: reason)
            pruneHistory()
        } catch {
            // The failure has been logged, and the next interval tries again.
        }
    }

    /// Adds the state to the history and removes it from the archive, for a forced quit (L1).
    ///
    /// - Returns: The path of the generation that contains the state, or `nil` if there was no state.
    /// - Throws: An error that states why the state could not be added to the history. In this case, no state was
    ///   removed.
    func removeState() throws(SaveError) -> String? {
        let reason = "\(GenerationReason.forcedQuit)"
        do throws(SaveError) {
            let path = try archive.remove(because: reason)
            if let path { recordGeneration(path, reason) }
            pruneHistory()
            return path
        } catch {
            recordFailure("\(error)")
            throw error
        }
    }

    // MARK: Limits

    /// Applies new settings, and prunes the history if its limits have changed.
    func apply(_ newSettings: PreservationSettings) {
        let previousSettings = historySettings
        (historySettings, quarantineSettings) = (newSettings.history, newSettings.quarantine)
        countedChanges = Self.countedChanges(newSettings)
        if historySettings.count != previousSettings.count
            || historySettings.bytes != previousSettings.bytes
        {
            pruneHistory()
        }
    }

    /// Removes the oldest generations until the history is within its limits.
    func pruneHistory() {
        logPrunedFiles(
            archive.pruneGenerations(count: historySettings.count, bytes: historySettings.bytes),
            .generationsRemoved, failure: .generationsNotRemoved, of: "history")
    }

    /// Removes the oldest files in quarantine until the quarantine is within its limits.
    ///
    /// - Parameter fileNames: The names of files that must remain because a scene may still be restored from them.
    func pruneQuarantine(keeping fileNames: [String]) {
        logPrunedFiles(
            archive.pruneQuarantine(
                count: quarantineSettings.count, bytes: quarantineSettings.bytes,
                keeping: fileNames),
            .quarantineRemoved, failure: .quarantineNotRemoved, of: "quarantine")
    }

    private func logPrunedFiles(
        _ prunedFiles: PrunedFiles, _ removalEvent: LogEvent, failure failureEvent: LogEvent,
        of directoryName: String
    ) {
        if !prunedFiles.removedNames.isEmpty {
            let names = prunedFiles.removedNames.joined(separator: ", ")
            log.log(.info, removalEvent, "removed from the \(directoryName): \(names)")
        }
        if let failure = prunedFiles.failure {
            log.logProblem(
                .warning, failureEvent,
                "old files could not be removed from the \(directoryName): \(failure)",
                reason: "\(failure)")
        }
    }

    /// Records that a generation could not be added, and logs the failure unless the previous attempt also failed.
    private func recordFailure(_ reason: String) {
        let sentence = "the saved state could not be added to the history: \(reason)"
        if failureReason == nil { log.log(.error, .generationFailed, sentence, reason: reason) }
        log.recordProblem(sentence)
        failureReason = reason
    }

    private func recordGeneration(_ path: String, _ reason: String) {
        log.metrics.countGeneration()
        if failureReason != nil {
            log.log(.notice, .generationMade, "state can be added to the history again")
            failureReason = nil
        }
        log.log(
            .notice, .generationMade,
            "a copy of the saved state was added to the history as \(path), because \(reason)",
            generation: path, reason: reason)
    }

    // MARK: Contents of the newest generation

    /// Returns the path of the newest generation, or `nil` if the generation differs from the state in memory.
    ///
    /// Differences in the times of passes and in record numbers do not count. The result is also `nil` if the
    /// generation cannot be read.
    ///
    /// - Parameter isIgnorable: A closure that returns whether a difference can be ignored, or `nil` if no difference
    ///   can be ignored.
    private func newestGenerationPath(
        ignoring isIgnorable: ((StateDifference) -> Bool)? = nil
    ) -> String? {
        guard !archive.isGenerationRequired else { return nil }
        if let path = archive.unchangedGenerationPath() { return path }
        guard let contents = archive.contents, !contents.objects.isEmpty else { return nil }
        do {
            guard let newestGeneration = archive.newestGeneration() else { return nil }
            let storedContents = try archive.contents(ofGeneration: newestGeneration.name)
            guard storedContents.shortfall == nil else { return nil }
            let differences = StateComparison.differences(
                from: storedContents.contents.comparisonSide, to: contents.comparisonSide,
                limit: isIgnorable == nil ? 1 : StateComparison.maximumListedDifferences,
                counting: countedChanges)
            let isUnchanged =
                differences.unlistedCount == 0
                && differences.listedDifferences.allSatisfy { isIgnorable?($0) == true }
            return isUnchanged ? newestGeneration.path : nil
        } catch {
            return nil
        }
    }
}

extension StateDifference {
    /// Whether the difference only adds an object or a value.
    fileprivate var isAddition: Bool {
        switch change {
        case .appeared: path != nil
        case .value(_, from: nil, _), .trait(_, from: nil, _): true
        case .value, .trait, .disappeared, .unreadable: false
        }
    }
}
