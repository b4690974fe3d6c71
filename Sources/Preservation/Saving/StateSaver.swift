import ExactText
import Logging
import SavedState
import StateRecords
import StateRestoration

/// Object that saves the changes to an application's scenes and tracks the durability level of their state.
final class StateSaver {
    let archive: ApplicationArchive
    let log: ApplicationLog
    /// Writer that adds the saved state to the history.
    let generations: GenerationWriter
    /// Time of the last pass that wrote changes, in microseconds since 1970-01-01 UTC, or `nil` if it is unknown.
    private(set) var lastPassTime: Int64?
    /// Time of the oldest change that is not durable, or `nil` if all changes are durable.
    private(set) var notDurableSince: Moment?

    /// Saver of the model data. The model data is written before the state that refers to it (P19).
    var modelSaver: ModelSaver
    private var writeState = WriteState.healthy
    /// Time of the last pass that has not been written yet, or `nil` if all passes have been written.
    private var pendingPassTime: Int64?
    private let scenePasses: ScenePasses

    private var lastDurabilityLevel: DurabilityLevel?
    /// Number of the newest durable write that ``consumeDurabilityChange()`` has reported.
    private var lastDurableWriteNumber: UInt64 = 0
    /// Clock that measures the time taken to make writes durable.
    private let clock: any Clock<Duration>

    /// State of writing to the archive.
    private enum WriteState {
        /// The last write succeeded.
        case healthy
        /// The last write failed for this reason. The next turn retries the write.
        case failing(String)
        /// A pass was rejected permanently for this reason. The pass's objects are not recorded until the next launch.
        case incomplete(String)
        /// The saved state was removed, and no state is written until something changes (L4).
        ///
        /// `failing` is the reason why no state can be written, or `nil` if writing is possible.
        case removed(failing: String?)
    }

    /// Creates a saver for an application's archive.
    ///
    /// - Parameter documents: The directory for the application's model data, or `nil` if the application has no model
    ///   data.
    init(
        archive: ApplicationArchive, log: ApplicationLog, generations: GenerationWriter,
        documents: DocumentsDirectory?, clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.archive = archive
        self.log = log
        self.generations = generations
        self.clock = clock
        scenePasses = ScenePasses(archive: archive, log: log, generations: generations)
        modelSaver = ModelSaver(documents: documents)
    }

    // MARK: Durability

    /// Durability level of the state of all scenes. If a pass could not save a value, the level is `notSaved`.
    var durabilityLevel: DurabilityLevel {
        if failureReason == nil, let omissionReason = scenePasses.omissionReason {
            return .notSaved(reason: omissionReason)
        }
        return recordDurability
    }

    /// Whether state is unsaved only because a delegate does not opt in to saving its scene (P1).
    var isUnsavedByOptOut: Bool {
        recordDurability.isSaved && scenePasses.isUnsavedByOptOut
    }

    /// Durability level of the records that passes have produced, regardless of values that could not be saved.
    var recordDurability: DurabilityLevel {
        if let failureReason { return .notSaved(reason: failureReason) }
        if isStateRemoved { return .durable }
        if let unhandledChangeReason { return .notSaved(reason: unhandledChangeReason) }
        if archive.hasPendingChanges {
            return .notSaved(
                reason: "\(archive.path) lacks the last changes, which the next turn writes")
        }
        if archive.isReplicated { return .replicated }
        return archive.isDurable ? .durable : .written
    }

    /// A value that could not be saved, for each scene that has such values.
    var firstLosses: [RestorationIdentifier: PassDiagnostic] { scenePasses.firstLosses }

    /// Whether the state survives a power cut.
    var isSavedDurably: Bool {
        durabilityLevel == .durable || durabilityLevel == .replicated
    }

    /// Reason why the state cannot be saved, or `nil` if no write has failed.
    var failureReason: String? { modelSaver.failureReason ?? archiveFailureReason }

    /// Reason why writing is suspended until another program's change to the archive has been handled, or `nil` if
    /// writing is not suspended.
    var unhandledChangeReason: String? {
        guard archive.isChangedExternally, archive.hasPendingChanges else { return nil }
        return "another program changed \(archive.path), and may not be done yet"
    }

