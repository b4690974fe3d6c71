import ExactText

/// Call that returns events, from now on or after an earlier event, in several replies.
package struct MonitorCall: ControlCall {
    package static var isLooking: Bool { true }

    /// Bundle identifier of an application, or `nil` for the events of all applications and of the daemon.
    package var application: String?
    /// Name of a scene, or `nil` for the events of all scenes.
    package var scene: String?
    /// Path of an object, or `nil` for the events of all objects. Events of objects below the path are also included.
    package var path: String?
    /// Kinds of events, or `nil` for all kinds.
    package var kinds: [EventKind]?
    /// `instance` of the last reply that the client received.
    package var instance: String?
    /// `number` of the last reply that the client received.
    package var after: Int?

    package init() {}

    /// Event with its number. The first reply has no event.
    package struct Reply: ControlMessage {
        package var instance = ""
        package var number = 0
        package var event: Event?

        package init() {}
    }
}

/// Kind of event.
package enum EventKind: String, Codable, Sendable, CaseIterable {
    case launched, restored, notRestored, closed, ended, exchanged
    case appeared, changed, disappeared, manyChanged
    case pass, durable, generation, fileChanged, quarantined, salvaged, problem, resumed
    case reloaded, refused, asked
}

/// Event in an application or in the daemon.
package struct Event: ControlMessage {
    package var time = ""
    package var kind = EventKind.launched
    package var application: String?
    package var scene: String?
    package var path: String?
    package var values: [String: StateJSON]?
    /// Sizes in bytes of changed values that are too large for `values`, keyed by name.
    package var large: [String: Int]?
    package var removed: [String]?
    package var generation: String?
    package var message: String?

    package init() {}
}
