import Logging
import SavedState
import StateRestoration

extension StateSaver {
    /// What is saved has to be kept as a generation before anything is written, because of what a
    /// scene's launch made of it (R16, L6). It is made with the next write, unless the newest one has
    /// that already.
    mutating func needGeneration(_ reason: GenerationReason) {
        guard !archive.isGenerationRequired, archive.equalGeneration == nil else { return }
        do throws(SaveError) {
            try archive.requireGeneration(because: "\(reason)")
        } catch {
            noteFailure(error)
        }
    }

    /// Makes the generation that is needed, if one is.
    ///
    /// - Returns: false if it could not be made; nothing may be written then, and the next turn
    ///   tries again.
    mutating func makeNeededGeneration() -> Bool {
        guard archive.isGenerationRequired else { return true }
        do throws(SaveError) {
            let reason = archive.requiredGenerationReason
            if let path = try archive.makeRequiredGeneration() { noteGeneration(path, reason) }
            return true
        } catch {
            let reason =
                "what was saved before has to be kept in the history, because \(archive.requiredGenerationReason); "
                + "nothing is written before that works: \(error)"
            if archiveFailure != reason {
                log.tell(.error, .generationFailed, reason, reason: String(describing: error))
            }
            archiveFailure = reason
            lastError = reason
            return false
        }
    }

    /// Keeps what is in memory as a generation before it is replaced, whatever became of the file; if
    /// the newest one holds it, that is it. What scenes changed since the last pass is not part of it:
    /// make one before, a full one (P18).
    ///
    /// - Returns: where it is kept, durably; `nil` if nothing is saved.
    /// - Throws: why it could not be kept; what was to follow must not be done then.
    mutating func keepGeneration(because reason: GenerationReason) throws(SaveError) -> KeptState? {
        if let path = archive.equalGeneration { return KeptState(path: path, isNew: false) }
        guard let path = try archive.makeGeneration(because: "\(reason)") else { return nil }
        noteGeneration(path, "\(reason)")
        return KeptState(path: path, isNew: true)
    }

    /// Keeps what is in memory as a generation, unless the newest one has that already.
    ///
    /// If it cannot be made that is told, and saving goes on.
    mutating func keepChanges(because reason: GenerationReason) {
        // What could not be saved is told already, and the disk would not take a generation either.
        guard failure == nil, !isQuiet else { return }
        do throws(SaveError) {
            if let path = try archive.makeGenerationIfChanged(because: "\(reason)") {
                noteGeneration(path, "\(reason)")
            }
        } catch {
            lastError = "what is saved could not be kept in the history: \(error)"
            log.tell(
                .error, .generationFailed,
                "what is saved could not be kept in the history: \(error)",
                reason: String(describing: error))
        }
    }

    /// Tells that what was saved is kept, and lets the oldest generations go for it.
    ///
    /// - Parameter reason: a clause that tells why.
    mutating func noteGeneration(_ path: String, _ reason: String) {
        log.tell(
            .notice, .generationMade, "what was saved is kept as \(path), because \(reason)",
            generation: path, reason: reason)
        pruneGenerations()
    }

    /// Lets the oldest generations go that are too many.
    mutating func pruneGenerations() {
        let pruned = archive.pruneGenerations(count: history.count, bytes: history.bytes)
        if !pruned.removed.isEmpty {
            let names = pruned.removed.map(\.description).joined(separator: ", ")
            log.tell(.info, .generationsRemoved, "removed from the history: \(names)")
        }
        if let failure = pruned.failure {
            lastError = "the history could not be kept within its bounds: \(failure)"
            log.tell(
                .warning, .generationsRemoved,
                "the history could not be kept within its bounds: \(failure)",
                reason: String(describing: failure))
        }
    }
}