    /// Receipt for the last turn's passes.
    var receipt: TurnReceipt { scenePasses.receipt }

    /// Returns whether a scene's delegate does not opt in to saving (P1).
    func isOptedOut(_ scene: RestorationIdentifier) -> Bool { receipt.isOptedOut(scene) }

    /// Returns the reason why a scene's last state could not be saved, or `nil` if saving did not fail.
    ///
    /// The result is also `nil` if the scene's delegate does not opt in to saving.
    func failureReason(of scene: RestorationIdentifier) -> String? {
        if isOptedOut(scene) { return nil }
        return failureReason ?? unhandledChangeReason ?? receipt.lossDescription(of: scene)
    }

    /// Whether the saved state has been removed and nothing has changed since (L4).
    var isStateRemoved: Bool { if case .removed = writeState { true } else { false } }

    private var archiveFailureReason: String? {
        switch writeState {
        case .healthy: nil
        case .failing(let reason), .incomplete(let reason): reason
        case .removed(let reason): reason
        }
    }

    /// Change in the durability level.
    struct DurabilityChange: Equatable {
        /// Whether the durability level has changed.
        var hasLevelChanged = false
        /// Whether the reason why the state is not saved has changed.
        var hasFailureChanged = false
        /// Whether changes have become durable.
        var becameDurable = false
    }

    /// Returns the changes to ``durabilityLevel`` since the last call.
    func consumeDurabilityChange() -> DurabilityChange {
        let (currentLevel, earlierLevel) = (durabilityLevel, lastDurabilityLevel)
        lastDurabilityLevel = currentLevel
        var change = DurabilityChange(
            hasLevelChanged: currentLevel != earlierLevel,
            hasFailureChanged: currentLevel.failureReason != earlierLevel?.failureReason)
        guard currentLevel == .durable || currentLevel == .replicated,
            archive.isDurable || isStateRemoved
        else {
            return change
        }
        change.becameDurable =
            change.hasLevelChanged || archive.durableWriteNumber != lastDurableWriteNumber
        lastDurableWriteNumber = archive.durableWriteNumber
        return change
    }

    /// Sets or clears ``notDurableSince``, depending on whether all changes are durable.
    ///
    /// - Parameter now: A closure that returns the current time. It is called only if all changes were durable before.
    func updateNondurableTime(since now: () -> Moment) {
        if archive.isDurable || isStateRemoved {
            notDurableSince = nil
        } else if notDurableSince == nil {
            notDurableSince = now()
        }
    }

    // MARK: Launch

    /// Retries a failed save, then prepares for a launch.
    ///
    /// If the save fails again, the changes stay pending, and the launch restores them from memory.
    func prepareForLaunch() {
        retrySaving()
        if case .incomplete(let reason) = writeState { writeState = .failing(reason) }
        if !archive.hasPendingChanges { clearFailure() }
        scenePasses.prepareForLaunch()
    }

    /// Updates the time of the last pass after the archive has been loaded.
    func updateLastPassTime() { lastPassTime = archive.lastPassEnd?.timestamp }

    /// Marks the archive as open.
    ///
    /// The next launch has the launch reason `recover`, unless the archive is closed first (R2).
    func markOpened() {
        do throws(SaveError) { try archive.markOpened() } catch { recordFailure(error) }
    }

    /// Requires that the saved state be added to the history before the next write.
    ///
    /// Call this method after a scene's launch.
    func requireGeneration(_ reason: GenerationReason) {
        do throws(SaveError) { try generations.requireGeneration(reason) } catch {
            recordFailure(error)
        }
    }

    // MARK: Passes

    /// Whether missed invalidations are detected after each command (see
    /// ``PreservationSettings/detectsMissedInvalidations``).
    var detectsMissedInvalidations: Bool {
        get { scenePasses.detectsMissedInvalidations }
        set { scenePasses.detectsMissedInvalidations = newValue }
    }

