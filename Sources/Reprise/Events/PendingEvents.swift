import ExactText
import Preservation
import RepriseControl

/// Events that have not been published yet.
///
/// Several changes to one object are merged into one event.
struct PendingEvents {
    /// Number of pending events at which all events are published immediately.
    static let maximumPendingEvents = 4096
    /// Total size of the pending events, in bytes, at which all events are published immediately.
    static let maximumPendingBytes = 1 << 20

    /// Events in the order in which they were added.
    ///
    /// An element is `nil` if a later event has replaced the event.
    private var events: [PendingEvent?] = []
    /// Index of each subject's last event, keyed by application and then by subject.
    private var lastIndices: [ExactString?: [EventSubject: Int]] = [:]
    /// Approximate total size of the pending events, in bytes.
    private var byteCount = 0
    /// Whether all events were discarded because there were more than the history can store.
    private var hasOverflowed = false

    /// Whether the events must be published immediately.
    var needsImmediatePublication: Bool {
        hasOverflowed || events.count >= Self.maximumPendingEvents
            || byteCount >= Self.maximumPendingBytes
    }

    /// Adds an event.
    mutating func add(_ event: PendingEvent) {
        if hasOverflowed { return }
        let application = event.subject.application.map { ExactString($0) }
        switch event.subject.kind {
        case .appeared, .changed: addChange(event, of: application)
        case .pass, .durable:
            if let index = lastIndices[application]?[event.subject] { remove(index) }
            // A durability event does not cover changes that follow it.
            if event.subject.kind == .durable { lastIndices[application] = nil }
            lastIndices[application, default: [:]][event.subject] = events.count
            append(event)
        default:
            // Do not merge later events into events before this one, because a path may refer to a different object
            // afterwards.
            lastIndices[application] = nil
            append(event)
        }
        if events.count > EventHistory.maximumEvents || byteCount > EventHistory.maximumBytes {
            self = PendingEvents()
            hasOverflowed = true
        }
    }

    private mutating func addChange(_ event: PendingEvent, of application: ExactString?) {
        let subject = event.subject
        let mergedSubject = EventSubject(
            kind: .changed, application: subject.application, scene: subject.scene,
            path: subject.path)
        if subject.kind == .changed, let index = lastIndices[application]?[mergedSubject],
            let previousByteCount = events[index]?.byteCount
        {
            events[index]?.merge(event)
            byteCount += (events[index]?.byteCount ?? 0) - previousByteCount
            return
        }
        lastIndices[application, default: [:]][mergedSubject] = events.count
        append(event)
    }

    private mutating func append(_ event: PendingEvent) {
        events.append(event)
        byteCount += event.byteCount
    }

    private mutating func remove(_ index: Int) {
        byteCount -= events[index]?.byteCount ?? 0
        events[index] = nil
    }

    /// Removes and returns all events.
    ///
    /// - Returns: The events, or `nil` if there were too many to store.
    mutating func popAll() -> [PendingEvent]? {
        defer { self = PendingEvents() }
        return hasOverflowed ? nil : events.compactMap(\.self)
    }
}
