import ExactText
import RepriseControl

/// Kind of an event, and the application, scene or object that it is about.
struct EventSubject: Sendable, Hashable {
    /// Kind of the event.
    let kind: EventKind
    /// Bundle identifier of the application, or `nil` for an event of the daemon.
    var application: String?
    /// Name of the scene, or `nil` if the event does not concern a particular scene.
    var scene: String?
    /// Restoration path of the object, or `nil` if the event does not concern a particular object.
    var path: String?
}

/// Filter for the events that a client receives.
struct EventFilter: Sendable, Equatable {
    /// Bundle identifier of the application, or `nil` for all applications and the daemon.
    var application: String?
    /// Name of the scene, or `nil` for all scenes.
    var scene: String?
    /// Restoration path of an object, which selects the object and everything below it, or `nil` for all objects.
    var path: String?
    /// Kinds of events, or `nil` for all kinds.
    var kinds: Set<EventKind>?

    /// Returns whether the client receives an event.
    func accepts(_ event: EventSubject) -> Bool {
        if let kinds, !kinds.contains(event.kind) { return false }
        if let application, application != event.application { return false }
        if let scene, scene != event.scene {
            return event.scene == nil && event.kind.affectsManyObjects
        }
        guard let path else { return true }
        guard let eventPath = event.path else { return event.kind.affectsManyObjects }
        return eventPath.isAtOrBelow(path)
            || event.kind == .disappeared && path.isAtOrBelow(eventPath)
    }
}

extension EventKind {
    /// Whether events of this kind make a client's knowledge of several objects obsolete.
    fileprivate var affectsManyObjects: Bool {
        switch self {
        case .launched, .closed, .ended, .exchanged, .manyChanged: true
        default: false
        }
    }
}