    /// Makes a pass over each scene, then writes the model data and the changes (P19).
    ///
    /// - Parameter closingScene: The scene to encode completely because it is being closed, or `nil` if no scene is
    ///   being closed.
    /// - Returns: The receipt, which lists the scenes and values that the passes did not record.
    @discardableResult
    func save(
        _ scenes: some Sequence<some ScenePreserving>, _ reason: TurnReason,
        closing closingScene: Scene? = nil, passMetadata: () -> PassMetadata
    ) -> TurnReceipt {
        let output = log.tracing.span(.pass) {
            scenePasses.makePasses(
                over: scenes, reason, closing: closingScene,
                isModelChanged: modelSaver.hasChanges, passMetadata: passMetadata)
        }
        if let lastPassTime = output.lastPassTime { pendingPassTime = lastPassTime }
        let records = output.records
        switch reason {
        case .launch, .laterLaunch:
            let areScenesRestored = scenes.allSatisfy { $0.scene.launchReason == .restore }
            writeAfterLaunch(records, reason, areScenesRestored: areScenesRestored)
        case .commands, .interval, .history, .demand, .stop:
            if isStateRemoved, records.isEmpty {
                // A command that changes only the model data does not change the saved state.
                if reason == .commands || modelSaver.failureReason != nil { _ = saveModel() }
            } else {
                write(records)
            }
        }
        return receipt
    }

    /// Writes the records of a launch, unless the saved state has been removed (L4).
    private func writeAfterLaunch(
        _ records: TurnRecords, _ reason: TurnReason, areScenesRestored: Bool
    ) {
        if isStateRemoved {
            do throws(SaveError) { try archive.stage(records) } catch { recordFailure(error) }
        } else if records.isEmpty || !areScenesRestored {
            write(records)
        } else if reason == .launch {
            generations.saveLaunchAdditions { write(records) }
        } else {
            generations.saveDeferredLaunchAdditions { write(records) }
        }
    }

    /// Writes the model data, then the given records and all pending changes.
    func write(_ records: TurnRecords) {
        if case .removed(let reason) = writeState {
            if records.isEmpty { return }
            writeState = reason.map(WriteState.failing) ?? .healthy
        }
        let isModelSaved = saveModel()
        if records.isEmpty, archiveFailureReason == nil, !archive.hasUnwrittenState { return }
        do throws(SaveError) {
            guard isModelSaved, makeRequiredGeneration() else { return try archive.stage(records) }
            try log.tracing.span(.write) { () throws(SaveError) -> Void in
                try archive.append(records)
            }
            markWritten()
        } catch {
            recordFailure(error)
        }
    }

    /// Writes the model data, then the whole archive durably to a new file.
    ///
    /// If the archive is closed, it stays closed, and the model data is not written.
    ///
    /// - Returns: A sentence that states why the archive could not be written, or `nil` if it was written.
    func rewrite() -> String? {
        do throws(SaveError) {
            let isClosed = archive.isClosed
            try archive.requireNewFile()
            if isClosed {
                try archive.close()
                markWritten()
                return nil
            }
        } catch {
            recordFailure(error)
            return "\(error)"
        }
        write(TurnRecords())
        return archive.hasPendingChanges ? failureReason ?? unhandledChangeReason : nil
    }

    /// Writes records, and makes this write and all earlier writes durable.
    ///
    /// - Returns: Whether the records are durable. If they are not, they remain pending.
    func writeDurably(_ records: TurnRecords) -> Bool {
        write(records)
        guard !archive.hasPendingChanges else { return false }
        do throws(SaveError) {
            try measureSync { () throws(SaveError) in try archive.synchronize() }
            return true
        } catch {
            recordFailure(error)
            return false
        }
    }

    /// Runs a closure that makes all writes durable, and records its duration in the metrics.
    ///
    /// The duration is recorded only if the closure made writes durable.
    private func measureSync(_ body: () throws(SaveError) -> Void) throws(SaveError) {
        let isDurable = archive.isDurable
        let elapsed = clock.stopwatch()
        try log.tracing.span(.sync, body)
        if !isDurable, archive.isDurable { log.metrics.recordSyncDuration(elapsed()) }
    }

