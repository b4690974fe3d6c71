import ExactText
import Logging
import SavedState
import StateRecords
import StateRestoration

/// Saves the changes of an application's scenes, and knows the durability level of their state.
final class StateSaver {
    let archive: ApplicationArchive
    let log: ApplicationLog
    /// Decides when the saved state is added to the history as a generation.
    let generations: GenerationPolicy
    /// Time of the last pass that wrote something.
    private(set) var lastPass: Int64?
    /// Time since which a change has not been durable, or not even written, or `nil` if all changes are
    /// durable.
    private(set) var notDurable: Moment?

    /// The model data, which is written before the state that refers to it (P19).
    var model: ModelSaver
    private var state = State.well
    /// Time of the pass that is not written yet, or `nil` if all passes are written.
    private var pendingPass: Int64?
    private let passes: ScenePasses

    private var lastSaved: Saved?
    /// Number of the last durable write when durability was last checked.
    private var lastDurable: UInt64 = 0
    /// Clock that measures how long it takes to make writes durable.
    private let clock: any Clock<Duration>

    /// State of saving to the archive.
    private enum State {
        /// The last write succeeded.
        case well
        /// The last write failed for this reason, and the next turn retries.
        case failing(String)
        /// A pass was rejected permanently for this reason, and only a launch records its objects again.
        case incomplete(String)
        /// The saved state was removed, and nothing is written until something changes (L4).
        ///
        /// `failing` is the reason why nothing can be written, or `nil` if writing is possible.
        case removed(failing: String?)
    }

    /// - Parameter documents: Directory of the application's model data, or `nil` if it has none.
    init(
        archive: ApplicationArchive, log: ApplicationLog, generations: GenerationPolicy,
        documents: DocumentsFolder?, clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.archive = archive
        self.log = log
        self.generations = generations
        self.clock = clock
        passes = ScenePasses(archive: archive, log: log, generations: generations)
        model = ModelSaver(documents: documents)
    }

    // MARK: Durability

    /// Durability level of the state of all scenes.
    var saved: Saved {
        if failure == nil, let omission = passes.omission { return .notSaved(reason: omission) }
        return written
    }

    /// Whether ``saved`` is `notSaved` only because a delegate does not want a scene saved (P1).
    var isUnwanted: Bool {
        if case .notSaved = written { false } else { passes.isUnwanted }
    }

    /// Durability level of the records that passes made.
    var written: Saved {
        if let failure { return .notSaved(reason: failure) }
        if isRemoved { return .durable }
        if let undecided { return .notSaved(reason: undecided) }
        if archive.hasPending {
            return .notSaved(
                reason: "\(archive.path) lacks the last changes, which the next turn writes")
        }
        if archive.isReplicated { return .replicated }
        return archive.isDurable ? .durable : .written
    }

    /// Whether the state survives a power cut.
    var isSafe: Bool { saved == .durable || saved == .replicated }

    /// Reason why the state is not saved, or `nil` if it is saved or a delegate does not want it saved.
    var failure: String? { model.failure ?? archiveFailure }

    /// Reason why nothing is written while another program's change of the archive is undecided, or `nil` if
    /// there is no such change.
    var undecided: String? {
        guard archive.isChangedExternally, archive.hasPending else { return nil }
        return "another program changed \(archive.path), and may not be done yet"
    }

    /// Whether the delegate of a scene does not want the scene saved (P1).
    func isUnwilling(_ scene: RestorationIdentifier) -> Bool { passes.isUnwilling(scene) }

    /// Returns why the last state of a scene is not saved although its delegate wants it, or `nil` if it is
    /// saved.
    func failure(of scene: RestorationIdentifier) -> String? {
        if isUnwilling(scene) { return nil }
        return failure ?? undecided ?? passes.loss(of: scene)
    }

    /// Returns why a command's change is not in a scene's records, or `nil` if it is (P21).
    func omission(in scene: RestorationIdentifier, _ check: PersistenceCheck) -> String? {
        passes.omission(in: scene, check)
    }

    /// Discards the values that were encoded to check whether the commands of a turn were saved.
    func discardEncodedValues() { passes.encoded.removeAll() }

    /// Whether the saved state was removed and nothing has changed since (L4).
    var isRemoved: Bool { if case .removed = state { true } else { false } }

