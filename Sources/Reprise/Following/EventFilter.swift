import ExactText
import RepriseControl

/// What happened, and to what.
struct EventSubject: Sendable, Hashable {
    /// What happened.
    let kind: EventKind
    /// The bundle identifier; nil: it happened to the daemon.
    var application: String?
    /// The scene's name.
    var scene: String?
    /// The restoration path of the object.
    var path: String?
}

/// What a client wants to know of.
struct EventFilter: Sendable, Equatable {
    /// The bundle identifier; nil: of all applications, and of the daemon.
    var application: String?
    /// The scene's name.
    var scene: String?
    /// A restoration path.
    var path: String?
    /// Kinds of events; nil: all.
    var kinds: Set<EventKind>?

    /// Whether an event is wanted.
    func takes(_ event: EventSubject) -> Bool {
        if let kinds, !kinds.contains(event.kind) { return false }
        if let application, application != event.application { return false }
        if let scene, scene != event.scene { return event.scene == nil && event.kind.isOfMany }
        guard let path else { return true }
        guard let other = event.path else { return event.kind.isOfMany }
        return other.isAtOrBelow(path) || event.kind == .disappeared && path.isAtOrBelow(other)
    }
}

extension EventKind {
    /// Whether what was known of objects is old after it.
    fileprivate var isOfMany: Bool {
        switch self {
        case .launched, .closed, .ended, .exchanged, .manyChanged: true
        default: false
        }
    }
}
