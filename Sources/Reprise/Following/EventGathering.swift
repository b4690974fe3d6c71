import ExactText
import Preservation
import RepriseControl

/// Event that waits to be published. Its values are converted to JSON only when it is published.
struct GatheredEvent: Sendable {
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

    /// Creates an event that a message describes.
    init(_ subject: EventSubject, time: Int64, message: String) {
        self.subject = subject
        self.time = time
        self.message = message
        byteCount = message.utf8.count
    }

    /// Merges a later change to the same object into the event.
    fileprivate mutating func merge(_ later: GatheredEvent) {
        let isReplaced = values.keys.allSatisfy { later.values[$0] != nil }
        values.merge(later.values) { $1 }
        byteCount = later.byteCount + (isReplaced ? 0 : byteCount)
        time = later.time
    }

    /// Event in the form that clients receive.
    var clientEvent: Event {
        var event = Event()
        event.time = timeOfDay(time)
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

/// Events that wait to be published, with several changes of one object merged into one event.
struct EventGathering {
    /// Number of pending events after which they are published immediately.
    static let maximumPending = 4096
    /// Total size of pending events, in bytes, after which they are published immediately.
    static let maximumPendingBytes = 1 << 20

    /// Events in the order in which they were added. An event that a later event has replaced is `nil`.
    private var events: [GatheredEvent?] = []
    /// Indexes of the last event for each subject, keyed by application.
    private var places: [ExactString?: [EventSubject: Int]] = [:]
    private var byteCount = 0
    /// Whether more events were added than the history can store. In that case, all of them are discarded.
    private var isOverflown = false

    /// Whether the events must be published immediately.
    var isFull: Bool {
        isOverflown || events.count >= Self.maximumPending || byteCount >= Self.maximumPendingBytes
    }

    /// Adds an event.
    mutating func add(_ event: GatheredEvent) {
        if isOverflown { return }
        let application = event.subject.application.map { ExactString($0) }
        switch event.subject.kind {
        case .appeared, .changed: addChange(event, of: application)
        case .pass, .durable:
            if let place = places[application]?[event.subject] { drop(place) }
            // A durability event does not cover later changes.
            if event.subject.kind == .durable { places[application] = nil }
            places[application, default: [:]][event.subject] = events.count
            append(event)
        default:
            // Later events must not be merged into earlier events, because they may concern other objects.
            places[application] = nil
            append(event)
        }
        if events.count > EventHistory.maximumEvents || byteCount > EventHistory.maximumBytes {
            self = EventGathering()
            isOverflown = true
        }
    }

    private mutating func addChange(_ event: GatheredEvent, of application: ExactString?) {
        let subject = event.subject
        let joined = EventSubject(
            kind: .changed, application: subject.application, scene: subject.scene,
            path: subject.path)
        if subject.kind == .changed, let place = places[application]?[joined],
            let before = events[place]?.byteCount
        {
            events[place]?.merge(event)
            byteCount += (events[place]?.byteCount ?? 0) - before
            return
        }
        places[application, default: [:]][joined] = events.count
        append(event)
    }

    private mutating func append(_ event: GatheredEvent) {
        events.append(event)
        byteCount += event.byteCount
    }

    private mutating func drop(_ place: Int) {
        byteCount -= events[place]?.byteCount ?? 0
        events[place] = nil
    }

    /// Removes and returns all events.
    ///
    /// - Returns: The events, or `nil` if there were too many.
    mutating func popAll() -> [GatheredEvent]? {
        defer { self = EventGathering() }
        return isOverflown ? nil : events.compactMap(\.self)
    }
}

extension EventKind {
    /// Creates the kind with the same name as the kind of an application's event.
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