    private var archiveFailure: String? {
        switch state {
        case .well: nil
        case .failing(let reason), .incomplete(let reason): reason
        case .removed(let reason): reason
        }
    }

    /// Change of ``saved``.
    struct SavedChange: Equatable {
        /// Whether the level is a different one.
        var levelChanged = false
        /// Whether the reason why state is not saved is a different one.
        var failureChanged = false
        /// Whether changes have become durable.
        var becameDurable = false
    }

    /// Returns the change of ``saved`` since the last call.
    func consumeSavedChange() -> SavedChange {
        let (saved, earlier) = (saved, lastSaved)
        lastSaved = saved
        var change = SavedChange(
            levelChanged: saved != earlier, failureChanged: saved.failure != earlier?.failure)
        guard saved == .durable || saved == .replicated, archive.isDurable || isRemoved else {
            return change
        }
        change.becameDurable = change.levelChanged || archive.durableWriteNumber != lastDurable
        lastDurable = archive.durableWriteNumber
        return change
    }

    /// Updates the time since which changes have not been durable.
    ///
    /// - Parameter now: Returns the current time, which is used if a period without durability begins now.
    func updateDurability(since now: () -> Moment) {
        if archive.isDurable || isRemoved {
            notDurable = nil
        } else if notDurable == nil {
            notDurable = now()
        }
    }

    // MARK: Launch

    /// Begins a launch, and first tries again to save changes that could not be saved before.
    ///
    /// If that fails, the changes stay pending, and the launch restores them from memory.
    func begin() {
        retry()
        if case .incomplete(let reason) = state { state = .failing(reason) }
        if !archive.hasPending { clearFailure() }
        passes.begin()
    }

    /// Updates the time of the last pass after the archive was loaded.
    func updateLastPass() { lastPass = archive.lastPass?.timestamp }

    /// Marks the archive as open, so that the next launch has the reason `recover` unless the archive is
    /// closed before (R2).
    func markOpened() {
        do throws(SaveError) { try archive.markOpened() } catch { recordFailure(error) }
    }

    /// Requires a generation of the saved state before the next write, because of a scene's launch.
    func requireGeneration(_ reason: GenerationReason) {
        do throws(SaveError) { try generations.require(reason) } catch { recordFailure(error) }
    }

    // MARK: Passes

    /// See ``PreservationSettings/detectsMissedInvalidations``.
    var detectsMissedInvalidations: Bool {
        get { passes.detectsMissedInvalidations }
        set { passes.detectsMissedInvalidations = newValue }
    }

    /// Makes a pass over each scene, and writes the changes at once, after the model data (P19).
    ///
    /// - Parameter closing: Scene that is scanned completely because it is being closed.
    func save(
        _ scenes: some Sequence<some ScenePreserving>, _ reason: TurnReason,
        closing: Scene? = nil, stamp: () -> PassStamp
    ) {
        let made = passes.make(
            over: scenes, reason, closing: closing, isModelChanged: model.hasChanges, stamp: stamp)
        let records = made.records
        if let time = made.time { pendingPass = time }
        if isRemoved {
            if reason == .launch || reason == .laterLaunch { return stage(records) }
            if records.isEmpty {
                // A command that changes only the model data does not change the saved state.
                if reason == .commands || model.failure != nil { _ = saveModel() }
                return
            }
        }
        guard !records.isEmpty, scenes.allSatisfy({ $0.scene.launchReason == .restore }) else {
            return write(records)
        }
        switch reason {
        case .launch: generations.saveAddition { write(records) }
        case .laterLaunch: generations.saveFurtherAddition { write(records) }
        case .commands, .interval, .history, .demand, .stop: write(records)
        }
    }

    /// Writes the model data, followed by records and all pending changes.
    func write(_ records: TurnRecords) {
        if case .removed(let reason) = state {
            if records.isEmpty { return }
            state = reason.map(State.failing) ?? .well
        }
        let isModelSaved = saveModel()
        if records.isEmpty, archiveFailure == nil, !archive.hasUnwritten { return }
        do throws(SaveError) {
            try archive.stage(records)
            guard isModelSaved, makeRequiredGeneration() else { return }
            try archive.append(TurnRecords())
            markWritten()
        } catch {
            recordFailure(error)
        }
    }

