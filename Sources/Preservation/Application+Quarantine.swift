import LinuxIO
import Logging
import SavedState
import StateRestoration

// What was refused or damaged, and how it comes back (L2, L5).

extension Application {
    /// What lies in the application's quarantine, the oldest first. It need not run for that.
    ///
    /// - Throws: ``ApplicationError/quarantineUnreadable(application:reason:)``.
    public func quarantined() throws(ApplicationError) -> [QuarantineEntry] {
        do throws(IOError) {
            return try archive.quarantined().map {
                QuarantineEntry(
                    name: $0.name, path: $0.path, reason: $0.reason, time: $0.time,
                    byteCount: $0.byteCount)
            }
        } catch {
            throw .quarantineUnreadable(
                application: definition.bundleIdentifier, reason: "\(error)")
        }
    }

    /// Puts back every scene that something in quarantine holds. The file itself stays there.
    ///
    /// Of one that is torn or damaged that is the state after the last complete pass before. What is
    /// saved of these scenes now, with their live state, becomes a generation before. Those that are
    /// launched end, without being saved once more, and are launched again from what came back with
    /// the reason `replace` (R2); so are those that were in use, and those that could not be launched.
    /// An application that does not run launches them when it is launched next.
    ///
    /// Returns when they are launched.
    ///
    /// - Parameter name: its name in quarantine.
    /// - Throws: ``ApplicationError``: `notInQuarantine`, or `notPutBack` with the cause; nothing has
    ///   changed then. `sceneFailed` if a scene could not be launched from what came back, which stays
    ///   saved.
    @discardableResult
    public func putBack(_ name: String) async throws -> PutBackResult {
        if isLaunching { await waitForLaunch() }
        if hasEnded {
            throw ApplicationError.ending(application: definition.bundleIdentifier)
        }
        guard let hosted else { return try putBackUnlaunched(name) }
        let (outcome, launched) = try putBack(name, into: hosted)
        var saved = saver.saved
        for scene in launched { saved = try await perform(on: scene.text) { _ in }.saved }
        return PutBackResult(outcome, saved: saved)
    }

    // MARK: Of an application that runs

    private func putBack(
        _ name: String, into hosted: HostedScenes
    ) throws(ApplicationError) -> (PutBackOutcome, launched: [RestorationIdentifier]) {
        let quarantined: KeptContents
        do throws(KeptStateError) {
            quarantined = try archive.contents(ofQuarantined: name)
        } catch {
            throw notPutBack(name, error)
        }
        // What is live belongs into the generation.
        runTurn(.demand)
        let scenes = quarantined.contents.scenes
        for scene in scenes {
            guard case .launching = hosted.state(of: scene) else { continue }
            throw notPutBack(
                name, .launching, "the scene \(scene) is being launched; try again when it is.")
        }
        if let failure = saver.failure { throw notPutBack(name, .notSaved, failure) }
        let outcome = try replace(name, quarantined, of: hosted)
        var launched: [RestorationIdentifier] = []
        for scene in outcome.scenes where !launched.contains(scene) {
            if exchange(scene, of: hosted) { launched.append(scene) }
        }
        tell(outcome, of: name)
        changeFeed.yield()
        return (outcome, launched)
    }

    /// Exchanges what the archive holds of the scenes.
    private func replace(
        _ name: String, _ quarantined: KeptContents, of hosted: HostedScenes
    ) throws(ApplicationError) -> PutBackOutcome {
        let before = archive.scenes.map(\.header.number)
        do throws(KeptStateError) {
            return try hosted.putBack(quarantined)
        } catch {
            guard case .save(let failure) = error,
                archive.scenes.map(\.header.number) != before
            else { throw notPutBack(name, error) }
            // It came back in memory alone, and is saved as soon as that works.
            saver.noteFailure(failure)
            return PutBackOutcome(
                scenes: quarantined.contents.scenes, shortfall: quarantined.shortfall)
        }
    }

    /// A scene ends whose state was exchanged.
    ///
    /// - Returns: whether it is to be launched again.
    private func exchange(_ name: RestorationIdentifier, of hosted: HostedScenes) -> Bool {
        var isWanted = hosted.isInUse(name)
        switch hosted.state(of: name) {
        case .launched(let scene):
            hosted.end(scene)
            launches.note(.ended(scene: key(of: name)))
            isWanted = true
        case .failed: isWanted = true
        case .launching, .saved, .unknown: break
        }
        launches.note(.putBack(scene: key(of: name)), durably: true)
        hosted.noteReplaced(name)
        if isWanted { hosted.askFor(name) }
        return isWanted
    }

    // MARK: Of one that does not

    private func putBackUnlaunched(_ name: String) throws(ApplicationError) -> PutBackResult {
        if !archive.isLoaded {
            do {
                _ = try ArchiveLoader(archive: archive, log: log).load()
            } catch {
                throw notPutBack(name, .notSaved, "\(error)")
            }
        }
        let outcome: PutBackOutcome
        do throws(KeptStateError) {
            outcome = try archive.putBack(name)
            if case .stopped = phase {
                do throws(SaveError) { try archive.close() } catch { throw .save(error) }
            }
        } catch {
            throw notPutBack(name, error)
        }
        for scene in outcome.scenes {
            launches.note(.putBack(scene: key(of: scene)), durably: true)
        }
        tell(outcome, of: name)
        return PutBackResult(outcome, saved: saver.saved)
    }

    private func tell(_ outcome: PutBackOutcome, of name: String) {
        tellIncidents()
        noteDurability()
        let path = archive.quarantinePath(of: name)
        if let generation = outcome.generation {
            saver.noteGeneration(generation, "\(GenerationReason.putBack(path: path))")
        }
        let partly = outcome.shortfall.map { " as far as it can be used: \($0)" } ?? ""
        for scene in outcome.scenes {
            log.tell(
                .notice, .putBack, "its saved state was put back from \(path)\(partly)",
                scene: scene.text)
        }
    }

    // MARK: Errors

    private func notPutBack(_ name: String, _ error: KeptStateError) -> ApplicationError {
        let cause: PutBackObstacle
        switch error {
        case .unknown:
            return .notInQuarantine(application: definition.bundleIdentifier, name: name)
        case .damaged: cause = .damaged
        case .foreign: cause = .foreign
        case .newerFormat: cause = .newerFormat
        case .unreadableValues: cause = .unreadableValues
        case .save, .io: cause = .notSaved
        }
        return notPutBack(name, cause, "\(error)")
    }

    private func notPutBack(
        _ name: String, _ cause: PutBackObstacle, _ reason: String
    ) -> ApplicationError {
        .notPutBack(
            application: definition.bundleIdentifier, name: name, cause: cause, reason: reason)
    }
}

extension ArchiveContents {
    /// The names of the scenes.
    fileprivate var scenes: [RestorationIdentifier] {
        objects.filter { $0.header.parent == 0 }.map(\.name)
    }
}

extension PutBackResult {
    fileprivate init(_ outcome: PutBackOutcome, saved: Saved) {
        self.init(
            scenes: outcome.scenes.map(\.text), generation: outcome.generation,
            shortfall: outcome.shortfall, saved: saved)
    }
}
