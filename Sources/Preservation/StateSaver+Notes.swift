import Logging
import SavedState
import StateRestoration

// What became of saving: kept for status, and told once in the log.

extension StateSaver {
    private static let mostTold = 1000

    /// Writes what changed in the model data.
    ///
    /// - Returns: false if it could not; nothing of the state may be written then (P19).
    mutating func saveModel() -> Bool {
        guard let model else { return true }
        do {
            try model.saveChanges()
        } catch {
            let reason = "the model data could not be written: \(error)"
            tellFailure(reason)
            modelFailure = reason
            return false
        }
        if modelFailure != nil {
            modelFailure = nil
            tellResumed()
        }
        return true
    }

    /// Everything that was handed to the archive is written.
    mutating func noteSaved() {
        if let pendingPass { lastPass = pendingPass }
        pendingPass = nil
        if archiveFailure == nil || isIncomplete { return }
        archiveFailure = nil
        tellResumed()
    }

    /// Nothing is saved until that is over; a sentence.
    mutating func suspend(_ reason: String) {
        if archiveFailure != reason { tellFailure(reason) }
        archiveFailure = reason
    }

    /// The archive did not take something. What another program did is decided elsewhere.
    mutating func noteFailure(_ error: SaveError) {
        if case .changedExternally = error { return }
        let reason = String(describing: error)
        if case .malformed = error { isIncomplete = true }
        tellFailure(reason)
        archiveFailure = reason
    }

    private mutating func tellFailure(_ reason: String) {
        if failure == nil {
            log.tell(.error, .saveFailed, "could not save: \(reason)", reason: reason)
        }
        lastError = reason
    }

    private func tellResumed() {
        if failure == nil { log.tell(.notice, .saveResumed, "saving works again") }
    }

    /// Tells what a pass did, and what it could not do unless it was told before: what keeps an
    /// object from being saved is met again at each pass.
    mutating func tell(_ pass: PassOutput, of scene: Scene, _ reason: TurnReason) {
        for diagnostic in pass.diagnostics where told.count < Self.mostTold {
            guard told.insert("\(scene.name) \(diagnostic)").inserted else { continue }
            log.tell(.warning, .notPreserved, "\(diagnostic)", scene: scene.name.text)
            if told.count == Self.mostTold {
                log.tell(
                    .warning, .notPreserved,
                    "\(told.count) reasons were told; no more are until the next launch")
            }
        }
        let isQuiet = [.commands, .interval, .history].contains(reason)
        let level: Logger.Level = isQuiet ? .debug : .info
        log.tell(
            level, .passed,
            "preserved: \(pass.encodedCount) objects looked at, \(pass.objects.count) recorded, "
                + "\(pass.removals.count) removed",
            scene: scene.name.text, reason: reason.rawValue)
    }
}
