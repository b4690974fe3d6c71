import NIOCore
import RepriseControl

/// Most recent events, with their numbers.
struct EventHistory {
    /// Event that is encoded once for all clients that receive it.
    struct Entry: Sendable {
        let number: Int
        /// Kind and subject of the event. Only the reply contains the event's values.
        let subject: EventSubject
        /// Reply with the event, as one JSON object.
        let reply: [UInt8]
    }

    /// Events that follow a number.
    enum Following {
        /// The next events. More events may follow them.
        case events([Entry])
        /// No events yet.
        case none
        /// The following events are no longer stored, or never were.
        case gone
    }

    /// Maximum number of stored events.
    static let maximumEvents = 10_000
    /// Maximum total size of the stored replies, in bytes. The newest reply may exceed it.
    static let maximumBytes = 16 << 20
    /// Maximum number of events that are returned together.
    static let maximumBatch = 256
    /// Maximum total size of events that are returned together, in bytes. The first event may exceed it.
    static let maximumBatchBytes = 64 << 10

    private var entries = CircularBuffer<Entry>()
    private var bytes = 0
    /// Number of the newest event, whether or not the event is still stored.
    private(set) var last = 0

    /// Removes all events and skips a number, so that later events do not appear to follow the removed events.
    mutating func restart() {
        entries = CircularBuffer()
        bytes = 0
        last += 1
    }

    /// Stores an event under the next number.
    mutating func append(_ subject: EventSubject, reply: [UInt8]) {
        last += 1
        entries.append(Entry(number: last, subject: subject, reply: reply))
        bytes += reply.count
        while entries.count > Self.maximumEvents || bytes > Self.maximumBytes && entries.count > 1 {
            bytes -= entries.removeFirst().reply.count
        }
    }

    /// Returns the events after the event with a number.
    func events(after number: Int) -> Following {
        if number == last { return .none }
        guard let first = entries.first?.number, number >= first - 1, number < last else {
            return .gone
        }
        var bytes = 0
        var together = Array(entries.dropFirst(number - first + 1).prefix(Self.maximumBatch))
        let maximum = together.firstIndex { entry in
            bytes += entry.reply.count
            return bytes > Self.maximumBatchBytes
        }
        if let maximum { together.removeSubrange(max(maximum, 1)...) }
        return .events(together)
    }
}
