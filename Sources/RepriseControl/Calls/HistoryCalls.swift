import ExactText

/// Asks what an application had saved at earlier times.
package struct HistoryCall: ApplicationCall {
    /// The most generations of a reply.
    package static let limit = 1000

    package static var isLooking: Bool { true }

    package var application: String?
    /// Only generations that are older than the one of this name; `nil`: all.
    package var before: String?

    package init() {}

    /// The newest generations, the oldest of them first.
    package struct Reply: ControlMessage {
        package var generations: [GenerationDescription] = []
        /// How many older ones are left out.
        package var omitted = 0

        package init() {}
    }
}

/// A generation, as `History` tells it.
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

/// Asks in what two generations differ; without `to`, a generation and what is saved now.
package struct DiffCall: ApplicationCall {
    package static var isLooking: Bool { true }

    package var application: String?
    package var from = ""
    package var to: String?

    package init() {}

    /// In what they differ.
    package struct Reply: ControlMessage {
        package var from = ""
        package var to: String?
        package var differences: [DifferenceDescription] = []
        package var unlisted = 0
        package var problems: [String] = []

        package init() {}
    }
}

/// One difference, as `Diff` tells it.
package struct DifferenceDescription: ControlMessage, Equatable {
    /// What is different.
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

/// Goes back to an earlier generation, with one scene or all.
package struct RollbackCall: SceneCall {
    package typealias Reply = ReplacedReply
    package var application: String?
    package var scene: String?
    package var generation = ""

    package init() {}
}

/// Launches one scene or all without saved state, or with `toSaved` from what is saved.
package struct ResetCall: SceneCall {
    package typealias Reply = ReplacedReply
    package var application: String?
    package var scene: String?
    package var toSaved: Bool?

    package init() {}
}

/// Asks what lies in the quarantine of an application.
package struct QuarantineCall: ApplicationCall {
    package static var isLooking: Bool { true }

    package var application: String?

    package init() {}

    /// What lies there, the oldest first.
    package struct Reply: ControlMessage {
        package var quarantined: [QuarantinedDescription] = []

        package init() {}
    }
}

/// Something that lies in quarantine.
package struct QuarantinedDescription: ControlMessage {
    package var name = ""
    package var path = ""
    package var kind = FileKind.file
    package var reason: String?
    package var time: String?
    package var bytes = 0

    package init() {}
}

/// What something in quarantine is.
package enum FileKind: String, Codable, Sendable, CaseIterable {
    case file, folder, link, other
}

/// Deletes generations from the history.
package struct HistoryDeleteCall: ApplicationCall {
    package typealias Reply = EmptyReply
    package var application: String?
    package var generations: [String] = []

    package init() {}
}

/// Deletes files from quarantine.
package struct QuarantineDeleteCall: ApplicationCall {
    package typealias Reply = EmptyReply
    package var application: String?
    package var names: [String] = []

    package init() {}
}

/// Counts what is in quarantine as seen.
package struct QuarantineAcknowledgeCall: ApplicationCall {
    package typealias Reply = EmptyReply
    package var application: String?

    package init() {}
}

/// Reply without fields.
package struct EmptyReply: ControlMessage {
    package init() {}
}

/// Puts back the scenes that something in quarantine holds.
package struct QuarantinePutBackCall: ApplicationCall {
    package var application: String?
    package var name = ""
    package var salvage: Bool?

    package init() {}

    /// What came back.
    package struct Reply: ControlMessage, TellsSaved {
        package var scenes: [String] = []
        package var generation: String?
        package var shortfall: String?
        package var saved = SaveLevel.no
        package var notSavedReason: String?

        package init() {}
    }
}
