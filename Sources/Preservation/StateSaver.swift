import Logging
import SavedState
import StateRestoration

/// Saves what an application's scenes changed, and knows how safe their state is.
struct StateSaver {
    let archive: ApplicationArchive
    let log: ApplicationLog
    var history: HistorySettings

    /// When the last pass that wrote something was made.
    var lastPass: Int64?
    /// The last thing that went wrong.
    var lastError: String?
    /// The model data of the launch; kept after it for as long as it is not saved.
    private(set) var model: (any ApplicationModel)?
    /// When the pass was made that is not written yet.
    var pendingPass: Int64?
    /// What keeps objects from being saved, as far as it was told.
    var told: Set<String> = []
    /// Why the model data is not written; nil: it is.
    var modelFailure: String?
    /// Why what was last to be written is not; nil: it is.
    var archiveFailure: String?
    /// The scenes that are not saved although nothing failed: their delegates do not want it (P1).
    var unwilling: [RestorationIdentifier] = []
    /// The scene of which something that the last pass looked at is not saved, and why; nil: all is.
    var omission: (scene: RestorationIdentifier, reason: String)?
    /// Whether nothing is written before something changes: what was saved was removed (L4).
    private(set) var isQuiet = false
    /// Whether a pass was refused for good: only a launch makes its objects known anew.
    var isIncomplete = false

    init(
        archive: ApplicationArchive, log: ApplicationLog,
        history: HistorySettings = HistorySettings()
    ) {
        self.archive = archive
        self.log = log
        self.history = history
    }

    /// How safe the state is.
    var saved: Saved {
        if let failure { return .no(reason: failure) }
        if isQuiet { return .durable }
        if let undecided { return .no(reason: undecided) }
        if archive.hasPending {
            return .no(
                reason: "\(archive.path) lacks what changed last, which the next turn writes")
        }
        if let scene = unwilling.last {
            return .no(reason: "the application does not save the scene \(scene)")
        }
        if let omission { return .no(reason: omission.reason) }
        return archive.isDurable ? .durable : .written
    }

    /// Why the state is not saved, other than that a delegate does not want it.
    var failure: String? { modelFailure ?? archiveFailure }

    /// Why nothing is written, if another program changed the archive and it is not decided yet what
    /// becomes of that.
    var undecided: String? {
        guard archive.isChangedExternally, archive.hasPending else { return nil }
        return "another program changed \(archive.path), and is waited for"
    }

    /// Why the last state of a scene is not saved although its delegate wants it; nil: it is saved.
    func failure(of scene: RestorationIdentifier) -> String? {
        if unwilling.contains(scene) { return nil }
        return failure ?? undecided ?? (omission?.scene == scene ? omission?.reason : nil)
    }

    // MARK: Launch

    /// A launch begins. What could not be saved before is tried again, and stays pending if that
    /// fails: the launch restores it from memory.
    mutating func begin() {
        retry()
        if !archive.hasPending { archiveFailure = nil }
        unwilling = []
        isIncomplete = false
        told = []
    }

    /// The model data for a launch: a new one, unless the one before has something that it could not
    /// write.
    ///
    /// - Throws: what making it threw.
    mutating func takeModel(
        _ make: (@Sendable (DocumentsFolder) throws -> any ApplicationModel)?,
        in documents: DocumentsFolder
    ) throws -> (any ApplicationModel)? {
        if modelFailure == nil { model = try make?(documents) }
        return model
    }

    /// From now on a launch that follows tells `recover`, unless the archive is closed (R2).
    mutating func markOpened() {
        do throws(SaveError) {
            try archive.markOpened()
        } catch {
            noteFailure(error)
        }
    }

    // MARK: Passes

    /// Makes a pass over each scene, and writes what they changed at once, after the model data
    /// (P19).
    ///
    /// - Parameter closing: a scene that is looked at wholly, because it ends.
    mutating func save(
        _ scenes: some Sequence<some ScenePreserving>, _ reason: TurnReason,
        closing: Scene? = nil, stamp: () -> PassStamp
    ) {
        var records = TurnRecords()
        unwilling.removeAll()
        omission = nil
        for preserving in scenes {
            let scene = preserving.scene
            let stamp = stamp()
            let isFull = reason.isFull || scene === closing
            guard let pass = preserving.preserve(stamp, isFull: isFull) else {
                if scene.needsPass { unwilling.append(scene.name) }
                continue
            }
            if !pass.isEmpty {
                records.add(pass)
                pendingPass = stamp.timestamp
            }
            tell(pass, of: scene, reason)
            if let lost = pass.diagnostics.first(where: \.isLoss) {
                omission = (scene.name, "\(lost)")
            }
        }
        if let omission { lastError = omission.reason }
        if isQuiet {
            if reason == .launch { return keepQuiet(records) }
            if records.isEmpty {
                // What a command changed in the model alone is no change of the saved state.
                if reason == .commands || modelFailure != nil { _ = saveModel() }
                return
            }
        }
        write(records)
    }

    /// Writes the model data, then records, and whatever could not be written before.
    mutating func write(_ records: TurnRecords) {
        if isQuiet, records.isEmpty { return }
        isQuiet = false
        let isModelSaved = saveModel()
        if records.isEmpty, archiveFailure == nil, !archive.hasUnwritten { return }
        do throws(SaveError) {
            try archive.stage(records)
            guard isModelSaved, makeNeededGeneration() else { return }
            try archive.append(TurnRecords())
            noteSaved()
        } catch {
            noteFailure(error)
        }
    }

    /// What was saved was removed by another program: the next launch writes nothing by itself (L4).
    mutating func noteReset() {
        isQuiet = true
        archiveFailure = nil
        pendingPass = nil
        lastPass = nil
    }

    /// The application ended, and what its archive's name stands for now is another program's, or
    /// nothing.
    mutating func noteLeft() {
        archiveFailure = nil
        pendingPass = nil
        releaseModel()
    }

    /// Keeps in memory what a launch makes of nothing.
    private mutating func keepQuiet(_ records: TurnRecords) {
        do throws(SaveError) {
            try archive.stage(records)
        } catch {
            noteFailure(error)
        }
    }

    /// Writes records, and makes everything durable before it returns.
    ///
    /// - Returns: false if it could not; they are pending then.
    mutating func writeDurably(_ records: TurnRecords) -> Bool {
        write(records)
        guard !archive.hasPending else { return false }
        do throws(SaveError) {
            try archive.synchronize()
            return true
        } catch {
            noteFailure(error)
            return false
        }
    }

    // MARK: Ending

    /// Closes the archive, which writes what could not be written before: an orderly stop.
    ///
    /// - Throws: what kept the last state from being saved.
    mutating func close() throws {
        closeArchive()
        if let failure { throw UnsavedStop(reason: failure) }
        releaseModel()
    }

    /// Nobody uses the model data any more; it goes, unless it is not written yet.
    mutating func releaseModel() {
        if modelFailure == nil { model = nil }
    }

    /// Tries again to save what a stop left unsaved.
    mutating func retry() {
        if failure == nil { return }
        if saveModel() { closeArchive() }
    }

    /// Writes what could not be written before, and closes the archive.
    mutating func closeArchive() {
        if isQuiet { return }
        guard modelFailure == nil, makeNeededGeneration() else { return }
        do throws(SaveError) {
            try archive.close()
            noteSaved()
        } catch {
            noteFailure(error)
        }
    }

}

/// The application ended, and its last state could not be saved.
public struct UnsavedStop: Error, CustomStringConvertible {
    /// Why not.
    public let reason: String

    /// One sentence.
    public var description: String { "the last state could not be saved: \(reason)" }
}
