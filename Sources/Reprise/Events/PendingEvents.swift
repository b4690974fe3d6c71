import ExactText
import Preservation
import RepriseControl

/// Event waiting to be published. Its values are converted to JSON only when the event is published.
struct PendingEvent: Sendable {
    /// Kind and subject of the event.
    let subject: EventSubject
    /// Time of the event in microseconds since 1970-01-01 UTC.
    private(set) var time: Int64
    private(set) var values: [String: ApplicationEvent.ChangedValue] = [:]
    private var generation: String?
    private var message: String?
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

    /// Merges a later change to the same object into the event.
    fileprivate mutating func merge(_ later: PendingEvent) {
        let isReplaced = values.keys.allSatisfy { later.values[$0] != nil }
        values.merge(later.values) { $1 }
        byteCount = later.byteCount + (isReplaced ? 0 : byteCount)
        time = later.time
    }

    /// The event as clients receive it.
    var clientEvent: Event {
        var event = Event()
        event.time = rfc3339String(time)
        event.kind = subject.kind
        event.application = subject.application
        event.scene = subject.scene
        event.path = subject.path
        event.generation = generation
        event.message = message
        var whole: [String: StateJSON] = [:]
        var large: [String: Int] = [:]
        var removed: [String] = []
        for (key, change) in values {
            switch change {
            case .value(let value): whole[key] = StateJSON(value)
            case .large(let bytes): large[key] = bytes
            case .removed: removed.append(key)
            }
        }
        event.values = whole.isEmpty ? nil : whole
        event.large = large.isEmpty ? nil : large
        event.removed = removed.isEmpty ? nil : removed.sorted()
        return event
    }
}

/// Events waiting to be published. Several changes to one object are merged into one event.
struct PendingEvents {
    /// Number of pending events at which all of them are published immediately.
    static let maximumPending = 4096
    /// Total size of the pending events, in bytes, at which all of them are published immediately.
    static let maximumPendingBytes = 1 << 20

    /// Events in the order in which they were added. An event that a later event has replaced is `nil`.
    private var events: [PendingEvent?] = []
    /// Index of each subject's last event, keyed by application and then by subject.
    private var lastIndices: [ExactString?: [EventSubject: Int]] = [:]
    private var byteCount = 0
    /// Whether more events have been added than the history can store, so that all of them were discarded.
    private var hasOverflowed = false

    /// Whether the events must be published immediately.
    var isFull: Bool {
        hasOverflowed || events.count >= Self.maximumPending
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
            // A durability event does not cover later changes.
            if event.subject.kind == .durable { lastIndices[application] = nil }
            lastIndices[application, default: [:]][event.subject] = events.count
            append(event)
        default:
            // Later events must not be merged into earlier events, because they may concern different objects.
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
            let before = events[index]?.byteCount
        {
            events[index]?.merge(event)
            byteCount += (events[index]?.byteCount ?? 0) - before
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
    /// - Returns: The events, or `nil` if there were too many.
    mutating func popAll() -> [PendingEvent]? {
        defer { self = PendingEvents() }
        return hasOverflowed ? nil : events.compactMap(\.self)
    }
}

extension EventKind {
    /// Creates the kind with the same name as an application event's kind.
    init(_ kind: ApplicationEvent.Kind) {
        self =
            switch kind {
            case .launched: .launched
            case .restored: .restored
            case .notRestored: .notRestored
            case .closed: .closed
            case .ended: .ended
            case .exchanged: .exchanged
            case .appeared: .appeared
            case .changed: .changed
            case .disappeared: .disappeared
            case .manyChanged: .manyChanged
            case .pass: .pass
            case .durable: .durable
            case .generation: .generation
            case .fileChanged: .fileChanged
            case .quarantined: .quarantined
            case .salvaged: .salvaged
            case .problem: .problem
            case .resumed: .resumed
            }
    }
}