    /// Writes the whole archive to a new file durably, after the model data.
    ///
    /// A closed archive stays closed.
    ///
    /// - Returns: A sentence that says why the archive could not be written, or `nil` if it was written.
    func rewrite() -> String? {
        do throws(SaveError) {
            let isClosed = archive.isClosed
            try archive.requireWholeFile()
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
        return archive.hasPending ? failure ?? undecided : nil
    }

    /// Writes records, and makes all writes durable before it returns.
    ///
    /// - Returns: Whether the records are durable; if not, they are pending.
    func writeDurably(_ records: TurnRecords) -> Bool {
        write(records)
        guard !archive.hasPending else { return false }
        do throws(SaveError) {
            try timingSync { () throws(SaveError) in try archive.synchronize() }
            return true
        } catch {
            recordFailure(error)
            return false
        }
    }

    /// Runs a body that makes all writes durable, and records its duration if it succeeds and there were
    /// writes to make durable.
    private func timingSync(_ body: () throws(SaveError) -> Void) throws(SaveError) {
        let isDurable = archive.isDurable
        let elapsed = clock.stopwatch()
        try body()
        if !isDurable, archive.isDurable { log.metrics.recordSyncDuration(elapsed()) }
    }

    /// Adds records to the pending changes in memory, for a launch without saved state.
    private func stage(_ records: TurnRecords) {
        do throws(SaveError) { try archive.stage(records) } catch { recordFailure(error) }
    }

    /// Makes the generation that is required before the next write, if there is one.
    ///
    /// - Returns: Whether state may be written.
    private func makeRequiredGeneration() -> Bool {
        guard let failure = generations.makeRequired() else { return true }
        suspend(failure)
        return false
    }

    /// Writes the changes of the model data.
    ///
    /// - Returns: Whether the model data was written; if not, no state may be written (P19).
    private func saveModel() -> Bool {
        let before = model.failure
        model.saveChanges()
        if let failure = model.failure {
            if before == nil, archiveFailure == nil { logSavingFailed(failure) }
            log.recordProblem(failure)
            return false
        }
        if before != nil { logSavingResumed() }
        return true
    }

    // MARK: Outcome

    /// Records that all pending changes are written.
    func markWritten() {
        if let pendingPass { lastPass = pendingPass }
        pendingPass = nil
        switch state {
        case .well, .incomplete, .removed(failing: nil): return
        case .failing, .removed: break
        }
        clearFailure()
        logSavingResumed()
    }

    /// Suspends saving for this reason, which is a sentence.
    func suspend(_ reason: String) {
        if archiveFailure != reason {
            if failure == nil { logSavingFailed(reason) }
            log.recordProblem(reason)
        }
        fail(reason)
    }

    /// Records that the archive rejected a write.
    ///
    /// Errors about another program's change are ignored, because they are handled elsewhere.
    func recordFailure(_ error: SaveError) {
        if case .changedExternally = error { return }
        let reason = "\(error)"
        if failure == nil { logSavingFailed(reason) }
        log.recordProblem(reason)
        if case .malformed = error { state = .incomplete(reason) } else { fail(reason) }
    }

    /// Records a sync that began at this time and succeeded; changes that are not durable were written after
    /// it began.
    func recordSync(since began: Moment) {
        log.metrics.recordSyncDuration(began.elapsed())
        if notDurable != nil { notDurable = began }
    }

    private func fail(_ reason: String) {
        switch state {
        case .well, .failing: state = .failing(reason)
        case .incomplete: state = .incomplete(reason)
        case .removed: state = .removed(failing: reason)
        }
    }

    private func clearFailure() { state = isRemoved ? .removed(failing: nil) : .well }

    private func logSavingFailed(_ reason: String) {
        log.log(.error, .saveFailed, "could not save: \(reason)", reason: reason)
    }

    private func logSavingResumed() {
        if failure == nil { log.log(.notice, .saveResumed, "saving works again") }
    }

    /// Whether something was saved that the next summary includes.
    var isSummaryOpen: Bool { passes.summary.isOpen }

    /// Marks the summary of the passes as due because an interval has passed.
    func markSummaryDue() { passes.summary.markDue() }

    /// Logs the summary of the passes up to the last interval, if all of them are durable.
    func logSummary() {
        guard archive.isDurable, let sentence = passes.summary.consume(durableUpTo: lastPass) else {
            return
        }
        log.log(.info, .saved, sentence)
    }

    // MARK: Ending

    /// Closes the archive after writing the pending changes, for an orderly stop.
    ///
    /// - Throws: The reason why the last state could not be saved.
    func close() throws(UnsavedStop) {
        closeArchive()
        if let failure { throw unsaved(failure) }
        model.release()
    }

    /// Returns the error for an application that was stopped without saving its last state.
    func unsaved(_ reason: String) -> UnsavedStop {
        UnsavedStop(application: archive.bundleIdentifier, reason: reason)
    }

    /// Tries again to save changes that could not be saved when the application was stopped.
    func retry() {
        if failure != nil, saveModel() { closeArchive() }
    }

    /// Writes the pending changes, and closes the archive.
    func closeArchive() {
        guard !isRemoved, model.failure == nil, makeRequiredGeneration() else { return }
        do throws(SaveError) {
            try timingSync { () throws(SaveError) in try archive.close() }
            markWritten()
        } catch {
            recordFailure(error)
        }
    }

    /// Saves the state in memory to the history, because of a stop or an interval, unless saving fails.
    ///
    /// A failure to save is already logged, and the disk would not accept a generation either.
    func saveChangesToHistory(because reason: GenerationReason) {
        if failure == nil, !isRemoved { generations.saveChangesToHistory(because: reason) }
    }

    /// Records that another program removed the saved state, so that the next launch writes nothing by itself
    /// (L4).
    func markRemoved() {
        archive.replicateWhole()
        state = .removed(failing: nil)
        pendingPass = nil
        lastPass = nil
    }

    /// Discards changes that could not be saved, because other state replaces them.
    ///
    /// The changes are stored elsewhere or are obsolete.
    func forgetUnsaved() {
        state = .well
        pendingPass = nil
        model.forget()
    }

    /// Discards pending changes after the application has stopped and another program has replaced or removed
    /// the archive.
    func abandonFile() {
        clearFailure()
        pendingPass = nil
        model.release()
    }

    /// Saves the state to the history and removes it from the archive, for a forced quit (L1).
    ///
    /// - Returns: Path of the generation with the state, or `nil` if there was no state.
    /// - Throws: The reason why the state could not be saved to the history. Nothing was removed in this
    ///   case.
    func removeState() throws(SaveError) -> String? {
        if !archive.isLoaded {
            do throws(LoadError) {
                _ = try archive.load()
            } catch {
                let error = SaveError.refused(path: archive.path, because: error)
                log.recordProblem("\(error)")
                throw error
            }
        }
        let generation = try generations.removeState()
        state = .well
        passes.begin()
        pendingPass = nil
        lastPass = nil
        model.release()
        return generation
    }
}

extension ApplicationArchive {
    /// Returns the command that rolls back to a generation.
    ///
    /// - Parameters:
    ///   - path: Path of the generation.
    ///   - scene: Name of the only scene to roll back, or `nil` to roll back all scenes.
    func rollBackCommand(to path: String, scene: String? = nil) -> String {
        let number = GenerationName(path: path).map { "\($0.number)" } ?? path
        return "`reprisectl --app \(bundleIdentifier) rollback \(number)"
            + (scene.map { " --scene \($0)" } ?? "") + "`"
    }

    /// Returns the command that puts a file back from quarantine.
    ///
    /// - Parameter path: Path of the file in quarantine.
    func putBackCommand(of path: String) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return "`reprisectl --app \(bundleIdentifier) quarantine put-back \(name)`"
    }
}

/// The error for an application that was stopped without saving its last state.
public struct UnsavedStop: Error, CustomStringConvertible {
    /// The bundle identifier of the application.
    public let application: String
    /// The reason why the state could not be saved.
    public let reason: String

    /// One sentence that describes the error.
    public var description: String {
        "the last state of \(application) could not be saved: \(reason)"
    }
}

extension Saved {
    /// Reason why the change is not saved, or `nil` if it is saved.
    fileprivate var failure: String? {
        if case .notSaved(let reason) = self { reason } else { nil }
    }
}
