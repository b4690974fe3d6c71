import ExactText
import Preservation
import RepriseControl

/// Event that has not been published yet.
///
/// The event's values are converted to JSON only when the event is published.
struct PendingEvent: Sendable {
    /// Kind and subject of the event.
    let subject: EventSubject
    /// Time of the event in microseconds since 1970-01-01 UTC.
    private(set) var time: Int64
    /// Changes to the object's values, keyed by name.
    private(set) var values: [String: ApplicationEvent.ChangedValue] = [:]
    /// Path of the generation that the event relates to, or `nil` if the event does not relate to a generation.
    private(set) var generation: String?
    private(set) var message: String?
    /// Approximate size of the event's values and text, in bytes.
    private(set) var byteCount: Int

    /// Creates an event from an application's event.
    init(_ event: ApplicationEvent, of application: String, time: Int64) {
        subject = EventSubject(
            kind: EventKind(event.kind), application: application, scene: event.scene,
            path: event.path)
        self.time = time
        values = event.values
        generation = event.generation
        message = event.message
        byteCount = event.byteCount + (event.message?.utf8.count ?? 0)
    }

    /// Creates an event described by a message.
    init(_ subject: EventSubject, time: Int64, message: String) {
        self.subject = subject
        self.time = time
        self.message = message
        byteCount = message.utf8.count
    }

    /// Merges a later change to the same object into this event.
    mutating func merge(_ laterEvent: PendingEvent) {
        let replacesAllValues = values.keys.allSatisfy { laterEvent.values[$0] != nil }
        values.merge(laterEvent.values) { $1 }
        byteCount = laterEvent.byteCount + (replacesAllValues ? 0 : byteCount)
        time = laterEvent.time
    }
}
