import ExactText

/// Call that returns the generations of an application.
package struct HistoryCall: ApplicationCall {
    /// Maximum number of generations in a reply.
    package static let limit = 1000

    package static var isLooking: Bool { true }

    package var application: String?
    /// Name of a generation, to return only older generations, or `nil` to return all generations.
    package var before: String?

    package init() {}

    /// Most recent generations, in order from the oldest to the newest.
    package struct Reply: ControlMessage {
        package var generations: [GenerationDescription] = []
        /// Number of older generations that the reply omits.
        package var omitted = 0

        package init() {}
    }
}

/// Generation, as returned by `History`.
package struct GenerationDescription: ControlMessage {
    package var name = ""
    package var path = ""
    package var time = ""
    package var reason: String?
    package var bytes = 0
    package var bundleVersions: [String] = []
    package var objects = 0
    package var problem: String?

    package init() {}
}

/// Call that compares two generations. Without `to`, it compares a generation with the saved state.
package struct DiffCall: ApplicationCall {
    package static var isLooking: Bool { true }

    package var application: String?
    package var from = ""
    package var to: String?

    package init() {}

    /// Differences between the two states.
    package struct Reply: ControlMessage {
        package var from = ""
        package var to: String?
        package var differences: [DifferenceDescription] = []
        package var unlisted = 0
        package var problems: [String] = []

        package init() {}
    }
}

/// Difference between two saved states, as returned by `Diff`.
package struct DifferenceDescription: ControlMessage, Equatable {
    /// Kind of difference between two saved states.
    package enum Kind: String, Codable, Sendable, CaseIterable {
        case appeared
        case disappeared
        case added
        case removed
        case changed
        case `class`
        case restorationClass
        case storyboard
        case storyboardIdentifier
        case bundleVersion
        case inUse
        case unreadable
    }

    package var scene = ""
    package var path: String?
    package var kind = Kind.unreadable
    package var key: String?
    package var from: StateJSON?
    package var to: StateJSON?

    package init() {}
}

/// Call to roll back one scene or all scenes to a generation.
package struct RollbackCall: SceneCall {
    package typealias Reply = ReplacedReply
    package var application: String?
    package var scene: String?
    package var generation = ""

    package init() {}
}

/// Call to relaunch one scene or all scenes without saved state, or from their saved state with `toSaved`.
package struct ResetCall: SceneCall {
    package typealias Reply = ReplacedReply
    package var application: String?
    package var scene: String?
    package var toSaved: Bool?

    package init() {}
}

/// Call that returns the entries in the quarantine of an application.
package struct QuarantineCall: ApplicationCall {
    package static var isLooking: Bool { true }

    package var application: String?

    package init() {}

    /// Entries, oldest first.
    package struct Reply: ControlMessage {
        package var quarantined: [QuarantinedDescription] = []

        package init() {}
    }
}

/// Entry in quarantine.
package struct QuarantinedDescription: ControlMessage {
    package var name = ""
    package var path = ""
    package var kind = FileKind.file
    package var reason: String?
    package var time: String?
    package var bytes = 0

    package init() {}
}

/// Kind of entry in quarantine.
package enum FileKind: String, Codable, Sendable, CaseIterable {
    case file, folder, link, other
}

/// Call to delete generations from the history.
package struct HistoryDeleteCall: ApplicationCall {
    package typealias Reply = EmptyReply
    package var application: String?
    package var generations: [String] = []

    package init() {}
}

/// Call to delete entries from the quarantine.
package struct QuarantineDeleteCall: ApplicationCall {
    package typealias Reply = EmptyReply
    package var application: String?
    package var names: [String] = []

    package init() {}
}

/// Call to mark all current entries in quarantine as seen.
package struct QuarantineAcknowledgeCall: ApplicationCall {
    package typealias Reply = EmptyReply
    package var application: String?

    package init() {}
}

/// Reply without fields.
package struct EmptyReply: ControlMessage {
    package init() {}
}

/// Call to restore the scenes of an entry in quarantine.
package struct QuarantinePutBackCall: ApplicationCall {
    package var application: String?
    package var name = ""
    package var salvage: Bool?

    package init() {}

    /// Result of the call.
    package struct Reply: ControlMessage, TellsSaved {
        package var scenes: [String] = []
        package var document: String?
        package var generation: String?
        package var shortfall: String?
        package var saved = SaveLevel.no
        package var notSavedReason: String?

        package init() {}
    }
}
