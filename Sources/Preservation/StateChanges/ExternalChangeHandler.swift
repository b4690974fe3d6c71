import LinuxIO
import SavedState

/// State machine that decides how a running application reacts when another program changes its archive (L4, L8).
///
/// This type performs no I/O. The application reports notifications, elapsed time and the results (findings) of its
/// checks, and acts on each finding that this type returns. If a check finds that the file was removed or is unusable,
/// the other program may still be about to write the file. Such a finding is returned only after a second check, made
/// after ``debounce``, has confirmed it. Replies to commands are deferred until a finding is returned, for at most
/// ``maximumReplyDelay``.
struct ExternalChangeHandler {
    /// Time after which a check is repeated to confirm a finding (L4).
    static let debounce = Duration.milliseconds(100)
    /// Maximum time for which replies are deferred, in case another program never stops writing.
    static let maximumReplyDelay = Duration.seconds(5)

    /// Change that has not been handled yet, because the other program may still be writing.
    private struct PendingChange {
        /// Number that identifies the change.
        let number: Int
        /// Finding from the last check, or `nil` before the first check.
        var finding: ExternalCheckResult?
        /// Total waiting time, including the time spent on earlier findings.
        var waitingTime = Duration.zero
        /// Whether ``ExternalChangeHandler/debounce`` has elapsed since the finding.
        var isDebounced = false
        /// Whether replies to commands are sent before the change is handled.
        var sendsReplies = false
    }

    /// Another program's archive that could not be loaded. Its contents exist only in memory until they are
    /// quarantined.
    struct UnquarantinedArchive {
        let archive: ReplacementArchive
        /// Phrase that states why the archive could not be loaded.
        let reason: String
        /// Error from the last attempt to quarantine the archive, or `nil` if no attempt has failed.
        var failure: IOError?
    }

    /// Whether a check has been requested but has not begun.
    private(set) var isCheckNeeded = false
    /// Rejected archive whose contents are only in memory, or `nil` if there is no such archive.
    var unquarantinedArchive: UnquarantinedArchive?
    private var pendingChange: PendingChange?
    private var lastChangeNumber = 0
    /// Whether a check has already caused a retry of a failed save since the last turn began.
    ///
    /// The limit of one retry prevents a loop: a failed retry changes the directory, which can cause another check.
    private var hasRetriedSave = false

    /// Number of the change that has not been handled yet, or `nil` if no change is pending.
    var pendingChangeNumber: Int? { pendingChange?.number }

    /// Whether replies to commands are deferred until a change has been handled.
    var defersReplies: Bool { pendingChange.map { !$0.sendsReplies } ?? false }

    // MARK: Notifications

    /// Requests a check. The check is made as soon as changes can be handled.
    mutating func requireCheck() { isCheckNeeded = true }

    /// Records that the requested check has begun.
    mutating func didBeginCheck() { isCheckNeeded = false }

    /// Begins waiting, because the application detected a change before a notification arrived.
    ///
    /// The program that made the change may still be writing.
    ///
    /// - Parameter isFailureReported: Whether a failure to save has already been reported. If `true`, replies are not
    ///   deferred.
    mutating func didDetectChange(isFailureReported: Bool) {
        if pendingChange == nil { beginWaiting(finding: nil, sendsReplies: isFailureReported) }
    }

    /// Records that a turn has begun. A check may then cause another retry of a failed save.
    mutating func turnDidBegin() { hasRetriedSave = false }

    /// Returns whether a check may cause a retry of a failed save. Between two turns, only the first call returns
    /// `true`.
    mutating func claimRetry() -> Bool {
        defer { hasRetriedSave = true }
        return !hasRetriedSave
    }

    // MARK: Findings

    /// Records the finding from a check.
    ///
    /// - Returns: The finding if the application must act on it now, or `nil` if the check must be repeated after
    ///   ``debounce``.
    mutating func recordFinding(_ finding: ExternalCheckResult) -> ExternalCheckResult? {
        let isDebounced = pendingChange?.isDebounced ?? false
        pendingChange?.isDebounced = false
        if !finding.requiresConfirmation || isDebounced && pendingChange?.finding == finding {
            endWaiting()
            return finding
        }
        if isDebounced {
            pendingChange?.finding = finding
        } else if pendingChange?.finding != finding {
            // A new finding gets a full waiting time, regardless of the time spent on the earlier finding.
            beginWaiting(
                finding: finding, sendsReplies: pendingChange?.sendsReplies ?? false,
                after: pendingChange?.waitingTime ?? .zero)
        }
        return nil
    }

    /// Records that ``debounce`` has elapsed since a finding.
    ///
    /// - Returns: Whether the check must be repeated now. A newer finding has its own waiting time.
    mutating func debounceDidElapse(for number: Int) -> Bool {
        pendingChange?.waitingTime += Self.debounce
        let isDebounced = pendingChange?.number == number
        pendingChange?.isDebounced = isDebounced
        return isDebounced
    }

    /// Stops deferring replies if ``maximumReplyDelay`` has elapsed.
    mutating func limitReplyDelay() {
        if let pendingChange, pendingChange.waitingTime >= Self.maximumReplyDelay {
            self.pendingChange?.sendsReplies = true
        }
    }

    /// Stops waiting, because the change has been handled.
    mutating func endWaiting() { pendingChange = nil }

    private mutating func beginWaiting(
        finding: ExternalCheckResult?, sendsReplies: Bool, after waitingTime: Duration = .zero
    ) {
        lastChangeNumber += 1
        pendingChange = PendingChange(
            number: lastChangeNumber, finding: finding, waitingTime: waitingTime,
            sendsReplies: sendsReplies)
    }
}

extension ExternalCheckResult {
    /// Whether a second check must confirm the finding before the application acts on it.
    ///
    /// Another program may still be about to write the file.
    fileprivate var requiresConfirmation: Bool {
        switch self {
        case .removed, .unusable: true
        case .unchanged, .unreachable, .replaced: false
        }
    }
}
