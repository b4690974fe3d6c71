import ExactText
import Logging
import SavedState
import StateRestoration

// Deleting what the history and the quarantine hold, as an operator asks for.

extension Application {
    /// Deletes generations from the history, durably. The application need not run.
    ///
    /// - Parameter names: Names of the generations, with or without leading zeros.
    /// - Throws: ``ApplicationError``: `noSuchGeneration` if one of them does not exist, and none is deleted;
    ///   `historyUnreadable`; `notDeleted` if the file system refuses, and earlier names are deleted.
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

    /// Deletes files in quarantine, durably. The application need not run.
    ///
    /// A scene whose saved state was such a file does not get it back.
    ///
    /// - Parameter names: Names in quarantine.
    /// - Throws: ``ApplicationError``: `notInQuarantine` if one of them does not exist, and none is deleted;
    ///   `quarantineUnreadable`; `notDeleted` if the file system refuses, and earlier names are deleted.
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

    /// Counts what is in quarantine now as seen: it is not reported as new any more until the program starts again.
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
            // Another program may have removed it meanwhile.
            if case .unknown = error { return }
            throw .notDeleted(application: bundleIdentifier, name: name, reason: "\(error)")
        }
    }
}
