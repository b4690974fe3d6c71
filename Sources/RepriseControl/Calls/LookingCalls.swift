import ExactText

/// Asks for the scene as text: what a person would see, or saw at an earlier time. At most one of
/// the last three is given.
package struct ShowCall: SceneCall {
    package static var isLooking: Bool { true }

    package var application: String?
    package var scene: String?
    /// Whether to show what is saved, although the scene may not run.
    package var saved: Bool?
    /// The name of a generation to show.
    package var generation: String?
    /// The name of something in quarantine to show.
    package var quarantined: String?

    package init() {}

    /// What a person would see.
    package struct Reply: ControlMessage, Equatable {
        package var text = ""
        /// When the scene began to look like that; nil: it looks so now.
        package var time: String?

        package init() {}
    }
}

/// Asks for every object of a scene.
package struct TreeCall: SceneCall {
    package static var isLooking: Bool { true }

    package var application: String?
    package var scene: String?

    package init() {}

    /// The objects, parents first.
    package struct Reply: ControlMessage {
        package var objects: [TreeObject] = []

        package init() {}
    }
}

/// One live object, as `Tree` tells it.
package struct TreeObject: ControlMessage {
    package var path = ""
    package var `class` = ""
    package var preserved = false
    package var reason: String?
    /// The commands that it provides, each as `retry(job: int) -> string`.
    package var commands: [String]?

    package init() {}
}

/// Asks for what there is to tell of one object: all values, or that under a key.
package struct GetCall: SceneCall {
    package static var isLooking: Bool { true }

    package var application: String?
    package var scene: String?
    package var path = ""
    package var key: String?

    package init() {}

    /// One of the two.
    package struct Reply: ControlMessage, Equatable {
        package var value: StateJSON?
        package var values: [String: StateJSON]?

        package init() {}
    }
}

/// Asks what the last launch of a scene restored.
package struct ReportCall: SceneCall {
    package static var isLooking: Bool { true }

    package var application: String?
    package var scene: String?
    /// Whether to list what it found, too.
    package var all: Bool?

    package init() {}

    /// What it restored, and what not.
    package struct Reply: ControlMessage {
        package var scene = ""
        package var launchReason = ""
        package var recorded = 0
        package var restored = 0
        package var unrestored: [UnrestoredDescription] = []
        package var duplicates: [UnrestoredDescription] = []
        package var unclaimed = 0
        package var expired: [String] = []
        package var expiring: [String] = []
        package var gone: [String] = []
        package var precedingDeath: String?
        package var unlisted = 0
        package var refused = false
        package var displaced: String?
        package var vanished: [String] = []
        package var timedOut = false
        package var superfluousCompletions = 0
        package var found: [FoundDescription] = []

        package init() {}
    }
}

/// A live object that the last launch found for a record.
package struct FoundDescription: ControlMessage, Equatable {
    package var path = ""
    package var `class` = ""
    package var foundBy = FindingStep.existing
    package var unreadKeys: [String] = []

    package init() {}
}

/// What found an object for its record: the steps of the search, in their order.
package enum FindingStep: String, Codable, Sendable, CaseIterable {
    case restorationClass, delegate, existing, storyboard
}

/// An object that was recorded and not restored.
package struct UnrestoredDescription: ControlMessage, Equatable {
    package var path = ""
    package var reason = ""
    package var detail = ""
    package var remedy: String?

    package init() {}
}

/// Asks for the story of one object, live or only saved.
package struct ExplainCall: SceneCall {
    package static var isLooking: Bool { true }

    package var application: String?
    package var scene: String?
    package var path = ""

    package init() {}

    /// The story.
    package struct Reply: ControlMessage {
        package var path = ""
        package var live = false
        package var `class`: String?
        package var preserved = false
        package var reason: String?
        package var gap: String?
        package var recordedPath: String?
        package var values: Int?
        package var bytes: Int?
        package var problems: [String] = []
        package var encodeFailure: String?
        package var launchReason = ""
        package var restored = false
        package var foundBy: FindingStep?
        package var unreadKeys: [String] = []
        package var unrestored: UnrestoredDescription?
        package var expired = false
        package var unclaimedLaunches: Int?
        package var story: [String] = []

        package init() {}
    }
}