    /// Adds the generation that is required before the next write, if any.
    ///
    /// - Returns: Whether state may be written.
    private func makeRequiredGeneration() -> Bool {
        guard let failureReason = generations.addRequiredGeneration() else { return true }
        suspendSaving(failureReason)
        return false
    }

    /// Writes the model data to disk if it has changed.
    ///
    /// - Returns: Whether the model data was written. If it was not, no state may be written (P19).
    private func saveModel() -> Bool {
        let previousFailureReason = modelSaver.failureReason
        modelSaver.saveChanges()
        if let failureReason = modelSaver.failureReason {
            if previousFailureReason == nil, archiveFailureReason == nil {
                logSavingFailed(failureReason)
            }
            log.recordProblem(failureReason)
            return false
        }
        if previousFailureReason != nil { logSavingResumed() }
        return true
    }

    // MARK: Outcome

    /// Records that all pending changes have been written.
    func markWritten() {
        if let pendingPassTime { lastPassTime = pendingPassTime }
        pendingPassTime = nil
        switch writeState {
        case .healthy, .incomplete, .removed(failing: nil): return
        case .failing, .removed: break
        }
        clearFailure()
        logSavingResumed()
    }

    /// Suspends saving.
    ///
    /// - Parameter reason: The reason, as a sentence.
    func suspendSaving(_ reason: String) {
        if archiveFailureReason != reason {
            if failureReason == nil { logSavingFailed(reason) }
            log.recordProblem(reason)
        }
        markFailed(reason)
    }

    /// Records that a write to the archive failed.
    ///
    /// Errors caused by another program's change are ignored, because the change is handled elsewhere.
    func recordFailure(_ error: SaveError) {
        if case .changedExternally = error { return }
        let reason = "\(error)"
        if failureReason == nil { logSavingFailed(reason) }
        log.recordProblem(reason)
        if case .malformed = error { writeState = .incomplete(reason) } else { markFailed(reason) }
    }

    /// Records a successful sync.
    ///
    /// Changes that are still not durable were written after the sync began.
    ///
    /// - Parameter startTime: The time at which the sync began.
    func recordSync(since startTime: Moment) {
        log.metrics.recordSyncDuration(startTime.elapsed())
        if notDurableSince != nil { notDurableSince = startTime }
    }

    private func markFailed(_ reason: String) {
        switch writeState {
        case .healthy, .failing: writeState = .failing(reason)
        case .incomplete: writeState = .incomplete(reason)
        case .removed: writeState = .removed(failing: reason)
        }
    }

    private func clearFailure() { writeState = isStateRemoved ? .removed(failing: nil) : .healthy }

    private func logSavingFailed(_ reason: String) {
        log.metrics.countSaveFailure()
        log.log(.error, .saveFailed, "could not save: \(reason)", reason: reason)
    }

    private func logSavingResumed() {
        if failureReason == nil { log.log(.notice, .saveResumed, "saving works again") }
    }

    /// Whether passes have saved changes since the last summary.
    var summaryHasPasses: Bool { scenePasses.summary.hasPasses }

    /// Marks the summary of passes as due because the preservation interval has elapsed.
    func markSummaryDue() { scenePasses.summary.markDue() }

    /// Logs the summary of passes if the summary is due and all passes are durable.
    func logSummary() {
        guard archive.isDurable,
            let sentence = scenePasses.summary.consume(durableUpTo: lastPassTime)
        else {
            return
        }
        log.log(.info, .saved, sentence)
    }

    // MARK: Stopping

    /// Writes the pending changes and closes the archive, for an orderly stop.
    ///
    /// - Throws: An error that states why the last state could not be saved.
    func close() throws(UnsavedStop) {
        closeArchive()
        if let failureReason { throw unsavedStopError(failureReason) }
        modelSaver.release()
    }

    /// Returns the error for an application that stopped without saving its last state.
    func unsavedStopError(_ reason: String) -> UnsavedStop {
        UnsavedStop(application: archive.bundleIdentifier, reason: reason)
    }

