import LinuxIO
import SavedState

/// What another program may have done to the archive of a running application, and what follows
/// from it (L4, L8).
///
/// Pure: the application tells what it was told, what it found and how long it waited, and does
/// what follows from the findings that count. A removal, and a file that cannot be used, count when
/// they have stayed for ``patience``: a program may be about to write. Commands are not answered
/// before the decision, but for ``answerPatience`` at most.
struct ExternalChange {
    /// How long what was found may change before it counts (L4).
    static let patience = Duration.milliseconds(100)
    /// How long commands wait for a decision: a program may write for ever.
    static let answerPatience = Duration.seconds(5)

    /// A change that is not decided yet, because who made it may not be done.
    private struct Wait {
        /// Tells it from those before.
        let number: Int
        /// The finding of the last look; nil before the first.
        var seen: ExternalFinding?
        /// How long the decision has been waited for, what was seen before included.
        var duration = Duration.zero
        /// Whether ``ExternalChange/patience`` has passed since the finding.
        var isOver = false
        /// Whether commands are answered all the same.
        var answers = false
    }

    /// Another program's archive that could not be taken over, and is in memory alone until it is
    /// in quarantine.
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
    /// Whether a look has led to another attempt to save since the last turn: one that fails may
    /// bring about the next look, by the names that it changed.
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
    /// - Parameter isKnown: whether it is told already that nothing can be saved; no command waits
    ///   for that again.
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

    /// A look has found something.
    ///
    /// - Returns: what counts of it; nil: it has to last, and is looked at again after
    ///   ``patience``.
    mutating func found(_ finding: ExternalFinding) -> ExternalFinding? {
        let isOver = wait?.isOver ?? false
        wait?.isOver = false
        if !finding.hasToLast || isOver && wait?.seen == finding {
            end()
            return finding
        }
        if isOver {
            wait?.seen = finding
        } else if wait?.seen != finding {
            // What is there now has the whole time, however much was given to what was there
            // before.
            begin(seen: finding, answers: wait?.answers ?? false, after: wait?.duration ?? .zero)
        }
        return nil
    }

    /// ``patience`` has passed since a finding.
    ///
    /// - Returns: whether it has to be looked at now: another one has a time of its own.
    mutating func waited(for number: Int) -> Bool {
        wait?.duration += Self.patience
        let isOver = wait?.number == number
        wait?.isOver = isOver
        return isOver
    }

    /// Lets commands be answered if they have waited for too long.
    mutating func limitWait() {
        if let wait, wait.duration >= Self.answerPatience { self.wait?.answers = true }
    }

    /// Nothing is waited for any more.
    mutating func end() { wait = nil }

    private mutating func begin(
        seen: ExternalFinding?, answers: Bool, after duration: Duration = .zero
    ) {
        lastNumber += 1
        wait = Wait(number: lastNumber, seen: seen, duration: duration, answers: answers)
    }
}

extension ExternalFinding {
    /// Whether it counts only when it has stayed the same for a while: a program may be about to
    /// write.
    fileprivate var hasToLast: Bool {
        switch self {
        case .removed, .unusable: true
        case .ours, .elsewhere, .replaced: false
        }
    }
}
