import ExactText
import Preservation
import RepriseControl

/// An event that waits to be told; its values become those of a reply when it is.
struct GatheredEvent: Sendable {
    /// What it is about.
    let subject: EventSubject
    /// When it happened: microseconds since 1970-01-01 UTC.
    private(set) var time: Int64
    private(set) var values: [String: ApplicationEvent.ChangedValue] = [:]
    private var generation: String?
    private var message: String?
    /// How many bytes its values and texts have, about.
    private(set) var byteCount: Int

    /// Something happened in an application.
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

    /// Something happened, as a message tells.
    init(_ subject: EventSubject, time: Int64, message: String) {
        self.subject = subject
        self.time = time
        self.message = message
        byteCount = message.utf8.count
    }

    /// Takes over what a later change of the same object says.
    fileprivate mutating func merge(_ later: GatheredEvent) {
        let isReplaced = values.keys.allSatisfy { later.values[$0] != nil }
        values.merge(later.values) { $1 }
        byteCount = later.byteCount + (isReplaced ? 0 : byteCount)
        time = later.time
    }

    /// The event as clients are told it.
    var told: Event {
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

/// Events that wait to be told, those of one object joined to one.
struct EventGathering {
    /// So many events are told without waiting for others to join.
    static let mostWaiting = 4096
    /// So many bytes of them are, too.
    static let mostBytesWaiting = 1 << 20

    /// In the order in which they came; nil: it was joined to a later one.
    private var events: [GatheredEvent?] = []
    /// Where the last event about something is, of each application.
    private var places: [ExactString?: [EventSubject: Int]] = [:]
    private var byteCount = 0
    /// Whether there were more than are ever remembered, of which none is kept.
    private var isOverflown = false

    /// Whether they are to be told without waiting for others.
    var isFull: Bool {
        isOverflown || events.count >= Self.mostWaiting || byteCount >= Self.mostBytesWaiting
    }

    /// Something happened.
    mutating func add(_ event: GatheredEvent) {
        if isOverflown { return }
        let application = event.subject.application.map { ExactString($0) }
        switch event.subject.kind {
        case .appeared, .changed: addChange(event, of: application)
        case .pass, .durable:
            if let place = places[application]?[event.subject] { drop(place) }
            // What changes after that is not durable yet.
            if event.subject.kind == .durable { places[application] = nil }
            places[application, default: [:]][event.subject] = events.count
            append(event)
        default:
            // What comes behind it tells of other objects than what came before.
            places[application] = nil
            append(event)
        }
        if events.count > EventHistory.mostEvents || byteCount > EventHistory.mostBytes {
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

    /// Takes all of them out.
    ///
    /// - Returns: nil if there were too many to keep.
    mutating func take() -> [GatheredEvent]? {
        defer { self = EventGathering() }
        return isOverflown ? nil : events.compactMap(\.self)
    }
}

extension EventKind {
    /// The kind of an application's event, which has the same name.
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
