import Synchronization

/// Queue of server-sent events that wait until a page receives them.
///
/// The queue ends if a page reads so slowly that too many events wait. The page then connects again, and receives the
/// whole scene.
final class EventQueue: Sendable {
    /// Maximum number of events that wait.
    static let maximumEvents = 64
    /// Maximum size of the events that wait before the last one, in bytes. The last event can have any size.
    static let maximumBytes = 4 << 20

    /// Events in the format in which they are sent.
    let events: AsyncStream<[UInt8]>
    private let continuation: AsyncStream<[UInt8]>.Continuation
    /// Size of the events that wait, in bytes.
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

    /// Records that an event no longer waits.
    func didSend(_ event: [UInt8]) { waitingBytes.withLock { $0 -= event.count } }

    /// Ends the queue after the events that wait.
    func finish() { continuation.finish() }
}
