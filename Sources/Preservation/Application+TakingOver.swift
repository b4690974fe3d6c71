import LinuxIO
import Logging
import SavedState

// What becomes of an archive that another program put in the place of ours (L8).

extension Application {
    /// Restores an archive that another program put in the place of ours.
    func takeOver(_ replacing: ReplacingArchive, _ hosted: HostedScenes) {
        guard keepRefused() else {
            // It stays where it is, and is looked at again.
            saver.suspend(
                "another program replaced \(archive.path), which waits, because \(unkeptRefused)")
            return
        }
        let replacement = StateReplacement(
            contents: replacing.contents, reason: .replacement,
            replacing: replacing)
        beginReplacing(replacement, of: hosted, for: .file(replacing))
    }

    /// An archive that another program put in the place of ours was restored, or not.
    func noteTakenOver(
        _ replacing: ReplacingArchive, _ result: Result<ReplacedState, ReplacementFailure>
    ) {
        switch result {
        case .success(let replaced):
            let kept = replaced.generation.map { ", and what was saved before is kept as \($0)" }
            log.tell(
                .notice, .replaced,
                "another program replaced the archive: its state was restored\(kept ?? "")",
                reason: "another program replaced the archive")
        case .failure(let failure):
            refuse(replacing, failure)
        }
    }

    private func refuse(_ replacing: ReplacingArchive, _ failure: ReplacementFailure) {
        if failure.isSuperseded {
            isLookNeeded = true
            wakeUps.continuation.yield()
            return
        }
        if isThere(replacing), failure.cause == .notSaved {
            // It stays where it is, and is looked at again.
            saver.suspend(
                "another program replaced \(archive.path), which waits: \(failure.reason)")
            return
        }
        if isThere(replacing), archive.isChangedExternally {
            // Nothing was taken over yet: it goes to quarantine itself.
            archive.quarantineOnNextWrite()
            saver.lastError = "another program replaced the archive: \(failure.reason)"
            saveAgain()
            tellIncidents()
            return
        }
        refused = RefusedArchive(archive: replacing, reason: failure.reason)
        keepRefused()
    }

    /// Whether another program's file still has the name; one of which nobody knows is kept from memory.
    private func isThere(_ replacing: ReplacingArchive) -> Bool {
        do throws(IOError) { return try archive.isThere(replacing) } catch { return false }
    }

    /// Puts an archive into quarantine that could not be taken over and is in memory alone by now.
    ///
    /// - Returns: whether there is none any more; else it is tried again by the next turn that is not
    ///   for commands.
    @discardableResult
    func keepRefused() -> Bool {
        guard let refused else { return true }
        let reason = "Another program put it in the archive's place, and \(refused.reason)."
        do throws(IOError) {
            let path = try archive.quarantine(refused.archive, reason: reason)
            self.refused = nil
            let sentence =
                "another program replaced the archive, which could not be taken over: "
                + "\(refused.reason); it is kept as \(path), and the live state goes on"
            saver.lastError = sentence
            log.tell(.error, .quarantined, sentence, reason: refused.reason)
            return true
        } catch {
            if refused.failure == nil {
                log.tell(
                    .error, .archiveReplaced,
                    "an archive that another program put in the place of ours is in memory alone: "
                        + "\(error)", reason: refused.reason)
            }
            self.refused?.failure = error
            return false
        }
    }

    /// A clause that tells what is in memory alone.
    var unkeptRefused: String {
        guard let refused, let failure = refused.failure else { return "nothing is" }
        return """
            \(refused.archive.bytes.count) bytes that another program put in the archive's place, and \
            that could not be taken over (\(refused.reason)), are in memory alone until they can be put \
            into quarantine: \(failure)
            """
    }
}
