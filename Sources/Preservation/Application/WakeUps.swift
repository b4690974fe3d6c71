import SavedState
import StateRestoration

/// Signal that wakes a single task when there is work to do.
///
/// Events that are sent while the task is busy are buffered, up to a limit.
struct WakeUp<Event: Sendable>: Sendable {
    /// Stream of the most recently sent events. Only one task may consume it.
    let events: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation

    /// Creates a signal.
    ///
    /// - Parameter limit: The maximum number of events that are buffered while the task is busy.
    init(bufferingNewest limit: Int = 1) {
        (events, continuation) = AsyncStream.makeStream(
            of: Event.self, bufferingPolicy: .bufferingNewest(limit))
    }

    /// Sends an event.
    func send(_ event: Event) { continuation.yield(event) }

    /// Finishes the stream of events.
    func finish() { continuation.finish() }
}

extension WakeUp where Event == Void {
    /// Sends an event.
    func send() { send(()) }
}

/// Signals that wake the tasks of an application's service.
struct WakeUps: Sendable {
    /// Signal that the status may have changed.
    let statusChange = Broadcast()
    /// Signal that the health may have changed: the phase, the number of launched scenes, or whether everything is
    /// saved.
    let healthChange = Broadcast()
    /// Signal that a turn may have changed a scene, or that scenes have been launched, closed or replaced.
    let sceneChange = Broadcast()
    /// Signal that deferred scenes must be launched while the application is running (S3).
    let deferredLaunch = WakeUp<Void>()
    /// Signal that starts the launch timeout, because a scene has extended its restoration (R13).
    let extendedRestoration = WakeUp<RestorationIdentifier>(bufferingNewest: 16)
    /// Signal that a change by another program is waiting to be handled (L4).
    let externalChange = WakeUp<Void>()
    /// Signal that a step of a compaction must run.
    let compactionRequest = WakeUp<CompactionJob>()

    /// Signals that the status, and not only its durability level, may have changed.
    func sendStatusChange() {
        statusChange.send()
        healthChange.send()
    }
}
