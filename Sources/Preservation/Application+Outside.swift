import LinuxIO
import Logging
import SavedState
import StateRestoration

// What other programs do to the archive while the application runs (L4, L8).

extension Application {
    /// How long a removed archive may be away before the application is reset (L4).
    static let removalPatience = Duration.milliseconds(100)

    /// Looks whether another program changed the archive, and takes over what it left.
    ///
    /// An archive that took the place of ours is restored live; what was saved and live is kept as a
    /// generation. One that cannot be used goes to quarantine, and the live state is saved again. If
    /// the archive or a folder above it was removed, and stays so, the application is reset (L4).
    ///
    /// Call it when the file or a folder above it may have changed.
    public func lookAtArchive() {
        lookAtArchive(closely: true)
    }

    /// Decides what becomes of a change that was noticed, if there was one.
    func decideOutsideChange() {
        if archive.isChangedOutside { lookAtArchive(closely: false) }
    }

    private func lookAtArchive(closely: Bool) {
        guard case .running(let hosted) = phase, hosted.exchange == nil else {
            isLookNeeded = true
            return
        }
        isLookNeeded = false
        do throws(IOError) {
            decide(try archive.look(closely: closely), hosted)
        } catch {
            saver.noteFailure(.io(error))
        }
    }

    private func decide(_ finding: OutsideFinding, _ hosted: HostedScenes) {
        switch finding {
        case .ours:
            if saver.failure != nil { saveAgain() }
        case .removed:
            if isRemovalAwaited { return }
            isRemovalAwaited = true
            removals.continuation.yield()
        case .elsewhere(let reason):
            saver.suspend("\(archive.path) is not what it was: \(reason); nothing is saved there")
        case .unusable:
            archive.putAside()
            saveAgain()
            tellIncidents()
        case .replaced(let replacing):
            takeOver(replacing, hosted)
        }
    }

    /// Restores an archive that another program put in the place of ours.
    private func takeOver(_ replacing: ReplacingArchive, _ hosted: HostedScenes) {
        let replacement = StateReplacement(
            contents: replacing.contents, reason: .replacement,
            isInPlace: true)
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
        if failure.cause == .notSaved {
            // It stays where it is, and is looked at again.
            saver.suspend(
                "another program replaced \(archive.path), which waits: \(failure.reason)")
            return
        }
        let reason = "Another program put it in the archive's place, and \(failure.reason)."
        do throws(IOError) {
            let path = try archive.quarantine(replacing, reason: reason)
            let sentence =
                "another program replaced the archive, which could not be taken over: "
                + "\(failure.reason); it is kept as \(path), and the live state goes on"
            saver.lastError = sentence
            log.tell(.error, .quarantined, sentence, reason: failure.reason)
        } catch {
            saver.noteFailure(.io(error))
        }
    }

    // MARK: Removal

    /// Looks again at archives that were removed, after the time that L4 gives.
    func serveRemovals() async {
        for await _ in removals.stream {
            do {
                try await settings.clock.sleep(for: Self.removalPatience)
            } catch {
                return  // The sleep ends early only when the application does.
            }
            decideRemoval()
        }
    }

    private func decideRemoval() {
        isRemovalAwaited = false
        guard case .running(let hosted) = phase, hosted.exchange == nil else {
            isLookNeeded = true
            return
        }
        do throws(IOError) {
            let finding = try archive.look(closely: false)
            if finding == .removed { reset(hosted) } else { decide(finding, hosted) }
        } catch {
            saver.noteFailure(.io(error))
        }
        let answers = withheldAnswers
        withheldAnswers = []
        answer(answers)
    }

    /// The saved state was removed: all scenes are launched without any, and nothing is written before
    /// something changes (L4).
    private func reset(_ hosted: HostedScenes) {
        let reason = "its saved state was removed"
        for answer in withheldAnswers {
            answer(.no(reason: "\(reason), and the application reset"))
        }
        withheldAnswers = []
        log.tell(.warning, .stateRemoved, "\(reason): it is launched without any", reason: reason)
        for scene in hosted.scenes { launches.note(.ended(scene: key(of: scene.name))) }
        launches.note(.forgotten(application: bundleIdentifier))
        hosted.endAll(isOrderly: true)
        archive.forget()
        saver.noteReset()
        beginLaunch()
    }

    // MARK: At the end

    /// The application ends while a change by another program was noticed and not decided.
    ///
    /// - Throws: ``UnsavedStop`` if the last state is nowhere.
    func leaveOutsideChange() throws {
        let finding: OutsideFinding
        do throws(IOError) {
            finding = try archive.look(closely: false)
        } catch {
            throw UnsavedStop(reason: "\(error)")
        }
        switch finding {
        case .ours: try saver.close()
        case .removed:
            archive.forget()
            log.tell(
                .warning, .stateRemoved, "its saved state was removed: the next launch has none",
                reason: "its saved state was removed")
        case .elsewhere(let reason): throw UnsavedStop(reason: reason)
        case .unusable:
            archive.putAside()
            try saver.close()
        case .replaced:
            do throws(SaveError) {
                _ = try saver.keepGeneration(because: .replacement)
            } catch {
                throw UnsavedStop(reason: "\(error)")
            }
        }
    }
}
