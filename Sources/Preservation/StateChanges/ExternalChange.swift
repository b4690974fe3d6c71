import LinuxIO
import SavedState

/// Decides how a running application reacts to another program's change to its archive (L4, L8).
///
/// This type performs no I/O. The application passes notifications, findings and elapsed time to it, and acts on the
/// findings that it returns. If the file was removed or is unusable, the finding is returned only after it has
/// persisted for ``debounce``, because a program may be about to write the file. Replies to commands are deferred until
/// a finding is returned, for at most ``maximumReplyDelay``.
struct ExternalChange {
    /// Time for which a finding must persist before the application acts on it (L4).
    static let debounce = Duration.milliseconds(100)
    /// Maximum time for which replies are deferred, because another program may never stop writing.
    static let maximumReplyDelay = Duration.seconds(5)

    /// Change that has not been handled yet, because the other program may still be writing.
    private struct Wait {
        /// Number that identifies the change.
        let number: Int
        /// Finding of the last check, or `nil` before the first check.
        var seen: ExternalFinding?
        /// Total waiting time, including time spent on earlier findings.
        var duration = Duration.zero
        /// Whether ``ExternalChange/debounce`` has elapsed since the finding.
        var isOver = false
        /// Whether replies to commands are sent before the change is handled.
        var answers = false
    }

    /// Another program's archive that could not be loaded, and whose contents are only in memory until they are
    /// quarantined.
    struct UnquarantinedArchive {
        let archive: ReplacingArchive
        /// Phrase that states why the archive could not be loaded.
        let reason: String
        /// Error of the last attempt to quarantine the archive, or `nil` if no attempt has failed.
        var failure: IOError?
    }

    /// Whether a check was requested while changes could not be handled.
    private(set) var isCheckNeeded = false
    /// Rejected archive whose contents are only in memory, or `nil` if there is no such archive.
    var unquarantinedArchive: UnquarantinedArchive?
    private var wait: Wait?
    private var lastNumber = 0
    /// Whether a check has already caused an attempt to save since the last turn.
    ///
    /// The limit of one attempt prevents a loop: a failed attempt changes the directory, which can cause another check.
    private var hasRetried = false

    /// Number of the change that has not been handled yet, or `nil` if there is no such change.
    var waitNumber: Int? { wait?.number }

    /// Whether replies to commands are deferred until a change has been handled.
    var defersReplies: Bool { wait.map { !$0.answers } ?? false }

    // MARK: Notifications

    /// Requests a check as soon as changes can be handled.
    mutating func requireCheck() { isCheckNeeded = true }

    /// Records that the requested check has begun.
    mutating func beginCheck() { isCheckNeeded = false }

    /// Begins waiting because the application detected a change before it received a notification.
    ///
    /// The program that made the change may still be writing.
    ///
    /// - Parameter isKnown: Whether a failure to save is already reported. In this case, replies are not deferred.
    mutating func noticed(isKnown: Bool) {
        if wait == nil { begin(seen: nil, answers: isKnown) }
    }

    /// Records the beginning of a turn, which attempts to save regardless of any check.
    mutating func turnBegan() { hasRetried = false }

    /// Returns whether a check may cause an attempt to save. Between two turns, only the first call returns `true`.
    mutating func mayRetry() -> Bool {
        defer { hasRetried = true }
        return !hasRetried
    }

    // MARK: Findings

    /// Records the finding of a check.
    ///
    /// - Returns: The finding if the application must act on it now, or `nil` if the check must be repeated after
    ///   ``debounce``.
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
            // A new finding gets a full waiting time, regardless of the time spent on the earlier finding.
            begin(seen: finding, answers: wait?.answers ?? false, after: wait?.duration ?? .zero)
        }
        return nil
    }

    /// Records that ``debounce`` has elapsed since a finding.
    ///
    /// - Returns: Whether the check must be repeated now. A newer finding has its own waiting time.
    mutating func waited(for number: Int) -> Bool {
        wait?.duration += Self.debounce
        let isOver = wait?.number == number
        wait?.isOver = isOver
        return isOver
    }

    /// Permits replies that have been deferred for too long to be sent.
    mutating func limitWait() {
        if let wait, wait.duration >= Self.maximumReplyDelay { self.wait?.answers = true }
    }

    /// Stops waiting, because the change has been handled.
    mutating func end() { wait = nil }

    private mutating func begin(
        seen: ExternalFinding?, answers: Bool, after duration: Duration = .zero
    ) {
        lastNumber += 1
        wait = Wait(number: lastNumber, seen: seen, duration: duration, answers: answers)
    }
}

extension ExternalFinding {
    /// Whether the application acts on the finding only after it has persisted.
    ///
    /// Another program may still be about to write the file.
    fileprivate var hasToLast: Bool {
        switch self {
        case .removed, .unusable: true
        case .ours, .elsewhere, .replaced: false
        }
    }
}