    /// Retries saving changes that could not be saved when the application stopped.
    func retrySaving() {
        if !recordDurability.isSaved, saveModel() { closeArchive() }
    }

    /// Writes the pending changes, then closes the archive.
    func closeArchive() {
        guard !isStateRemoved, modelSaver.failureReason == nil, makeRequiredGeneration() else {
            return
        }
        do throws(SaveError) {
            try measureSync { () throws(SaveError) in try archive.close() }
            markWritten()
        } catch {
            recordFailure(error)
        }
    }

    /// Adds the state in memory to the history, unless saving has failed.
    ///
    /// Call this method when the application stops and at each history interval.
    ///
    /// A failure to save has already been logged, and adding a generation would probably fail too.
    func saveChangesToHistory(because reason: GenerationReason) {
        if failureReason == nil, !isStateRemoved {
            generations.saveChangesToHistory(because: reason)
        }
    }

    /// Records that another program has removed the saved state.
    ///
    /// The next launch then writes no state until something changes (L4).
    func markRemoved() {
        archive.replicateFullState()
        writeState = .removed(failing: nil)
        pendingPassTime = nil
        lastPassTime = nil
    }

    /// Discards unsaved changes because other state replaces them.
    ///
    /// The changes have already been stored elsewhere or are obsolete.
    func discardUnsavedChanges() {
        writeState = .healthy
        pendingPassTime = nil
        modelSaver.discard()
    }

    /// Discards pending changes, because another program has replaced or removed the stopped application's archive.
    func abandonFile() {
        clearFailure()
        pendingPassTime = nil
        modelSaver.release()
    }

    /// Adds the state to the history and removes it from the archive, for a forced quit (L1).
    ///
    /// - Returns: The path of the generation that contains the state, or `nil` if there was no state.
    /// - Throws: An error that states why the state could not be added to the history. In this case, no state was
    ///   removed.
    func removeState() throws(SaveError) -> String? {
        if !archive.wasLoadAttempted {
            do throws(LoadError) {
                _ = try archive.load()
            } catch {
                let error = SaveError.loadFailed(path: archive.path, because: error)
                log.recordProblem("\(error)")
                throw error
            }
        }
        let generation = try generations.removeState()
        writeState = .healthy
        scenePasses.prepareForLaunch()
        pendingPassTime = nil
        lastPassTime = nil
        modelSaver.release()
        return generation
    }
}

extension ApplicationArchive {
    /// Returns the instruction that rolls back to a generation.
    ///
    /// - Parameters:
    ///   - path: The path of the generation.
    ///   - scene: The name of the scene to roll back, or `nil` to roll back all scenes.
    func rollBackCommand(to path: String, scene: String? = nil) -> String {
        let number = GenerationName(path: path).map { "\($0.number)" } ?? path
        return instruction(
            "rollback \(number)" + (scene.map { " --scene \($0)" } ?? ""),
            orCall: "rollBack(to: \"\(number)\"" + (scene.map { ", scene: \"\($0)\"" } ?? "") + ")")
    }

    /// Returns the instruction that puts a file back from quarantine.
    ///
    /// - Parameters:
    ///   - path: The path or the name of the file in quarantine.
    ///   - isSalvage: Whether to put back the intact objects of a damaged file.
    func putBackCommand(of path: String, salvaging isSalvage: Bool = false) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return instruction(
            "quarantine put-back \(name)" + (isSalvage ? " --salvage" : ""),
            orCall: "putBack(\"\(name)\"" + (isSalvage ? ", salvaging: true)" : ")"))
    }
}

/// Error for an application that stopped without saving its last state.
public struct UnsavedStop: Error, CustomStringConvertible {
    /// Bundle identifier of the application.
    public let application: String
    /// Reason why the state could not be saved.
    public let reason: String

    /// Sentence that describes the error.
    public var description: String {
        "the last state of \(application) could not be saved: \(reason)"
    }
}

extension DurabilityLevel {
    /// Reason why the change is not saved, or `nil` if it is saved.
    fileprivate var failureReason: String? {
        if case .notSaved(let reason) = self { reason } else { nil }
    }
}
