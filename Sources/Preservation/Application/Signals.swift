import SavedState
import StateRestoration

/// Signal that wakes one task when there is work to do. Events that are sent while the task is busy are
/// delivered afterwards.
struct Signal<Event: Sendable>: Sendable {
    /// The most recent events that were sent. Only one task may consume them.
    let events: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation

    /// - Parameter limit: Maximum number of events that are buffered while the task is busy.
    init(keeping limit: Int = 1) {
        (events, continuation) = AsyncStream.makeStream(
            of: Event.self, bufferingPolicy: .bufferingNewest(limit))
    }

    /// Sends an event.
    func send(_ event: Event) { continuation.yield(event) }

    /// Ends the stream of events.
    func finish() { continuation.finish() }
}

extension Signal where Event == Void {
    /// Sends an event.
    func send() { send(()) }
}

/// Signals for the loops of an application's service.
struct Signals: Sendable {
    /// The status may have changed.
    let changed = Broadcast()
    /// The phase, the number of launched scenes, or whether everything is saved may have changed.
    let healthChanged = Broadcast()
    /// A turn may have changed a scene, or scenes were launched, closed or replaced.
    let turns = Broadcast()
    /// Scenes must be launched while the application runs (S3).
    let launches = Signal<Void>()
    /// A scene has extended its restoration, so the launch timeout starts (R13).
    let extended = Signal<RestorationIdentifier>(keeping: 16)
    /// A change by another program waits for a decision (L4).
    let externalWait = Signal<Void>()
    /// Written state must be made durable.
    let sync = Signal<Void>()
    /// A step of a compaction must be run.
    let compaction = Signal<CompactionJob>()

    /// Reports that the status may have changed in more than its durability.
    func sendChanged() {
        changed.send()
        healthChanged.send()
    }
}
