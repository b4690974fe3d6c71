import Glibc
import Logging
import NIOCore
import Synchronization
import Varlink

/// Logs what clients do wrong, and what the server does about it: each thing once a minute for each
/// user, so that nobody can fill the log. What is held back is counted, and told when the minute ends.
final class RefusalLog: Sendable {
    private struct Key: Hashable {
        let refusal: Refusal
        let uid: uid_t?
    }

    private struct Told {
        let until: NIODeadline
        /// What was held back.
        var count = 0
        var lastReason = ""
        var lastPeer: Peer?
    }

    /// Runs something when so much time has passed.
    typealias Later = @Sendable (TimeAmount, @escaping @Sendable () -> Void) -> Void

    private static let pause = TimeAmount.minutes(1)
    /// Above so many entries those are forgotten that hold nothing back any more.
    private static let mostEntries = 1000

    private let logger: Logger
    private let onRefusal: @Sendable (Refusal, String, _ isLogged: Bool) -> Void
    private let now: @Sendable () -> NIODeadline
    private let later: Later
    private let told = Mutex<[Key: Told]>([:])

    /// - Parameters:
    ///   - onRefusal: is told everything, also in a sentence, and whether that is logged.
    ///   - now: the time.
    ///   - later: is asked only while something is held back.
    init(
        _ logger: Logger,
        onRefusal: @escaping @Sendable (Refusal, String, Bool) -> Void = { _, _, _ in },
        now: @escaping @Sendable () -> NIODeadline = { .now() }, later: @escaping Later
    ) {
        self.logger = logger
        self.onRefusal = onRefusal
        self.now = now
        self.later = later
    }

    /// How often a refusal was held back since it was logged.
    func heldBack(_ refusal: Refusal) -> Int {
        told.withLock { told in
            told.filter { $0.key.refusal == refusal }.values.reduce(0) { $0 + $1.count }
        }
    }

    /// Logs a refusal, or counts it for the end of the minute.
    ///
    /// - Parameters:
    ///   - reason: a clause; may have text of the client's.
    ///   - peer: who did it; nil: nobody in particular.
    func tell(_ refusal: Refusal, _ reason: String, _ peer: Peer? = nil) {
        let reason = ForeignText(reason).description
        let now = now()
        let key = Key(refusal: refusal, uid: peer?.uid)
        let (isLogged, end) = told.withLock { told -> (Bool, TimeAmount?) in
            if var known = told[key], known.until > now || known.count > 0 {
                known.count += 1
                known.lastReason = reason
                known.lastPeer = peer
                told[key] = known
                return (false, known.count == 1 ? known.until - now : nil)
            }
            if told.count >= Self.mostEntries {
                told = told.filter { $0.value.until > now || $0.value.count > 0 }
            }
            told[key] = Told(until: now + Self.pause)
            return (true, nil)
        }
        let user = peer.map { " (user \($0.uid), process \($0.pid))" } ?? ""
        onRefusal(refusal, "\(refusal.sentence)\(user): \(reason)", isLogged)
        if isLogged { log(refusal, "\(refusal.sentence).", reason, peer) }
        if let end { later(end) { self.tellHeldBack(key) } }
    }

    /// The minute has ended; the next one begins with what is logged now.
    private func tellHeldBack(_ key: Key) {
        let now = now()
        let heldBack = told.withLock { told -> Told? in
            guard let known = told[key], known.count > 0 else { return nil }
            told[key] = Told(until: now + Self.pause)
            return known
        }
        guard let heldBack else { return }
        log(
            key.refusal, "\(key.refusal.sentence): \(heldBack.count) more within a minute.",
            heldBack.lastReason, heldBack.lastPeer)
    }

    private func log(_ refusal: Refusal, _ message: String, _ reason: String, _ peer: Peer?) {
        var metadata: Logger.Metadata = ["reason": "\(reason)"]
        if let peer {
            metadata["pid"] = "\(peer.pid)"
            metadata["uid"] = "\(peer.uid)"
        }
        logger.log(level: refusal.level, "\(message)", metadata: metadata)
    }
}
