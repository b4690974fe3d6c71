import Glibc
import Logging
import NIOCore
import Synchronization
import Varlink

/// Log of refusals.
///
/// Each kind of refusal is logged at most once a minute for each user, so that no client can fill the log. Suppressed
/// refusals are counted, and their number is logged at the end of the minute.
final class RefusalLog: Sendable {
    private struct Key: Hashable {
        let refusal: Refusal
        let uid: uid_t?
    }

    private struct LoggedRefusals {
        let suppressionEnd: NIODeadline
        /// Number of suppressed refusals.
        var suppressedCount = 0
        var lastReason = ""
        var lastPeer: Peer?
    }

    /// Function that runs a closure after a delay.
    typealias Scheduler = @Sendable (TimeAmount, @escaping @Sendable () -> Void) -> Void

    private static let loggingInterval = TimeAmount.minutes(1)
    /// Number of entries that triggers the removal of expired entries without suppressed refusals.
    private static let pruningThreshold = 1000

    private let logger: Logger
    private let onRefusal: @Sendable (Refusal, String, _ isLogged: Bool) -> Void
    private let now: @Sendable () -> NIODeadline
    private let schedule: Scheduler
    private let loggedRefusals = Mutex<[Key: LoggedRefusals]>([:])

    /// Creates a log.
    ///
    /// - Parameters:
    ///   - onRefusal: Closure that receives every refusal, a sentence that describes the refusal, and whether the
    ///     refusal is logged.
    ///   - now: Closure that returns the current time.
    ///   - schedule: Function that runs a closure after a delay. It is called only while refusals are suppressed.
    init(
        _ logger: Logger,
        onRefusal: @escaping @Sendable (Refusal, String, Bool) -> Void = { _, _, _ in },
        now: @escaping @Sendable () -> NIODeadline = { .now() }, schedule: @escaping Scheduler
    ) {
        self.logger = logger
        self.onRefusal = onRefusal
        self.now = now
        self.schedule = schedule
    }

    /// Returns the number of suppressed refusals of the given kind that have not been logged yet.
    func suppressedCount(of refusal: Refusal) -> Int {
        loggedRefusals.withLock { loggedRefusals in
            loggedRefusals.filter { $0.key.refusal == refusal }.values.reduce(0) {
                $0 + $1.suppressedCount
            }
        }
    }

    /// Logs a refusal, or counts it until the end of the minute.
    ///
    /// - Parameters:
    ///   - reason: Phrase that gives the reason. It may contain text from the client.
    ///   - peer: Peer that caused the refusal, or `nil` if no particular peer did.
    func log(_ refusal: Refusal, _ reason: String, _ peer: Peer? = nil) {
        let reason = SanitizedText(reason).description
        let now = now()
        let key = Key(refusal: refusal, uid: peer?.uid)
        let (isLogged, suppressionDelay) = loggedRefusals.withLock {
            loggedRefusals -> (Bool, TimeAmount?) in
            if var earlierRefusals = loggedRefusals[key],
                earlierRefusals.suppressionEnd > now || earlierRefusals.suppressedCount > 0
            {
                earlierRefusals.suppressedCount += 1
                earlierRefusals.lastReason = reason
                earlierRefusals.lastPeer = peer
                loggedRefusals[key] = earlierRefusals
                return (
                    false,
                    earlierRefusals.suppressedCount == 1
                        ? earlierRefusals.suppressionEnd - now : nil
                )
            }
            if loggedRefusals.count >= Self.pruningThreshold {
                loggedRefusals = loggedRefusals.filter {
                    $0.value.suppressionEnd > now || $0.value.suppressedCount > 0
                }
            }
            loggedRefusals[key] = LoggedRefusals(suppressionEnd: now + Self.loggingInterval)
            return (true, nil)
        }
        let peerDescription = peer.map { " (user \($0.uid), process \($0.pid))" } ?? ""
        onRefusal(refusal, "\(refusal.sentence)\(peerDescription): \(reason)", isLogged)
        if isLogged { log(refusal, "\(refusal.sentence).", reason, peer) }
        if let suppressionDelay { schedule(suppressionDelay) { self.logSuppressedRefusals(key) } }
    }

    /// Logs the number of suppressed refusals at the end of the minute. The log entry starts another minute of
    /// suppression.
    private func logSuppressedRefusals(_ key: Key) {
        let now = now()
        let suppressedRefusals = loggedRefusals.withLock { loggedRefusals -> LoggedRefusals? in
            guard let earlierRefusals = loggedRefusals[key] else { return nil }
            loggedRefusals[key] = LoggedRefusals(suppressionEnd: now + Self.loggingInterval)
            return earlierRefusals
        }
        guard let suppressedRefusals else { return }
        log(
            key.refusal,
            "\(key.refusal.sentence): \(suppressedRefusals.suppressedCount) more within a minute.",
            suppressedRefusals.lastReason, suppressedRefusals.lastPeer)
    }

    private func log(_ refusal: Refusal, _ message: String, _ reason: String, _ peer: Peer?) {
        var metadata: Logger.Metadata = ["reason": "\(reason)"]
        if let peer {
            metadata["pid"] = "\(peer.pid)"
            metadata["uid"] = "\(peer.uid)"
        }
        logger.log(level: refusal.logLevel, "\(message)", metadata: metadata)
    }
}
