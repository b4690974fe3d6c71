import ExactText
import Logging
import SavedState
import StateRecords
import StateRestoration

/// Saves what an application's scenes changed, and knows how safe their state is.
final class StateSaver {
    let archive: ApplicationArchive
    let log: ApplicationLog
    /// Decides when what is saved is kept as a generation.
    let generations: GenerationPolicy
    /// When the last pass that wrote something was made.
    private(set) var lastPass: Int64?
    /// Since when something is written and not durable, or not even written.
    private(set) var notDurable: Moment?

    /// The model data, which is written before the state that belongs to it (P19).
    var model: ModelSaver
    private var state = State.well
    /// When the pass was made that is not written yet.
    private var pendingPass: Int64?
    private let passes: ScenePasses

    private var lastSaved: Saved?
    /// The number of the write up to which all was durable when that was last asked.
    private var lastDurable: UInt64 = 0
    /// Measures how long it takes to make something durable.
    private let clock: any Clock<Duration>

    /// How saving to the archive goes.
    private enum State {
        /// The last write succeeded.
        case well
        /// The last write failed, for this reason; the next turn tries again.
        case failing(String)
        /// A pass was refused for good, for this reason: only a launch makes its objects known
        /// anew.
        case incomplete(String)
        /// What was saved was removed, and nothing is written before something changes (L4); the
        /// reason tells why nothing can be, if that is so.
        case removed(failing: String?)
    }

    /// - Parameter documents: where the application keeps its model data; nil: it has none.
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

    // MARK: How safe the state is

    /// How safe the state of all scenes is.
    var saved: Saved {
        if failure == nil, let omission = passes.omission { return .notSaved(reason: omission) }
        return written
    }

    /// Whether ``saved`` is `no` for the sole reason that a delegate does not want a scene saved (P1).
    var isUnwanted: Bool {
        if case .notSaved = written { false } else { passes.isUnwanted }
    }

    /// How safe what the passes recorded is.
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

    /// Whether it survives a power cut.
    var isSafe: Bool { saved == .durable || saved == .replicated }

    /// Why the state is not saved, other than that a delegate does not want it.
    var failure: String? { model.failure ?? archiveFailure }

    /// Why nothing is written, if another program changed the archive and it is not decided yet
    /// what becomes of that.
    var undecided: String? {
        guard archive.isChangedExternally, archive.hasPending else { return nil }
        return "another program changed \(archive.path), and may not be done yet"
    }

    /// Whether the delegate of a scene does not want it saved (P1).
    func isUnwilling(_ scene: RestorationIdentifier) -> Bool { passes.isUnwilling(scene) }

    /// Why the last state of a scene is not saved although its delegate wants it, if it is not.
    func failure(of scene: RestorationIdentifier) -> String? {
        if isUnwilling(scene) { return nil }
        return failure ?? undecided ?? passes.loss(of: scene)
    }

    /// Reason for which a command's change is not in a scene's records; nil: it is (P21).
    func omission(in scene: RestorationIdentifier, _ verdict: ChangeVerdict) -> String? {
        passes.omission(in: scene, verdict)
    }

    /// Whether what was saved was removed, and nothing changed since (L4).
    var isRemoved: Bool { if case .removed = state { true } else { false } }

    private var archiveFailure: String? {
        switch state {
        case .well: nil
        case .failing(let reason), .incomplete(let reason): reason
        case .removed(let reason): reason
        }
    }

    /// What became of ``saved`` since this was last asked: whether it is something else, and whether all
    /// is durable now that was not then, or was not even written.
    func takeSavedChange() -> (isAnother: Bool, isDurable: Bool) {
        let saved = saved
        defer { lastSaved = saved }
        guard saved == .durable || saved == .replicated, archive.isDurable || isRemoved else {
            return (saved != lastSaved, false)
        }
        let number = archive.durableWriteNumber
        defer { lastDurable = number }
        return (saved != lastSaved, saved != lastSaved || number != lastDurable)
    }

    /// Keeps since when something is not durable.
    ///
    /// - Parameter now: the moment, if that begins now.
    func noteDurability(since now: () -> Moment) {
        if archive.isDurable || isRemoved {
            notDurable = nil
        } else if notDurable == nil {
            notDurable = now()
        }
    }

    // MARK: Launch

