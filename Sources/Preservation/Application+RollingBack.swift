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
    /// An application that was stopped launches its scenes from that state when it is launched next; one
    /// that could not be launched is launched from it now.
    ///
    /// - Parameters:
    ///   - generation: its number, with or without the zeros in front.
    ///   - scene: the only scene that goes back; nil: all of the application.
    /// - Throws: ``ApplicationError``: `notRolledBack` with the cause; nothing has changed then.
    @discardableResult
    public func rollBack(
        to generation: String, scene: String? = nil
    ) async throws -> ReplacedState {
        let kept: KeptContents
        do {
            kept = try await readState { () throws(KeptStateError) in
                try archive.contents(ofGeneration: generation)
            }
        } catch let failure as ReplacementFailure {
            if failure.cause == .unknown { throw noSuchGeneration(generation) }
            throw notRolledBack(generation, failure)
        }
        let name = scene.map(RestorationIdentifier.init(recorded:))
        if let name, !kept.contents.sceneNames.contains(name) {
            _ = try knownScene(name.text)
            throw notRolledBack(
                generation,
                ReplacementFailure(
                    cause: .unknown,
                    reason: "it has no scene \"\(name)\"; it has "
                        + kept.contents.sceneNames.map(\.text).joined(separator: ", ")))
        }
        let number = GenerationName(generation).map(\.description) ?? generation
        let replacement = StateReplacement(
            contents: kept.contents, scenes: name.map { [$0] },
            reason: .rollBack(generation: number))
        do throws(ReplacementFailure) {
            let replaced = try await replaceState(replacement)
            let what = name.map { "the scene \($0)" } ?? "everything"
            let partly = kept.shortfall.map { " as far as it can be used: \($0)" } ?? ""
            log.tell(
                .notice, .replaced, "\(what) went back to \(kept.path)\(partly)", scene: scene,
                generation: kept.path, reason: "rollback")
            return replaced
        } catch {
            throw notRolledBack(generation, error)
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
        do throws(SaveError) { try loadUnlaunched() } catch {
            throw notReset(.notSaved, "\(error)")
        }
        let name = try scene.map { try knownScene($0) }
        do throws(ReplacementFailure) {
            let replaced = try await replaceState(
                StateReplacement(contents: .empty, scenes: name.map { [$0] }, reason: .reset))
            log.tell(.notice, .replaced, "was reset", scene: scene, reason: "reset")
            return replaced
        } catch {
            throw notReset(error.cause, error.reason)
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
            throw notReset(.notSaved, reason)
        }
        let launched = hosted.scenes.map(\.name)
        let names = name.map { [$0] } ?? launched
        let failure = await withCheckedContinuation { continuation in
            hosted.beginExchange(
                of: names, reason: .restore, definition: definition,
                known: knownLaunches(of: names), purpose: .relaunch(continuation))
            advanceLaunches()
        }
        guard let failure else {
            log.tell(
                .notice, .replaced, "was launched again from what is saved", scene: scene,
                reason: "reset to saved")
            return ReplacedState(scenes: names.map(\.text), saved: saver.saved)
        }
        throw notReset(.notLaunched, "\(failure)")
    }

    /// Reads a state that is to take the place of the present one, when no scene is being launched or
    /// exchanged.
    ///
    /// - Throws: ``ApplicationError/ending(application:)``, or a ``ReplacementFailure``: `unknown` if
    ///   there is nothing of that name.
    func readState(_ read: () throws(KeptStateError) -> KeptContents) async throws -> KeptContents {
        await waitUntilSettled()
        if hasEnded { throw ApplicationError.ending(application: bundleIdentifier) }
        do throws(SaveError) { try loadUnlaunched() } catch { throw ReplacementFailure(error) }
        do throws(KeptStateError) { return try read() } catch { throw ReplacementFailure(error) }
    }

    /// A scene that is launched, saved or configured.
    private func knownScene(_ text: String) throws(ApplicationError) -> RestorationIdentifier {
        let name = RestorationIdentifier(recorded: text)
        if let hosted {
            if case .unknown = hosted.state(of: name) { throw noSuchScene(name, in: hosted) }
            return name
        }
        let names = archive.scenes.map(\.name)
        if !names.contains(name), !definition.scenes.contains(name) {
            throw .noSuchScene(
                application: bundleIdentifier, scene: text, scenes: names.map(\.text))
        }
        return name
    }

    // MARK: Errors

    private func notRolledBack(
        _ generation: String, _ failure: ReplacementFailure
    ) -> ApplicationError {
        .notRolledBack(
            application: bundleIdentifier, generation: generation, cause: failure.cause,
            reason: failure.reason)
    }

    private func notReset(_ cause: ReplacementObstacle, _ reason: String) -> ApplicationError {
        .notReset(application: bundleIdentifier, cause: cause, reason: reason)
    }
}
