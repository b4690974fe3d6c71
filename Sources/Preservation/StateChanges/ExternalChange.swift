import LinuxIO
import SavedState

/// Decides how a running application reacts to another program's change of its archive (L4, L8).
///
/// This type performs no I/O. The application reports notifications, findings and elapsed time to it, and
/// acts on the findings that it returns. The finding that the file was removed or is unusable is returned
/// only after it has persisted for ``debounce``, because a program may be about to write the file. Replies to
/// commands are deferred until the decision, for at most ``maximumReplyDelay``.
struct ExternalChange {
    /// Time for which a finding must persist before the application acts on it (L4).
    static let debounce = Duration.milliseconds(100)
    /// Maximum time for which replies are deferred, because another program may write endlessly.
    static let maximumReplyDelay = Duration.seconds(5)

    /// A change that is not decided yet, because the other program may not have finished.
    private struct Wait {
        /// Number that identifies this change.
        let number: Int
        /// Finding of the last check, or `nil` before the first check.
        var seen: ExternalFinding?
        /// Total time spent waiting for the decision, including time spent on earlier findings.
        var duration = Duration.zero
        /// Whether ``ExternalChange/debounce`` has passed since the finding.
        var isOver = false
        /// Whether replies to commands are sent before the decision.
        var answers = false
    }

    /// Another program's archive that could not be loaded, and that exists only in memory until it is in
    /// quarantine.
    struct UnquarantinedArchive {
        let archive: ReplacingArchive
        /// Phrase that says why the archive could not be loaded.
        let reason: String
        /// Error of the last attempt to quarantine the archive, or `nil` if there was no such error.
        var failure: IOError?
    }

    /// Whether a check was requested while no decision was possible.
    private(set) var isCheckNeeded = false
    /// An archive that exists only in memory, or `nil` if there is none.
    var unquarantinedArchive: UnquarantinedArchive?
    private var wait: Wait?
    private var lastNumber = 0
    /// Whether a check has caused another attempt to save since the last turn.
    ///
    /// The limit of one attempt prevents a loop: a failed attempt changes the directory, which may cause the
    /// next check.
    private var hasRetried = false

    /// Number of the undecided change, or `nil` if there is none.
    var waitNumber: Int? { wait?.number }

    /// Whether replies to commands are deferred until a decision.
    var defersReplies: Bool { wait.map { !$0.answers } ?? false }

    // MARK: Notifications

    /// Requests a check, to be made as soon as a decision is possible.
    mutating func requireCheck() { isCheckNeeded = true }

    /// Records that the requested check begins.
    mutating func beginCheck() { isCheckNeeded = false }

    /// Begins to wait because the application itself noticed a change, before any notification arrived.
    ///
    /// The program that made the change may not have finished.
    ///
    /// - Parameter isKnown: Whether it is already known that nothing can be saved; in that case replies are
    ///   not deferred again.
    mutating func noticed(isKnown: Bool) {
        if wait == nil { begin(seen: nil, answers: isKnown) }
    }

    /// Records the beginning of a turn, which attempts to save independently of any check.
    mutating func turnBegan() { hasRetried = false }

    /// Whether a check may cause an attempt to save, which it may do once between two turns.
    mutating func mayRetry() -> Bool {
        defer { hasRetried = true }
        return !hasRetried
    }

    // MARK: Findings

    /// Records the finding of a check.
    ///
    /// - Returns: The finding if the application must act on it, or `nil` if the finding must persist and the
    ///   check is repeated after ``debounce``.
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
            // A new finding gets the full waiting time, however long the earlier finding was waited for.
            begin(seen: finding, answers: wait?.answers ?? false, after: wait?.duration ?? .zero)
        }
        return nil
    }

    /// Records that ``debounce`` has passed since a finding.
    ///
    /// - Returns: Whether the check must be repeated now; a newer finding has a waiting time of its own.
    mutating func waited(for number: Int) -> Bool {
        wait?.duration += Self.debounce
        let isOver = wait?.number == number
        wait?.isOver = isOver
        return isOver
    }

    /// Lets replies be sent if they were deferred for too long.
    mutating func limitWait() {
        if let wait, wait.duration >= Self.maximumReplyDelay { self.wait?.answers = true }
    }

    /// Ends the wait for a decision.
    mutating func end() { wait = nil }

    private mutating func begin(
        seen: ExternalFinding?, answers: Bool, after duration: Duration = .zero
    ) {
        lastNumber += 1
        wait = Wait(number: lastNumber, seen: seen, duration: duration, answers: answers)
    }
}

extension ExternalFinding {
    /// Whether the application acts on the finding only after it has persisted, because a program may be
    /// about to write.
    fileprivate var hasToLast: Bool {
        switch self {
        case .removed, .unusable: true
        case .ours, .elsewhere, .replaced: false
        }
    }
}