    /// A launch begins. What could not be saved before is tried again, and stays pending if that
    /// fails: the launch restores it from memory.
    func begin() {
        retry()
        if case .incomplete(let reason) = state { state = .failing(reason) }
        if !archive.hasPending { clearFailure() }
        passes.begin()
    }

    /// The archive is loaded: what its newest pass saved is restored.
    func noteLoaded() { lastPass = archive.lastPass?.timestamp }

    /// From now on a launch that follows tells `recover`, unless the archive is closed (R2).
    func markOpened() {
        do throws(SaveError) { try archive.markOpened() } catch { noteFailure(error) }
    }

    /// What is saved has to be kept before anything is written, because of a scene's launch.
    func requireGeneration(_ reason: GenerationReason) {
        do throws(SaveError) { try generations.require(reason) } catch { noteFailure(error) }
    }

    // MARK: Passes

    /// See ``PreservationSettings/looksForForgottenMarksAtOnce``.
    var looksForForgottenMarksAtOnce: Bool {
        get { passes.looksForForgottenMarksAtOnce }
        set { passes.looksForForgottenMarksAtOnce = newValue }
    }

    /// Makes a pass over each scene, and writes what they changed at once, after the model data
    /// (P19).
    ///
    /// - Parameter closing: a scene that is looked at wholly, because it ends.
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
                // What a command changed in the model alone is no change of the saved state.
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

