import NIOCore
import RepriseControl

/// The newest events, numbered, as far as they are remembered.
struct EventHistory {
    /// An event, encoded once for all who get it.
    struct Entry: Sendable {
        let number: Int
        /// What it is about; its values are in the reply alone.
        let subject: EventSubject
        /// The reply that tells of it: one JSON object.
        let reply: [UInt8]
    }

    /// What there is behind an event.
    enum Following {
        /// These, and mostly others behind them.
        case events([Entry])
        /// Nothing yet.
        case none
        /// What came next is not remembered, or never was.
        case gone
    }

    /// The most events that are remembered.
    static let mostEvents = 10_000
    /// The most bytes that their replies have together, but for the last one.
    static let mostBytes = 16 << 20
    /// The most events that are handed out together.
    static let mostTogether = 256
    /// The most bytes that are handed out together, but for the first event.
    static let mostBytesTogether = 64 << 10

    private var entries = CircularBuffer<Entry>()
    private var bytes = 0
    /// The number of the newest event; those before the first have numbers too.
    private(set) var last = 0

    /// Forgets all events, so that nobody takes what comes next for what follows them.
    mutating func restart() {
        entries = CircularBuffer()
        bytes = 0
        last += 1
    }

    /// Remembers an event, which gets the next number.
    mutating func append(_ subject: EventSubject, reply: [UInt8]) {
        last += 1
        entries.append(Entry(number: last, subject: subject, reply: reply))
        bytes += reply.count
        while entries.count > Self.mostEvents || bytes > Self.mostBytes && entries.count > 1 {
            bytes -= entries.removeFirst().reply.count
        }
    }

    /// What comes after the event with a number.
    func events(after number: Int) -> Following {
        if number == last { return .none }
        guard let first = entries.first?.number, number >= first - 1, number < last else {
            return .gone
        }
        var bytes = 0
        var together = Array(entries.dropFirst(number - first + 1).prefix(Self.mostTogether))
        let most = together.firstIndex { entry in
            bytes += entry.reply.count
            return bytes > Self.mostBytesTogether
        }
        if let most { together.removeSubrange(max(most, 1)...) }
        return .events(together)
    }
}
