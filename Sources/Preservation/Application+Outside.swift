import LinuxIO
import SavedState

// What other programs do to the archive while the application runs is noticed, and decided when they are
// done with it (L4, L8).

extension Application {
    /// How long an archive that was removed, or cannot be used, may stay so before that is taken for what
    /// was meant (L4): a program may be about to write it.
    static let outsidePatience = Duration.milliseconds(100)

    /// How long commands wait for the decision: a program may write for ever.
    static let answerPatience = Duration.seconds(5)

    /// Looks whether another program changed the archive, and takes over what it left.
    ///
    /// An archive that took the place of ours is restored live; what was saved and live is kept as a
    /// generation. One that cannot be used goes to quarantine as soon as nobody writes it any more, and
    /// the live state is saved again. If the archive or a folder above it was removed, and stays so, the
    /// application is reset (L4).
    ///
    /// Call it when a program has changed the file or a folder above it, and is done with it.
    public func lookAtArchive() {
        guard let hosted = settledOrLookLater() else { return }
        do throws(IOError) {
            let finding = try archive.look(closely: true)
            switch finding {
            case .removed: waitForEnd(of: .nothing)
            case .unusable(_, let status): waitForEnd(of: .unusable(status))
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
        let isKnown = saver.failure != nil
        guard archive.isChangedExternally, outsideWait == nil, isAgain || !isKnown,
            settledOrLookLater() != nil
        else { return }
        // What keeps it from being saved is told already: no command waits for that again.
        beginOutsideWait(answers: isKnown)
    }

    private func beginOutsideWait(seen: OutsideWait.Seen? = nil, answers: Bool = false) {
        lastOutsideWait += 1
        outsideWait = OutsideWait(number: lastOutsideWait, seen: seen, answers: answers)
        outsideWaits.continuation.yield()
    }

    private func waitForEnd(of seen: OutsideWait.Seen) {
        guard let wait = outsideWait else { return beginOutsideWait(seen: seen) }
        if wait.seen == seen { return }
        // What is there now has the whole time, however much of it is over for what was there before.
        beginOutsideWait(seen: seen, answers: wait.answers)
        outsideWait?.duration = wait.duration
    }

    /// The scenes, if what another program did can be decided over now; else it is looked at later.
    private func settledOrLookLater() -> HostedScenes? {
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
                outsideWait?.duration += Self.outsidePatience
                // One that has begun since has its own time.
                if outsideWait?.number == number { decideAfterWait() }
                if let wait = outsideWait, wait.duration >= Self.answerPatience {
                    answerUndecided()
                }
            }
        }
    }

    private func decideAfterWait() {
        guard let wait = outsideWait else { return }
        guard let hosted = settledOrLookLater() else {
            endOutsideWait()
            return
        }
        do throws(IOError) {
            let finding = try archive.look(closely: true)
            let seen: OutsideWait.Seen? =
                switch finding {
                case .removed: .nothing
                case .unusable(_, let status): .unusable(status)
                case .ours, .elsewhere, .replaced: nil
                }
            if let seen, wait.seen != seen {
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
        answerWithheld()
    }

    /// Commands do not wait any more for the decision, which is still to come.
    private func answerUndecided() {
        outsideWait?.answers = true
        answerWithheld()
    }

    private func answerWithheld() {
        let answers = withheldAnswers
        withheldAnswers = []
        answer(answers)
    }

    /// Whoever waits for something to be saved, or durable, is told that it is not.
    ///
    /// - Parameter reason: a sentence.
    func answerUnsaved(_ reason: String) {
        let answers = withheldAnswers + durabilityWaiters.takeAll()
        withheldAnswers = []
        for answer in answers { answer(.no(reason: reason)) }
    }

    /// Whether commands wait for a decision over what another program did.
    var withholdsAnswers: Bool { outsideWait.map { !$0.answers } ?? false }

    private func decide(_ finding: ExternalFinding, _ hosted: HostedScenes) {
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
            saver.suspend(
                "\(archive.path) is not what it was: \(reason); nothing is saved until that is undone, or the daemon restarted"
            )
        case .unusable:
            archive.quarantineOnNextWrite()
            saveAgain()
            tellIncidents()
        case .replaced(let replacing):
            takeOver(replacing, hosted)
        }
        endOutsideWait()
    }
}
