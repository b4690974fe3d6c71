import LinuxIO
import SavedState

/// What another program may have done to the archive of a running application, and what follows from it
/// (L4, L8).
///
/// Pure: the application tells what it was told, what it found and how long it waited, and does what is
/// decided. A removal, and a file that cannot be used, count when they have stayed for ``patience``: a
/// program may be about to write. Commands are not answered before the decision, but for
/// ``answerPatience`` at most.
struct ExternalChange {
    /// How long what was found may change before it counts (L4).
    static let patience = Duration.milliseconds(100)
    /// How long commands wait for a decision: a program may write for ever.
    static let answerPatience = Duration.seconds(5)

    /// The application's next step.
    enum Decision: Equatable {
        /// Nothing before the next look, after ``ExternalChange/patience``.
        case wait
        /// The archive is its own: what could not be saved may be tried again.
        case proceed
        /// Nothing can be saved where the archive was, for this reason, a clause.
        case suspend(reason: String)
        /// What lies there goes to quarantine, and the live state is saved anew.
        case quarantine
        /// The state of another archive is restored live.
        case adopt(ReplacingArchive)
        /// What was saved is gone: the application is reset.
        case reset
    }

    /// A finding that has to last before it counts.
    private enum Seen: Equatable {
        case nothing
        case unusable(FileFingerprint)

        /// Nil if the finding needs no wait.
        init?(_ finding: ExternalFinding) {
            switch finding {
            case .removed: self = .nothing
            case .unusable(_, let status): self = .unusable(status)
            case .ours, .elsewhere, .replaced: return nil
            }
        }
    }

    /// A change that is not decided yet, because who made it may not be done.
    private struct Wait {
        /// Tells it from those before.
        let number: Int
        /// The finding of the last look; nil before the first.
        var seen: Seen?
        /// How long the decision has been waited for, what was seen before included.
        var duration = Duration.zero
        /// Whether commands are answered all the same.
        var answers = false
    }

    /// Another program's archive that could not be taken over, and is in memory alone until it is in
    /// quarantine.
    struct Unkept {
        let archive: ReplacingArchive
        /// Why it could not be taken over; a clause.
        let reason: String
        /// Error of the last attempt to put it into quarantine, if there was one.
        var failure: IOError?
    }

    /// Whether there was something to look at when nothing could be decided.
    private(set) var isLookNeeded = false
    /// An archive that is in memory alone, if there is one.
    var unkept: Unkept?
    private var wait: Wait?
    private var lastNumber = 0
    /// Whether a look has led to another attempt to save since the last turn: one that fails may bring
    /// about the next look, by the names that it changed.
    private var hasRetried = false

    /// The number of the change that is waited for; nil: none is.
    var waitNumber: Int? { wait?.number }

    /// Whether commands wait for a decision.
    var isWithholding: Bool { wait.map { !$0.answers } ?? false }

    // MARK: Told

    /// A look is needed as soon as something can be decided.
    mutating func requireLook() { isLookNeeded = true }

    /// Something can be decided now, and the archive is looked at.
    mutating func beginLook() { isLookNeeded = false }

    /// A change was noticed before anybody told of it: who made it may not be done with it.
    ///
    /// - Parameter isKnown: whether it is told already that nothing can be saved; no command waits for
    ///   that again.
    mutating func noticed(isKnown: Bool) {
        if wait == nil { begin(seen: nil, answers: isKnown) }
    }

    /// A turn begins, whose attempt to save counts for itself.
    mutating func turnBegan() { hasRetried = false }

    /// Whether a look may lead to an attempt to save; it does so once between two turns.
    mutating func mayRetry() -> Bool {
        defer { hasRetried = true }
        return !hasRetried
    }

    // MARK: Looked

    /// Decides over what was found by a look that somebody asked for.
    mutating func found(_ finding: ExternalFinding) -> Decision {
        guard let seen = Seen(finding) else { return decide(finding) }
        if let wait {
            if wait.seen == seen { return .wait }
            // What is there now has the whole time, however much was given to what was there before.
            begin(seen: seen, answers: wait.answers, after: wait.duration)
        } else {
            begin(seen: seen, answers: false)
        }
        return .wait
    }

    /// The time is over that a change was given.
    ///
    /// - Returns: whether it has to be looked at now: another one has a time of its own.
    mutating func waited(for number: Int) -> Bool {
        wait?.duration += Self.patience
        return wait?.number == number
    }

    /// Decides over what was found after the wait.
    mutating func foundAfterWait(_ finding: ExternalFinding) -> Decision {
        guard let seen = Seen(finding) else { return decide(finding) }
        if wait?.seen != seen {
            wait?.seen = seen
            return .wait
        }
        end()
        return seen == .nothing ? .reset : .quarantine
    }

    /// Lets commands be answered if they have waited for too long.
    mutating func limitWait() {
        if let wait, wait.duration >= Self.answerPatience { self.wait?.answers = true }
    }

    /// Nothing is waited for any more.
    mutating func end() { wait = nil }

    private mutating func decide(_ finding: ExternalFinding) -> Decision {
        end()
        return switch finding {
        case .ours: .proceed
        case .elsewhere(let reason): .suspend(reason: reason)
        case .replaced(let replacing): .adopt(replacing)
        case .removed: .reset
        case .unusable: .quarantine
        }
    }

    private mutating func begin(seen: Seen?, answers: Bool, after duration: Duration = .zero) {
        lastNumber += 1
        wait = Wait(number: lastNumber, seen: seen, duration: duration, answers: answers)
    }
}
