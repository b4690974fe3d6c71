import LinuxIO
import SavedState

// What other programs do to the archive while the application runs is noticed, and decided when they are
// done with it (L4, L8).

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
        guard case .running(let hosted) = phase, isSettled, !isEnding else {
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
            if finding == .removed { launchWithoutState(hosted) } else { decide(finding, hosted) }
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
            } else if archive.hasPending || saver.failure != nil, !isRetried {
                isRetried = true
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
}
