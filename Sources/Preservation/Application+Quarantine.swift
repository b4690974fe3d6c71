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
                    name: $0.name, path: $0.path, kind: QuarantineEntry.Kind($0.kind),
                    reason: $0.reason, time: $0.time, byteCount: $0.byteCount)
            }
        } catch {
            throw .quarantineUnreadable(
                application: bundleIdentifier, reason: "\(error)")
        }
    }

    /// Puts back every scene that something in quarantine holds. The file itself stays there.
    ///
    /// Of one that is torn or damaged that is the state after the last complete pass before. What is
    /// saved now, with their live state, becomes a generation before. Those that are launched give way to
    /// others that are launched beside them from what came back, with the reason `replace` (R2); those
    /// that were in use, and those that could not be launched, are launched too. An application that
    /// does not run launches them when it is launched next.
    ///
    /// Returns when they are launched.
    ///
    /// - Parameter name: its name in quarantine.
    /// - Throws: ``ApplicationError``: `notInQuarantine`, or `notPutBack` with the cause; nothing has
    ///   changed then.
    @discardableResult
    public func putBack(_ name: String) async throws -> PutBackResult {
        await waitUntilSettled()
        if hasEnded { throw ApplicationError.ending(application: bundleIdentifier) }
        guard hosted != nil else { return try putBackUnlaunched(name) }
        let quarantined: QuarantinedContents
        do throws(QuarantineError) {
            quarantined = try archive.contents(ofQuarantined: name)
        } catch {
            throw notPutBack(name, error)
        }
        let path = archive.quarantinePath(of: name)
        let scenes = quarantined.contents.sceneNames
        if scenes.isEmpty {
            throw notPutBack(name, .damaged(path: path, reason: "it holds no scene"))
        }
        let replaced: ReplacedState
        do throws(ReplacementFailure) {
            replaced = try await replaceState(
                StateReplacement(
                    contents: quarantined.contents, scenes: scenes, reason: .putBack(path: path)))
        } catch {
            throw notPutBack(name, error.cause, error.reason)
        }
        let outcome = PutBackOutcome(scenes: scenes, shortfall: quarantined.shortfall)
        tell(outcome, of: name)
        for scene in scenes { launches.note(.putBack(scene: key(of: scene)), durably: true) }
        return PutBackResult(
            scenes: scenes.map(\.text), generation: replaced.generation,
            shortfall: quarantined.shortfall, saved: replaced.saved)
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
        do throws(QuarantineError) {
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
        if case .failed(let reason) = phase {
            let scenes = outcome.scenes.map(\.text).joined(separator: ", ")
            phase = .failed(
                reason:
                    "since the last launch failed, \(scenes) came back from quarantine; launch it "
                    + "again (what it failed for was: \(reason))")
        }
        tell(outcome, of: name)
        return PutBackResult(outcome, saved: saver.saved)
    }

    private func tell(_ outcome: PutBackOutcome, of name: String) {
        tellIncidents()
        noteDurability()
        let path = archive.quarantinePath(of: name)
        if let generation = outcome.generation {
            saver.tellGeneration(generation, "\(path) was put back")
        }
        let partly = outcome.shortfall.map { " as far as it can be used: \($0)" } ?? ""
        for scene in outcome.scenes {
            log.tell(
                .notice, .putBack, "its saved state was put back from \(path)\(partly)",
                scene: scene.text)
        }
    }

    // MARK: Errors

    private func notPutBack(_ name: String, _ error: QuarantineError) -> ApplicationError {
        let cause: ReplacementObstacle
        switch error {
        case .unknown:
            return .notInQuarantine(application: bundleIdentifier, name: name)
        case .damaged, .noFile: cause = .damaged
        case .foreign: cause = .foreign
        case .newerFormat: cause = .newerFormat
        case .unreadableValues: cause = .unreadableValues
        case .save, .io: cause = .notSaved
        }
        return notPutBack(name, cause, "\(error)")
    }

    private func notPutBack(
        _ name: String, _ cause: ReplacementObstacle, _ reason: String
    ) -> ApplicationError {
        .notPutBack(
            application: bundleIdentifier, name: name, cause: cause, reason: reason)
    }
}

extension PutBackResult {
    fileprivate init(_ outcome: PutBackOutcome, saved: Saved) {
        self.init(
            scenes: outcome.scenes.map(\.text), generation: outcome.generation,
            shortfall: outcome.shortfall, saved: saved)
    }
}
