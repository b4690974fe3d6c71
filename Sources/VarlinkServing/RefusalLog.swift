import Glibc
import Logging
import NIOCore
import Synchronization
import Varlink

/// Logs what clients do wrong, and what the server does about it: each thing once a minute for each
/// user, so that nobody can fill the log.
final class RefusalLog: Sendable {
    private struct Key: Hashable {
        let message: String
        let uid: uid_t?
    }

    private struct Told {
        let until: NIODeadline
        var count = 0
    }

    private static let pause = TimeAmount.minutes(1)
    /// Above so many entries those are forgotten that hold nothing back any more.
    private static let mostEntries = 1000

    private let logger: Logger
    private let onRefusal: @Sendable (String, _ isLogged: Bool) -> Void
    private let now: @Sendable () -> NIODeadline
    private let told = Mutex<[Key: Told]>([:])

    /// - Parameters:
    ///   - onRefusal: is told everything, in a sentence, and whether that is logged.
    ///   - now: the time.
    init(
        _ logger: Logger, onRefusal: @escaping @Sendable (String, Bool) -> Void = { _, _ in },
        now: @escaping @Sendable () -> NIODeadline = { .now() }
    ) {
        self.logger = logger
        self.onRefusal = onRefusal
        self.now = now
    }

    /// How often a message was held back since it was told.
    func heldBack(_ message: String) -> Int {
        told.withLock { told in
            told.filter { $0.key.message == message }.values.reduce(0) { $0 + $1.count }
        }
    }

    /// Logs a message, or only counts it for the next one.
    ///
    /// - Parameters:
    ///   - message: what happened, without a full stop.
    ///   - peer: who did it; nil: nobody in particular.
    func tell(
        _ message: String, _ reason: String, _ peer: Peer? = nil, level: Logger.Level = .notice
    ) {
        let now = now()
        let key = Key(message: message, uid: peer?.uid)
        let heldBack: Int? = told.withLock { told in
            if let known = told[key], known.until > now {
                told[key]?.count += 1
                return nil
            }
            if told.count >= Self.mostEntries { told = told.filter { $0.value.until > now } }
            let count = told[key]?.count ?? 0
            told[key] = Told(until: now + Self.pause)
            return count
        }
        let user = peer.map { " (user \($0.uid), process \($0.pid))" } ?? ""
        onRefusal("\(message)\(user): \(reason)", heldBack != nil)
        guard let heldBack else { return }
        var metadata: Logger.Metadata = ["reason": "\(reason)"]
        if let peer {
            metadata["pid"] = "\(peer.pid)"
            metadata["uid"] = "\(peer.uid)"
        }
        if heldBack > 0 { metadata["before"] = "\(heldBack)" }
        logger.log(level: level, "\(message).", metadata: metadata)
    }
}
