import Logging
import SavedState
import StateRestoration

extension StateSaver {
    /// What is saved has to be kept as a generation before anything is written, because of what a
    /// scene's launch made of it (R16, L6). It is made with the next write.
    mutating func needGeneration(_ reason: GenerationReason, of scene: RestorationIdentifier) {
        guard !archive.owesGeneration else { return }
        generationReason = "in the scene \(scene) \(reason)"
        do throws(SaveError) {
            try archive.oweGeneration()
        } catch {
            noteFailure(error)
        }
    }

    /// Makes the generation that is needed, if one is.
    ///
    /// - Returns: false if it could not be made; nothing may be written then, and the next turn
    ///   tries again.
    mutating func makeNeededGeneration() -> Bool {
        guard archive.owesGeneration else { return true }
        do throws(SaveError) {
            if let generation = try archive.makeOwedGeneration() {
                tellGeneration(generation, generationReason)
            }
            return true
        } catch {
            let reason =
                "what was saved before has to be kept in the history, because \(generationReason); "
                + "nothing is written before that works: \(error)"
            if archiveFailure != reason {
                log.tell(.error, .generationFailed, reason, reason: String(describing: error))
            }
            archiveFailure = reason
            lastError = reason
            return false
        }
    }

    /// Tells that what was saved is kept.
    func tellGeneration(_ path: String, _ reason: String) {
        log.tell(
            .notice, .generationMade, "what was saved is kept as \(path), because \(reason)",
            reason: reason)
    }
}
