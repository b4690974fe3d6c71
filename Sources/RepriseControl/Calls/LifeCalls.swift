import ExactText

/// Makes a scene, or launches a saved one.
package struct OpenCall: ApplicationCall, ChangingCall {
    package var application: String?
    package var name = ""

    package init() {}
}

/// Saves a scene and ends it.
package struct CloseCall: ApplicationCall, ChangingCall {
    package var application: String?
    package var name = ""

    package init() {}
}

/// Saves every object of an application.
package struct PreserveCall: ApplicationCall, ChangingCall {
    package var application: String?

    package init() {}
}

/// Ends an application.
package struct QuitCall: ApplicationCall {
    package var application: String?
    package var force: Bool?

    package init() {}

    /// How safe the last state is.
    package struct Reply: ControlMessage, TellsSaved {
        package var saved = SaveLevel.no
        package var notSavedReason: String?
        /// Path of the generation that holds the state which a forced quit removed, or `nil` if nothing was saved.
        package var generation: String?

        package init() {}
    }
}

/// Launches an application.
package struct LaunchCall: ApplicationCall {
    package var application: String?

    package init() {}

    /// What was launched.
    package struct Reply: ControlMessage {
        package var scenes: [SceneDescription] = []

        package init() {}
    }
}

/// Where an application is in its life.
package enum ApplicationPhase: String, Codable, Sendable, CaseIterable {
    case stopped
    case launching
    case running
    case failed
}

/// An application, as `Status` tells it.
package struct ApplicationDescription: ControlMessage, TellsSaved {
    package var bundleIdentifier = ""
    package var bundleVersion = ""
    package var phase = ApplicationPhase.stopped
    package var failure: String?
    package var scenes: [SceneDescription] = []
    package var launchedScenes = 0
    package var failedScenes = 0
    package var savedScenes = 0
    package var saved = SaveLevel.no
    package var notSavedReason: String?
    package var unwanted = false
    package var notDurableWrites = 0
    package var notDurableSince: String?
    package var notDurableSeconds: Int?
    package var preservationInterval = 0.0
    package var notKept: String?
    package var quarantinedSinceStart = 0
    package var lastQuarantined: String?
    package var quarantineProblem: String?
    package var lastPass: String?
    package var lastError: String?
    package var lastErrorTime: String?
    package var ownership: OwnershipDescription?

    package init() {}
}

/// Where a scene is in its life.
package enum ScenePhase: String, Codable, Sendable, CaseIterable {
    case saved
    case restoring
    case running
    case failed
}

/// A scene, as `Status` and `Launch` tell it.
package struct SceneDescription: ControlMessage {
    package var name = ""
    package var phase = ScenePhase.saved
    package var failure: String?
    package var launchReason: String?
    package var recorded = 0
    package var restored = 0
    package var unrestored = 0
    package var firstUnrestored: UnrestoredDescription?
    package var superfluousCompletions = 0
    package var timedOut = false
    package var omission: String?

    package init() {}
}
