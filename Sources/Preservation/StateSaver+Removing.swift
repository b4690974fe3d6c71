import Logging
import SavedState

extension StateSaver {
    /// Keeps what is saved as a generation and takes it away: a forced quit (L1).
    ///
    /// - Throws: why it could not be kept. Nothing was taken away then.
    mutating func removeState() throws(SaveError) {
        do throws(SaveError) {
            if !archive.isLoaded { try load() }
            let reason = "\(GenerationReason.forcedQuit)"
            if let path = try archive.remove(because: reason) { noteGeneration(path, reason) }
        } catch {
            log.tell(
                .error, .generationFailed, "what is saved could not be kept: \(error)",
                reason: String(describing: error))
            lastError = String(describing: error)
            throw error
        }
        archiveFailure = nil
        unwilling = []
        isIncomplete = false
        pendingPass = nil
        lastPass = nil
        releaseModel()
    }

    private func load() throws(SaveError) {
        do throws(LoadError) {
            _ = try archive.load()
        } catch {
            throw .refused(path: archive.path, because: error)
        }
    }
}
