import LinuxIO
import Logging
import SavedState
import StateRestoration

// What other programs do to the archive while the application runs (L4, L8).

extension Application {
    /// How long an archive that was removed, or cannot be used, may stay so before that is taken for what
    /// was meant (L4): a program may be about to write it.
    static let outsidePatience = Duration.milliseconds(100)

    /// Looks whether another program changed the archive, and takes over what it left.
    ///
    /// An archive that took the place of ours is restored live; what was saved and live is kept as a
    /// generation. One that cannot be used goes to quarantine as soon as nobody writes it any more, and
    /// the live state is saved again. If the archive or a folder above it was removed, and stays so, the
    /// application is reset (L4).
    ///
    /// Call it when a program has changed the file or a folder above it, and is done with it.
    public func lookAtArchive() {
        guard let hosted = settled else { return }
        do throws(IOError) {
            let finding = try archive.look(closely: true)
            switch finding {
            case .removed: waitForEnd(of: nil)
            case .unusable(_, let seen): waitForEnd(of: seen)
            case .ours, .elsewhere, .replaced: decide(finding, hosted)
            }
        } catch {
            saver.noteFailure(.io(error))
        }
    }

    /// A change was noticed before anybody told of it: who made it may not be done with it.
    ///
    /// - Parameter isAgain: whether one is decided again over which nothing could be done.
    func awaitOutsideChange(isAgain: Bool = false) {
        guard archive.isChangedOutside, outsideWait == nil, settled != nil,
            isAgain || saver.failure == nil
        else { return }
        beginOutsideWait()
        outsideWaits.continuation.yield()
    }

    private func beginOutsideWait() {
        lastOutsideWait += 1
        outsideWait = OutsideWait(number: lastOutsideWait)
    }

    private func waitForEnd(of seen: FileStatus?) {
        if outsideWait == nil {
            beginOutsideWait()
            outsideWaits.continuation.yield()
        }
        outsideWait?.seen = seen
    }

    /// The scenes, if what another program did can be decided over now; else it is later.
    private var settled: HostedScenes? {
        guard case .running(let hosted) = phase, isSettled else {
            isLookNeeded = true
            return nil
        }
        isLookNeeded = false
        return hosted
    }

    /// Decides over changes after the time that L4 gives.
    func serveOutsideWaits() async {
        for await _ in outsideWaits.stream {
            while let number = outsideWait?.number {
                do {
                    try await settings.clock.sleep(for: Self.outsidePatience)
                } catch {
                    return  // The sleep ends early only when the application does.
                }
                // One that has begun since has its own time.
                if outsideWait?.number == number { decideAfterWait() }
            }
        }
    }

    private func decideAfterWait() {
        guard let wait = outsideWait else { return }
        guard let hosted = settled else {
            endOutsideWait()
            return
        }
        do throws(IOError) {
            let finding = try archive.look(closely: true)
            if case .unusable(_, let seen) = finding, wait.seen != seen {
                outsideWait?.seen = seen
                return
            }
            outsideWait = nil
            if finding == .removed { reset(hosted) } else { decide(finding, hosted) }
        } catch {
            saver.noteFailure(.io(error))
        }
        endOutsideWait()
    }

    /// Nobody waits any more for a decision over what another program did.
    func endOutsideWait() {
        outsideWait = nil
        let answers = withheldAnswers
        withheldAnswers = []
        answer(answers)
    }

    private func decide(_ finding: OutsideFinding, _ hosted: HostedScenes) {
        switch finding {
        case .ours:
            if saver.isQuiet {
                saver.noteSaved()
            } else if archive.hasPending || saver.failure != nil {
                saveAgain()
            }
        case .removed:
            break
        case .elsewhere(let reason):
            saver.suspend("\(archive.path) is not what it was: \(reason); nothing is saved there")
        case .unusable:
            archive.putAside()
            saveAgain()
            tellIncidents()
        case .replaced(let replacing):
            takeOver(replacing, hosted)
        }
        endOutsideWait()
    }

    /// Restores an archive that another program put in the place of ours.
    private func takeOver(_ replacing: ReplacingArchive, _ hosted: HostedScenes) {
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
        if failure.cause == .notSaved {
            // It stays where it is, and is looked at again.
            saver.suspend(
                "another program replaced \(archive.path), which waits: \(failure.reason)")
            return
        }
        if archive.isChangedOutside {
            // Nothing was taken over yet: it goes to quarantine itself.
            archive.putAside()
            saver.lastError = "another program replaced the archive: \(failure.reason)"
            saveAgain()
            tellIncidents()
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

    /// The saved state was removed: all scenes are launched without any, and nothing is written before
    /// something changes (L4).
    private func reset(_ hosted: HostedScenes) {
        let reason = "its saved state was removed"
        for answer in withheldAnswers {
            answer(.no(reason: "\(reason), and the application reset"))
        }
        withheldAnswers = []
        for answer in durabilityWaiters.takeAll() {
            answer(.no(reason: "\(reason), and the application reset"))
        }
        log.tell(.warning, .stateRemoved, "\(reason): it is launched without any", reason: reason)
        for scene in hosted.scenes { launches.note(.ended(scene: key(of: scene.name))) }
        launches.note(.forgotten(application: bundleIdentifier))
        hosted.endAll(isOrderly: true)
        archive.forget()
        saver.noteReset()
        // With the state directory gone nothing can be saved either.
        isLookNeeded = true
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

/// A change by another program that is not decided yet, because that program may not be done.
struct OutsideWait {
    /// Tells it from those before.
    let number: Int
    /// What cannot be used, as it was looked at last; nil: it was not, or nothing was there.
    var seen: FileStatus?
}
