import ExactText
import Logging
import SavedState
import StateRestoration

// Deletion of generations and quarantined files at the request of an operator.

extension Application {
    /// Deletes generations from the history, durably.
    ///
    /// The application need not run.
    ///
    /// - Parameter names: Names of the generations, with or without leading zeros.
    /// - Throws: ``ApplicationError``: `noSuchGeneration` if a generation does not exist, in which case no
    ///   generation is deleted. `historyUnreadable` if the history cannot be read. `notDeleted` if the file
    ///   system returns an error, in which case the generations before it in `names` are already deleted.
    public func deleteGenerations(_ names: [String]) async throws(ApplicationError) {
        let existing = Set(try await savedHistory.names())
        for name in names where !(GenerationName(name).map(existing.contains) ?? false) {
            throw try savedHistory.noSuchGeneration(name)
        }
        for name in names {
            try delete(name) { () throws(KeptStateError) in
                try saver.archive.deleteGeneration(name)
            }
            log.tell(.notice, .generationsRemoved, "deleted from the history: \(name)")
            let deleted = GenerationName(name)
            for (scene, known) in launches.sceneGuard.replaced
            where known.replaced.flatMap({ GenerationName(path: $0) }) == deleted {
                launches.sceneGuard.note(
                    { .replaced(scene: $0, generation: nil) }, of: [scene], durably: true)
            }
        }
    }

    /// Deletes files from the quarantine, durably.
    ///
    /// The application need not run. Afterwards, the saved state of scenes in these files can no longer be
    /// restored.
    ///
    /// - Parameter names: Names of the files in quarantine.
    /// - Throws: ``ApplicationError``: `notInQuarantine` if a file does not exist, in which case no file is
    ///   deleted. `quarantineUnreadable` if the quarantine cannot be read. `notDeleted` if the file system
    ///   returns an error, in which case the files before it in `names` are already deleted.
    public func deleteQuarantined(_ names: [String]) async throws(ApplicationError) {
        let existing = Set(try await quarantined().map { ExactString($0.name) })
        for name in names where !existing.contains(ExactString(name)) {
            throw .notInQuarantine(application: bundleIdentifier, name: name)
        }
        for name in names {
            try delete(name) { () throws(KeptStateError) in
                try saver.archive.deleteQuarantined(name)
            }
            log.tell(.notice, .quarantineRemoved, "deleted from quarantine: \(name)")
            launches.sceneGuard.note(
                LaunchEvent.putBack, of: launches.sceneGuard.scenes(withQuarantined: name),
                durably: true)
        }
    }

    /// Marks all files in quarantine as known, so that they are no longer reported as new until the program
    /// restarts.
    ///
    /// - Throws: ``ApplicationError/quarantineUnreadable(application:reason:)``.
    public func acknowledgeQuarantine() async throws(ApplicationError) {
        acknowledge(try await quarantined())
    }

    private func delete(
        _ name: String, _ body: () throws(KeptStateError) -> Void
    ) throws(ApplicationError) {
        do throws(KeptStateError) {
            try body()
        } catch {
            // Another program may already have removed the file.
            if case .unknown = error { return }
            throw .notDeleted(application: bundleIdentifier, name: name, reason: "\(error)")
        }
    }
}
