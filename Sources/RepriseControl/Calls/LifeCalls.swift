import ExactText

/// Call to open a new scene or a saved scene.
package struct OpenCall: ApplicationCall, ChangingCall {
    package var application: String?
    package var name = ""

    package init() {}
}

/// Call to save and close a scene.
package struct CloseCall: ApplicationCall, ChangingCall {
    package var application: String?
    package var name = ""

    package init() {}
}

/// Call to save every object of an application.
package struct PreserveCall: ApplicationCall, ChangingCall {
    package var application: String?

    package init() {}
}

/// Call to quit an application.
package struct QuitCall: ApplicationCall {
    package var application: String?
    package var force: Bool?

    package init() {}

    /// Durability level of the final state.
    package struct Reply: ControlMessage, TellsSaved {
        package var saved = SaveLevel.no
        package var notSavedReason: String?
        /// Path of the generation to which a forced quit moved the saved state, or `nil` if there is none.
        package var generation: String?

        package init() {}
    }
}

/// Call to launch an application.
package struct LaunchCall: ApplicationCall {
    package var application: String?

    package init() {}

    /// Scenes of the application after the launch.
    package struct Reply: ControlMessage {
        package var scenes: [SceneDescription] = []

        package init() {}
    }
}

/// Phase in the life cycle of an application.
package enum ApplicationPhase: String, Codable, Sendable, CaseIterable {
    case stopped
    case launching
    case running
    case failed
}

/// Application, as returned by `Status`.
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

/// Phase in the life cycle of a scene.
package enum ScenePhase: String, Codable, Sendable, CaseIterable {
    case saved
    case restoring
    case running
    case failed
}

/// Scene, as returned by `Status` and `Launch`.
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
