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
    /// was stopped launches them when it is launched next, and one that could not be launched now.
    ///
    /// Returns when they are launched.
    ///
    /// - Parameter name: its name in quarantine.
    /// - Throws: ``ApplicationError``: `notInQuarantine`, or `notPutBack` with the cause; nothing has
    ///   changed then.
    @discardableResult
    public func putBack(_ name: String) async throws -> PutBackResult {
        let kept: KeptContents
        let scenes: [RestorationIdentifier]
        let replaced: ReplacedState
        do {
            kept = try await readState { () throws(KeptStateError) in
                try archive.contents(ofQuarantined: name)
            }
            scenes = try kept.scenesToPutBack
            replaced = try await replaceState(
                StateReplacement(
                    contents: kept.contents, scenes: scenes, reason: .putBack(path: kept.path)))
        } catch let failure as ReplacementFailure {
            if failure.cause == .unknown {
                throw ApplicationError.notInQuarantine(application: bundleIdentifier, name: name)
            }
            throw ApplicationError.notPutBack(
                application: bundleIdentifier, name: name, cause: failure.cause,
                reason: failure.reason)
        }
        let partly = kept.shortfall.map { " as far as it can be used: \($0)" } ?? ""
        for scene in scenes {
            launches.note(.putBack(scene: key(of: scene)), durably: true)
            log.tell(
                .notice, .putBack, "its saved state was put back from \(kept.path)\(partly)",
                scene: scene.text)
        }
        return PutBackResult(
            scenes: scenes.map(\.text), generation: replaced.generation,
            shortfall: kept.shortfall, saved: replaced.saved)
    }
}
