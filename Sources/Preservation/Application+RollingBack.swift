import Logging
import SavedState
import StateRestoration

// How an application goes back to an earlier state, to none, or to what is saved.

extension Application {
    /// Goes back to a generation: what is saved and live becomes a generation, and the scenes are
    /// launched from the earlier one beside those from before, with the reason `replace` (R2), and take
    /// their places. Scenes that were closed then are closed again; those that did not exist then are
    /// launched without state if they are configured, and end otherwise. The model data stays as it is
    /// (P19).
    ///
    /// An application that does not run launches its scenes from that state when it is launched next.
    ///
    /// - Parameters:
    ///   - generation: its number, with or without the zeros in front.
    ///   - scene: the only scene that goes back; nil: all of the application.
    /// - Throws: ``ApplicationError``: `notRolledBack` with the cause; nothing has changed then.
    @discardableResult
    public func rollBack(
        to generation: String, scene: String? = nil
    ) async throws -> ReplacedState {
        await waitUntilSettled()
        if hasEnded { throw ApplicationError.ending(application: bundleIdentifier) }
        let kept: KeptContents
        do throws(KeptStateError) {
            try loadUnlaunched()
            kept = try archive.contents(ofGeneration: generation)
        } catch {
            if case .unknown = error { throw noSuchGeneration(generation) }
            throw notRolledBack(generation, error.obstacle, "\(error)")
        }
        let name = scene.map(RestorationIdentifier.init(recorded:))
        if let name, !kept.contents.sceneNames.contains(name) {
            throw notRolledBack(
                generation, .unknown,
                "it has no scene \"\(name)\"; it has "
                    + kept.contents.sceneNames.map(\.text).joined(separator: ", "))
        }
        let replacement = StateReplacement(
            contents: kept.contents, scenes: name.map { [$0] },
            reason: .rollBack(generation: generation))
        do throws(ReplacementFailure) {
            let replaced = try await replaceState(replacement)
            let what = name.map { "the scene \($0)" } ?? "everything"
            let partly = kept.shortfall.map { " as far as it can be used: \($0)" } ?? ""
            log.tell(
                .notice, .replaced, "\(what) went back to \(kept.path)\(partly)", scene: scene,
                reason: "rollback")
            return replaced
        } catch {
            throw notRolledBack(generation, error.cause, error.reason)
        }
    }

    /// Forgets what is saved, and launches the scenes without state beside those from before, whose
    /// places they take. What was saved and live becomes a generation first; the model data stays.
    ///
    /// - Parameter scene: the only scene that is reset; nil: all of the application. One that is neither
    ///   configured nor named here ends.
    /// - Throws: ``ApplicationError``: `notReset` with the cause; nothing has changed then.
    @discardableResult
    public func reset(scene: String? = nil) async throws -> ReplacedState {
        await waitUntilSettled()
        if hasEnded { throw ApplicationError.ending(application: bundleIdentifier) }
        let name = try scene.map { try knownScene($0) }
        do throws(ReplacementFailure) {
            let replaced = try await replaceState(
                StateReplacement(contents: .empty, scenes: name.map { [$0] }, reason: .reset))
            if name == nil { launches.note(.forgotten(application: bundleIdentifier)) }
            log.tell(.notice, .replaced, "was reset", scene: scene, reason: "reset")
            return replaced
        } catch {
            throw ApplicationError.notReset(
                application: bundleIdentifier, cause: error.cause, reason: error.reason)
        }
    }

    /// Launches scenes again from what is saved of them, in place, as a restart would: for those who
    /// work on an application. What could be saved of them is saved first.
    ///
    /// - Parameter scene: the only scene that is launched again; nil: all that are launched.
    /// - Throws: ``ApplicationError``: `notReset` with the cause; the scenes from before go on then.
    @discardableResult
    public func resetToSaved(scene: String? = nil) async throws -> ReplacedState {
        await waitUntilSettled()
        let name = try scene.map { try knownScene($0) }
        let hosted = try runningScenes()
        save(hosted, .demand)
        if let reason = saver.failure ?? saver.undecided {
            throw ApplicationError.notReset(
                application: bundleIdentifier, cause: .notSaved, reason: reason)
        }
        let launched = hosted.scenes.map(\.name)
        let names = name.map { [$0] } ?? launched
        let failure = await withCheckedContinuation { continuation in
            hosted.beginExchange(
                of: names, reason: .restore, definition: definition,
                purpose: .relaunch(continuation))
            advanceLaunches()
        }
        guard let failure else {
            log.tell(
                .notice, .replaced, "was launched again from what is saved", scene: scene,
                reason: "reset to saved")
            return ReplacedState(scenes: names.map(\.text), saved: saver.saved)
        }
        throw ApplicationError.notReset(
            application: bundleIdentifier, cause: .notLaunched, reason: "\(failure)")
    }

    /// A scene that is launched or saved.
    private func knownScene(_ text: String) throws(ApplicationError) -> RestorationIdentifier {
        let name = RestorationIdentifier(recorded: text)
        if let hosted {
            if case .unknown = hosted.state(of: name) { throw noSuchScene(name, in: hosted) }
        } else if !archive.scenes.contains(where: { $0.name == name }) {
            throw .noSuchScene(
                application: bundleIdentifier, scene: text, scenes: archive.scenes.map(\.name.text))
        }
        return name
    }

    private func notRolledBack(
        _ generation: String, _ cause: ReplacementObstacle, _ reason: String
    ) -> ApplicationError {
        .notRolledBack(
            application: bundleIdentifier, generation: generation, cause: cause, reason: reason)
    }
}
