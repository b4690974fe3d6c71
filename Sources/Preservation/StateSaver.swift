import Logging
import SavedState
import StateRestoration

/// Saves what an application's scenes changed, and knows how safe their state is.
struct StateSaver {
    private let archive: ApplicationArchive
    private let log: ApplicationLog

    /// When the last pass that wrote something was made.
    private(set) var lastPass: Int64?
    /// The last thing that went wrong.
    private(set) var lastError: String?
    private var level = Saved.durable
    /// When the pass was made that is not written yet.
    private var pendingPass: Int64?
    private var told: Set<String> = []
    private static let mostTold = 1000
    /// Why what was last to be written is not; nil: it is.
    private var failure: String?
    /// Why a scene is not saved although nothing failed: its delegate does not want it (P1).
    private var unwilling: String?
    /// Whether a pass was refused for good: only a launch makes its objects known anew.
    private var isIncomplete = false

    init(archive: ApplicationArchive, log: ApplicationLog) {
        self.archive = archive
        self.log = log
    }

    /// How safe the state is.
    var saved: Saved {
        (failure ?? unwilling).map { .no(reason: $0) } ?? level
    }

    /// A launch begins. What could not be saved before is tried again, and stays pending if that
    /// fails: the launch restores it from memory.
    mutating func begin() {
        closeIfUnsaved()
        if !archive.hasPending { failure = nil }
        unwilling = nil
        isIncomplete = false
    }

    /// What is saved was last written at this time.
    mutating func noteLastPass(_ timestamp: Int64?) {
        lastPass = timestamp
    }

    /// Something went wrong that an operator wants to know of.
    mutating func note(_ error: String) {
        lastError = error
    }

    /// From now on a launch that follows tells `recover`, unless the archive is closed (R2).
    mutating func markOpened() {
        do throws(SaveError) {
            try archive.markOpened()
        } catch {
            noteFailure(error)
        }
    }

    /// Makes a pass over each scene, and writes what they changed at once.
    mutating func save(_ scenes: [Scene], _ reason: TurnReason, stamp: () -> PassStamp) {
        var records = TurnRecords()
        unwilling = nil
        for scene in scenes {
            let stamp = stamp()
            guard let pass = scene.preserve(stamp, isFull: reason.isFull) else {
                if scene.needsPass {
                    unwilling = "the application does not save the scene \(scene.name)"
                }
                continue
            }
            if !pass.isEmpty {
                records.add(pass)
                pendingPass = stamp.timestamp
            }
            tell(pass, of: scene, reason)
        }
        write(records)
    }

    /// Closes the archive, which writes what could not be written before: an orderly stop.
    ///
    /// - Throws: what kept the last state from being saved.
    mutating func close() throws {
        do throws(SaveError) {
            try archive.close()
            noteSaved(.durable)
        } catch {
            noteFailure(error)
        }
        if let failure { throw UnsavedStop(reason: failure) }
    }

    /// Tries again to save what a stop left unsaved.
    mutating func closeIfUnsaved() {
        guard failure != nil else { return }
        do throws(SaveError) {
            try archive.close()
            noteSaved(.durable)
        } catch {
            noteFailure(error)
        }
    }

    /// Writes records, and whatever could not be written before.
    mutating func write(_ records: TurnRecords) {
        if records.isEmpty && failure == nil { return }
        do throws(SaveError) {
            noteSaved(try archive.append(records) == .durable ? .durable : .written)
        } catch {
            noteFailure(error)
        }
    }

    private mutating func noteSaved(_ level: Saved) {
        self.level = level
        if let pendingPass { lastPass = pendingPass }
        pendingPass = nil
        if failure == nil || isIncomplete { return }
        failure = nil
        log.tell(.notice, .saveResumed, "saving works again")
    }

    private mutating func noteFailure(_ error: SaveError) {
        let reason = String(describing: error)
        if case .malformed = error { isIncomplete = true }
        if failure == nil {
            log.tell(.error, .saveFailed, "could not save: \(reason)", reason: reason)
        }
        failure = reason
        lastError = reason
    }

    /// Whether this was not told before: what keeps an object from being saved is met again at each
    /// pass.
    private mutating func isNews(_ diagnostic: PassDiagnostic, of scene: Scene) -> Bool {
        guard told.count < Self.mostTold else { return false }
        return told.insert("\(scene.name) \(diagnostic)").inserted
    }

    private mutating func tell(_ pass: PassOutput, of scene: Scene, _ reason: TurnReason) {
        for diagnostic in pass.diagnostics where isNews(diagnostic, of: scene) {
            log.tell(.warning, .notPreserved, "\(diagnostic)", scene: scene.name.text)
        }
        let level: Logger.Level = reason == .commands || reason == .interval ? .debug : .info
        log.tell(
            level, .passed,
            "preserved: \(pass.encodedCount) objects looked at, \(pass.objects.count) written, "
                + "\(pass.removals.count) removed",
            scene: scene.name.text, reason: reason.rawValue)
    }
}

/// The application ended, and its last state could not be saved.
public struct UnsavedStop: Error, CustomStringConvertible {
    /// Why not.
    public let reason: String

    /// One sentence.
    public var description: String { "the last state could not be saved: \(reason)" }
}