    /// Writes the model data, then records, and whatever could not be written before.
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
            noteWritten()
        } catch {
            noteFailure(error)
        }
    }

    /// Writes the archive anew, durably; after the model data, and closed if it was.
    ///
    /// - Returns: why it could not be, a sentence; nil: it is.
    func rewrite() -> String? {
        do throws(SaveError) {
            let isClosed = archive.isClosed
            try archive.requireWholeFile()
            if isClosed {
                try archive.close()
                noteWritten()
                return nil
            }
        } catch {
            noteFailure(error)
            return "\(error)"
        }
        write(TurnRecords())
        return archive.hasPending ? failure ?? undecided : nil
    }

    /// Writes records, and makes everything durable before it returns.
    ///
    /// - Returns: false if it could not; they are pending then.
    func writeDurably(_ records: TurnRecords) -> Bool {
        write(records)
        guard !archive.hasPending else { return false }
        do throws(SaveError) {
            try timingSync { () throws(SaveError) in try archive.synchronize() }
            return true
        } catch {
            noteFailure(error)
            return false
        }
    }

    /// Does something after which all is durable; how long it takes counts if there is anything to do,
    /// and it succeeds.
    private func timingSync(_ body: () throws(SaveError) -> Void) throws(SaveError) {
        let isDurable = archive.isDurable
        let elapsed = clock.stopwatch()
        try body()
        if !isDurable, archive.isDurable { log.metrics.noteSync(elapsed()) }
    }

    /// Keeps records in memory that a launch makes of nothing.
    private func stage(_ records: TurnRecords) {
        do throws(SaveError) { try archive.stage(records) } catch { noteFailure(error) }
    }

    /// Makes the generation that has to be made before anything is written, if there is one.
    ///
    /// - Returns: false if nothing may be written.
    private func makeRequiredGeneration() -> Bool {
        guard let failure = generations.makeRequired() else { return true }
        suspend(failure)
        return false
    }

    /// Writes what changed in the model data.
    ///
    /// - Returns: false if it could not; nothing of the state may be written then (P19).
    private func saveModel() -> Bool {
        let before = model.failure
        model.saveChanges()
        if let failure = model.failure {
            if before == nil, archiveFailure == nil { tellFailed(failure) }
            log.noteProblem(failure)
            return false
        }
        if before != nil { tellResumed() }
        return true
    }

    // MARK: What became of it

    /// Everything that was handed to the archive is written.
    func noteWritten() {
        if let pendingPass { lastPass = pendingPass }
        pendingPass = nil
        switch state {
        case .well, .incomplete, .removed(failing: nil): return
        case .failing, .removed: break
        }
        clearFailure()
        tellResumed()
    }

    /// Nothing is saved until what the reason tells is over; a sentence.
    func suspend(_ reason: String) {
        if archiveFailure != reason {
            if failure == nil { tellFailed(reason) }
            log.noteProblem(reason)
        }
        fail(reason)
    }

    /// The archive did not take something. What another program did is decided elsewhere.
    func noteFailure(_ error: SaveError) {
        if case .changedExternally = error { return }
        let reason = "\(error)"
        if failure == nil { tellFailed(reason) }
        log.noteProblem(reason)
        if case .malformed = error { state = .incomplete(reason) } else { fail(reason) }
    }

    /// A sync that began at this moment has succeeded: what still is not durable was written since.
    func noteSynced(since began: Moment) {
        log.metrics.noteSync(began.elapsed())
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

    private func tellFailed(_ reason: String) {
        log.tell(.error, .saveFailed, "could not save: \(reason)", reason: reason)
    }

    private func tellResumed() {
        if failure == nil { log.tell(.notice, .saveResumed, "saving works again") }
    }

    /// Whether something was saved that an interval has to tell.
    var isAccountOpen: Bool { passes.account.isOpen }

    /// An interval has passed: what was saved in it is told as soon as it is durable.
    func noteInterval() { passes.account.noteInterval() }

    /// Tells what was saved until the last interval, if all of it is durable.
    func tellInterval() {
        guard archive.isDurable, let sentence = passes.account.take(durableUpTo: lastPass) else {
            return
        }
        log.tell(.info, .saved, sentence)
    }

    // MARK: Ending

    /// Closes the archive, which writes what could not be written before: an orderly stop.
    ///
    /// - Throws: what kept the last state from being saved.
    func close() throws(UnsavedStop) {
        closeArchive()
        if let failure { throw unsaved(failure) }
        model.release()
    }

    /// The application ends, and its last state is not saved.
    func unsaved(_ reason: String) -> UnsavedStop {
        UnsavedStop(application: archive.bundleIdentifier, reason: reason)
    }

    /// Tries again to save what a stop left unsaved.
    func retry() {
        if failure != nil, saveModel() { closeArchive() }
    }

    /// Writes what could not be written before, and closes the archive.
    func closeArchive() {
        guard !isRemoved, model.failure == nil, makeRequiredGeneration() else { return }
        do throws(SaveError) {
            try timingSync { () throws(SaveError) in try archive.close() }
            noteWritten()
        } catch {
            noteFailure(error)
        }
    }

    /// Keeps what is in memory as a generation because of a stop or an interval, unless it could
    /// not even be saved: that is told already, and the disk would not take a generation either.
    func keepChanges(because reason: GenerationReason) {
        if failure == nil, !isRemoved { generations.keepChanges(because: reason) }
    }

    /// Another program removed what was saved: the next launch writes nothing by itself (L4).
    func noteRemoved() {
        archive.replicateWhole()
        state = .removed(failing: nil)
        pendingPass = nil
        lastPass = nil
    }

    /// Another state takes the place of what could not be saved, which is kept elsewhere or does not count.
    func forgetUnsaved() {
        state = .well
        pendingPass = nil
        model.forget()
    }

    /// The application ended, and what its archive's name stands for now is another program's, or
    /// nothing.
    func noteLeft() {
        clearFailure()
        pendingPass = nil
        model.release()
    }

    /// Keeps what is saved as a generation and takes it away: a forced quit (L1).
    ///
    /// - Throws: why it could not be kept. Nothing was taken away then.
    ///
    /// - Returns: Path of the generation with the state, or `nil` if there was none.
    func removeState() throws(SaveError) -> String? {
        if !archive.isLoaded {
            do throws(LoadError) {
                _ = try archive.load()
            } catch {
                let error = SaveError.refused(path: archive.path, because: error)
                log.noteProblem("\(error)")
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
    /// The command that goes back to a generation.
    ///
    /// - Parameters:
    ///   - path: the generation's path.
    ///   - scene: the only scene that goes back; nil: all.
    func rollBackCommand(to path: String, scene: String? = nil) -> String {
        let number = GenerationName(path: path).map { "\($0.number)" } ?? path
        return "`reprisectl --app \(bundleIdentifier) rollback \(number)"
            + (scene.map { " --scene \($0)" } ?? "") + "`"
    }

    /// The command that puts a file back from quarantine.
    ///
    /// - Parameter path: Path of the file in quarantine.
    func putBackCommand(of path: String) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return "`reprisectl --app \(bundleIdentifier) quarantine put-back \(name)`"
    }
}

/// The application ended, and its last state could not be saved.
public struct UnsavedStop: Error, CustomStringConvertible {
    /// The application's bundle identifier.
    public let application: String
    /// Why not.
    public let reason: String

    /// One sentence.
    public var description: String {
        "the last state of \(application) could not be saved: \(reason)"
    }
}
