import Synchronization

/// Queue of server-sent events for one page.
///
/// The queue ends if it becomes full because the page reads too slowly. The page then reconnects and receives the whole
/// scene.
final class EventQueue: Sendable {
    /// Maximum number of queued events.
    static let maximumEvents = 64
    /// Maximum total size, in bytes, of the queued events before the last one. The last event can have any size.
    static let maximumBytes = 4 << 20

    /// Events in the format in which they are sent.
    let events: AsyncStream<[UInt8]>
    private let continuation: AsyncStream<[UInt8]>.Continuation
    /// Total size of the queued events, in bytes.
    private let waitingBytes = Mutex(0)

    /// Creates an empty queue.
    init() {
        (events, continuation) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingOldest(Self.maximumEvents))
    }

    /// Returns a server-sent event whose data is JSON without line breaks.
    static func event(_ name: String, _ json: [UInt8]) -> [UInt8] {
        Array("event: \(name)\ndata: ".utf8) + json + Array("\n\n".utf8)
    }

    /// Adds an event (see ``event(_:_:)``), or ends the queue if the limits do not permit the event.
    func send(_ name: String, _ json: [UInt8]) {
        let event = Self.event(name, json)
        let fits = waitingBytes.withLock { bytes in
            guard bytes <= Self.maximumBytes else { return false }
            bytes += event.count
            return true
        }
        guard fits, case .enqueued = continuation.yield(event) else { return finish() }
    }

    /// Records that an event has been sent.
    func didSend(_ event: [UInt8]) { waitingBytes.withLock { $0 -= event.count } }

    /// Ends the queue after the events that it contains.
    func finish() { continuation.finish() }
}
