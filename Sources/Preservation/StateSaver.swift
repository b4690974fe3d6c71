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

    init(archive: ApplicationArchive, log: ApplicationLog) {
        self.archive = archive
        self.log = log
    }

    /// How safe the state is.
    var saved: Saved { level }

    /// Something went wrong that an operator wants to know of.
    mutating func note(_ error: String) {
        lastError = error
    }

    /// From now on a launch that follows tells `recover`, unless the archive is closed (R2).
    mutating func markOpened() {
        do {
            try archive.markOpened()
        } catch {
            noteUnsaved(String(describing: error))
        }
    }

    /// Makes a pass over each scene, and writes what they changed at once.
    mutating func save(_ scenes: [Scene], _ reason: TurnReason, stamp: () -> PassStamp) {
        var records = TurnRecords()
        var unwilling: String?
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
                lastPass = stamp.timestamp
            }
            tell(pass, of: scene, reason)
        }
        write(records)
        if let unwilling, level == .durable || level == .written { level = .no(reason: unwilling) }
    }

    /// Closes the archive: an orderly stop.
    ///
    /// - Throws: what kept the last state from being saved.
    mutating func close() throws {
        do {
            try archive.close()
        } catch {
            log.tell(.error, .saveFailed, "could not close the saved state: \(error)")
            throw error
        }
        if case .no(let reason) = level { throw UnsavedStop(reason: reason) }
    }

    /// Writes records, and whatever could not be written before.
    mutating func write(_ records: TurnRecords) {
        let wasUnsaved = isUnsaved
        if records.isEmpty && !wasUnsaved { return }
        do {
            level = try archive.append(records) == .durable ? .durable : .written
            if wasUnsaved { log.tell(.notice, .saveResumed, "saving works again") }
        } catch {
            noteUnsaved(String(describing: error))
        }
    }

    private var isUnsaved: Bool {
        if case .no = level { true } else { false }
    }

    private mutating func noteUnsaved(_ reason: String) {
        if !isUnsaved {
            log.tell(.error, .saveFailed, "could not save: \(reason)", reason: reason)
        }
        level = .no(reason: reason)
        lastError = reason
    }

    private func tell(_ pass: PassOutput, of scene: Scene, _ reason: TurnReason) {
        for diagnostic in pass.diagnostics {
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
