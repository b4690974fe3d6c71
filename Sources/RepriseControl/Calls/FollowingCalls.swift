import ExactText

/// Asks for what happens from now on, or since an earlier event; it has several replies.
package struct MonitorCall: ControlCall {
    package static var isLooking: Bool { true }

    /// The bundle identifier of the application that the events are of; nil: of all, and of the daemon.
    package var application: String?
    /// The name of the scene that they are of.
    package var scene: String?
    /// The path of the object that they are of, with those below it.
    package var path: String?
    /// What happened; nil: anything.
    package var kinds: [EventKind]?
    /// The instance of the last reply that the client had.
    package var instance: String?
    /// The number of the last reply that the client had.
    package var after: Int?

    package init() {}

    /// An event; nil in the first reply.
    package struct Reply: ControlMessage {
        package var instance = ""
        package var number = 0
        package var event: Event?

        package init() {}
    }
}

/// What happened.
package enum EventKind: String, Codable, Sendable, CaseIterable {
    case launched, restored, notRestored, closed, ended, exchanged
    case appeared, changed, disappeared, manyChanged
    case pass, durable, generation, fileChanged, quarantined, salvaged, problem, resumed
    case reloaded, refused, asked
}

/// Something that happened.
package struct Event: ControlMessage {
    package var time = ""
    package var kind = EventKind.launched
    package var application: String?
    package var scene: String?
    package var path: String?
    package var values: [String: StateJSON]?
    /// How many bytes values have that are too large to be told.
    package var large: [String: Int]?
    package var removed: [String]?
    package var generation: String?
    package var message: String?

    package init() {}
}
