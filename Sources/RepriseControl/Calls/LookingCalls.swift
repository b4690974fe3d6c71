import ExactText

/// Call that returns a scene as text: either the live scene or the snapshot in saved state.
///
/// At most one of `saved`, `generation` and `quarantined` may be set.
package struct ShowCall: SceneCall {
    package static var isLooking: Bool { true }

    package var application: String?
    package var scene: String?
    /// Whether to return the snapshot in the saved state.
    package var saved: Bool?
    /// Name of a generation whose snapshot is returned.
    package var generation: String?
    /// Name of an entry in quarantine whose snapshot is returned.
    package var quarantined: String?

    package init() {}

    /// Text rendering of the scene.
    package struct Reply: ControlMessage, Equatable {
        package var text = ""
        /// Time since which the scene has looked like the snapshot, or `nil` for a live scene.
        package var time: String?

        package init() {}
    }
}

/// Call that returns every object of a scene.
package struct TreeCall: SceneCall {
    package static var isLooking: Bool { true }

    package var application: String?
    package var scene: String?

    package init() {}

    /// Objects, parents first.
    package struct Reply: ControlMessage {
        package var objects: [TreeObject] = []

        package init() {}
    }
}

/// Live object, as returned by `Tree`.
package struct TreeObject: ControlMessage {
    package var path = ""
    package var `class` = ""
    package var preserved = false
    package var reason: String?
    /// Signatures of the commands that the object provides, such as `retry(job: int) -> string`.
    package var commands: [String]?

    package init() {}
}

/// Call that returns the values of an object, or the value of one key.
package struct GetCall: SceneCall {
    package static var isLooking: Bool { true }

    package var application: String?
    package var scene: String?
    package var path = ""
    package var key: String?

    package init() {}

    /// Value of the key, or all values.
    package struct Reply: ControlMessage, Equatable {
        package var value: StateJSON?
        package var values: [String: StateJSON]?

        package init() {}
    }
}

/// Call that returns the report of the last launch of a scene.
package struct ReportCall: SceneCall {
    package static var isLooking: Bool { true }

    package var application: String?
    package var scene: String?
    /// Whether the reply also lists the objects that the launch found.
    package var all: Bool?

    package init() {}

    /// Report of the launch: what it restored and what it did not restore.
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

/// Live object that the last launch found for a record.
package struct FoundDescription: ControlMessage, Equatable {
    package var path = ""
    package var `class` = ""
    package var foundBy = FindingStep.existing
    package var unreadKeys: [String] = []

    package init() {}
}

/// Step of the search in which a launch found the object of a record. The cases are in the order of the search.
package enum FindingStep: String, Codable, Sendable, CaseIterable {
    case restorationClass, delegate, existing, storyboard
}

/// Recorded object that a launch did not restore.
package struct UnrestoredDescription: ControlMessage, Equatable {
    package var path = ""
    package var reason = ""
    package var detail = ""
    package var remedy: String?

    package init() {}
}

/// Call that returns an explanation of one object, which is live or only saved.
package struct ExplainCall: SceneCall {
    package static var isLooking: Bool { true }

    package var application: String?
    package var scene: String?
    package var path = ""

    package init() {}

    /// Explanation of the object.
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
