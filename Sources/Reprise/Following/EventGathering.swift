import Preservation
import RepriseControl

/// Events that wait to be told, those of one object joined to one.
struct EventGathering {
    /// What an event is about, among those that can be joined.
    private struct Subject: Hashable {
        let application: String?
        let scene: String?
        /// Nil: the event is no change of an object.
        let path: String?
        let kind: EventKind

        init(_ event: Event, kind: EventKind) {
            application = event.application
            scene = event.scene
            path = event.path
            self.kind = kind
        }
    }

    /// In the order in which they came; nil: it was joined to a later one.
    private var events: [Event?] = []
    private var places: [Subject: Int] = [:]

    /// How many there are at most.
    var count: Int { events.count }

    /// Something happened in an application.
    mutating func add(_ new: ApplicationEvent, of application: String, time: String) {
        let kind = EventKind(new.kind)
        var event = Event(kind, application: application, time: time)
        event.scene = new.scene
        event.path = new.path
        event.generation = new.generation
        event.message = new.message
        if !new.values.isEmpty { event.set(new.values) }
        add(event)
    }

    /// Something happened.
    mutating func add(_ event: Event) {
        switch event.kind {
        case .appeared, .changed: addChange(event)
        case .pass, .durable:
            let subject = Subject(event, kind: event.kind)
            if let place = places[subject] { events[place] = nil }
            // What changes after that is not durable yet.
            if event.kind == .durable { forgetPlaces(of: event.application) }
            places[subject] = events.count
            events.append(event)
        default:
            // What comes behind it tells of other objects than what came before.
            forgetPlaces(of: event.application)
            events.append(event)
        }
    }

    private mutating func forgetPlaces(of application: String?) {
        places = places.filter { $0.key.application != application }
    }

    private mutating func addChange(_ event: Event) {
        let subject = Subject(event, kind: .changed)
        if event.kind == .changed, let place = places[subject], var joined = events[place] {
            joined.merge(event)
            events[place] = joined
            return
        }
        places[subject] = events.count
        events.append(event)
    }

    /// Takes all of them out.
    mutating func take() -> [Event] {
        defer { self = EventGathering() }
        return events.compactMap(\.self)
    }
}

extension Event {
    /// An event of which no more is known yet.
    init(_ kind: EventKind, application: String? = nil, time: String) {
        self.init()
        self.kind = kind
        self.application = application
        self.time = time
    }

    /// States what became of an object's values.
    fileprivate mutating func set(_ changes: [String: ApplicationEvent.ChangedValue]) {
        var values: [String: StateJSON] = [:]
        var removed: [String] = []
        for (key, change) in changes {
            switch change {
            case .value(let value): values[key] = StateJSON(value)
            case .large(let bytes): values[key] = .object(["bytes": .integer(Int64(bytes))])
            case .removed: removed.append(key)
            }
        }
        self.values = values.isEmpty ? nil : values
        self.removed = removed.isEmpty ? nil : removed.sorted()
    }

    /// Takes over what a later change of the same object says.
    fileprivate mutating func merge(_ later: Event) {
        var removed = Set(self.removed ?? []).union(later.removed ?? [])
        var values = values ?? [:]
        for key in later.removed ?? [] { values[key] = nil }
        for (key, value) in later.values ?? [:] {
            values[key] = value
            removed.remove(key)
        }
        self.values = values.isEmpty ? nil : values
        self.removed = removed.isEmpty ? nil : removed.sorted()
        time = later.time
    }
}

extension EventKind {
    /// The kind of an application's event; the names are the same.
    init(_ kind: ApplicationEvent.Kind) {
        self = EventKind(rawValue: kind.rawValue) ?? .problem
    }
}
