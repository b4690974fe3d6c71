import NIOCore
import RepriseControl

/// Numbered history of the most recent events.
struct EventHistory {
    /// Stored event. It is encoded once for all clients.
    struct Entry: Sendable {
        let number: Int
        /// Kind and subject of the event.
        ///
        /// Only the reply contains the event's values.
        let subject: EventSubject
        /// Reply that contains the event, as one JSON object.
        let reply: [UInt8]
    }

    /// Result of a request for the events after a given number.
    enum BatchResult {
        /// The next events, which may be followed by more.
        case events([Entry])
        /// There are no later events yet.
        case noEvents
        /// The next events are no longer stored, or have never existed.
        case eventsGone
    }

    /// Maximum number of stored events.
    static let maximumEvents = 10_000
    /// Maximum total size of the stored replies, in bytes.
    ///
    /// The newest reply may exceed this size by itself.
    static let maximumBytes = 16 << 20
    /// Maximum number of events in one result.
    static let maximumBatchEvents = 256
    /// Maximum total size of the events in one result, in bytes.
    ///
    /// The first event may exceed this size by itself.
    static let maximumBatchBytes = 64 << 10

    private var entries = CircularBuffer<Entry>()
    /// Total size of the stored replies, in bytes.
    private var byteCount = 0
    /// Number of the newest event, even if the event is no longer stored.
    private(set) var lastNumber = 0

    /// Removes all events and skips one number, so that later events do not appear to follow the removed events.
    mutating func restart() {
        entries = CircularBuffer()
        byteCount = 0
        lastNumber += 1
    }

    /// Stores an event under the next number.
    mutating func append(_ subject: EventSubject, reply: [UInt8]) {
        lastNumber += 1
        entries.append(Entry(number: lastNumber, subject: subject, reply: reply))
        byteCount += reply.count
        while entries.count > Self.maximumEvents
            || byteCount > Self.maximumBytes && entries.count > 1
        {
            byteCount -= entries.removeFirst().reply.count
        }
    }

    /// Returns the events that follow the event with the given number.
    func events(after number: Int) -> BatchResult {
        if number == lastNumber { return .noEvents }
        guard let firstNumber = entries.first?.number, number >= firstNumber - 1,
            number < lastNumber
        else {
            return .eventsGone
        }
        var batchByteCount = 0
        var batch = Array(
            entries.dropFirst(number - firstNumber + 1).prefix(Self.maximumBatchEvents))
        let endIndex = batch.firstIndex { entry in
            batchByteCount += entry.reply.count
            return batchByteCount > Self.maximumBatchBytes
        }
        if let endIndex { batch.removeSubrange(max(endIndex, 1)...) }
        return .events(batch)
    }
}
