/// How safe a change is.
package enum SaveLevel: String, Codable, Sendable {
    case durable
    case written
    case no
}

/// What every changing method answers.
package struct SavedReply: Codable, Sendable {
    package var saved: SaveLevel
    package var notSavedReason: String?

    package init(saved: SaveLevel, notSavedReason: String? = nil) {
        self.saved = saved
        self.notSavedReason = notSavedReason
    }
}

/// What `Status` answers.
package struct StatusReply: Codable, Sendable {
    package var version: String
    package var processIdentifier: Int
    package var stateDirectory: String
    package var configurationError: String?
    package var waitingForRestart: [String]
    package var notWatched: [NotWatched]
    package var applications: [ApplicationDescription]

    /// A file or folder whose changes are not all noticed.
    package struct NotWatched: Codable, Sendable {
        package var path: String
        package var reason: String

        package init(path: String, reason: String) {
            self.path = path
            self.reason = reason
        }
    }

    package init(
        version: String, processIdentifier: Int, stateDirectory: String,
        configurationError: String? = nil, waitingForRestart: [String] = [],
        notWatched: [NotWatched] = [], applications: [ApplicationDescription]
    ) {
        self.version = version
        self.processIdentifier = processIdentifier
        self.stateDirectory = stateDirectory
        self.configurationError = configurationError
        self.waitingForRestart = waitingForRestart
        self.notWatched = notWatched
        self.applications = applications
    }
}

/// An application, as `Status` tells it.
package struct ApplicationDescription: Codable, Sendable {
    /// Where an application is in its life.
    package enum Phase: String, Codable, Sendable {
        case stopped
        case launching
        case running
        case failed
    }

    package var bundleIdentifier: String
    package var bundleVersion: String
    package var phase: Phase
    package var failure: String?
    package var scenes: [SceneDescription]
    package var saved: SaveLevel
    package var notSavedReason: String?
    package var notDurableWrites: Int
    package var notDurableSince: String?
    package var lastPass: String?
    package var lastError: String?
    package var lastErrorTime: String?

    package init(
        bundleIdentifier: String, bundleVersion: String, phase: Phase, failure: String?,
        scenes: [SceneDescription], saved: SaveLevel, notSavedReason: String?,
        notDurableWrites: Int = 0, notDurableSince: String? = nil, lastPass: String?,
        lastError: String?, lastErrorTime: String? = nil
    ) {
        self.bundleIdentifier = bundleIdentifier
        self.bundleVersion = bundleVersion
        self.phase = phase
        self.failure = failure
        self.scenes = scenes
        self.saved = saved
        self.notSavedReason = notSavedReason
        self.notDurableWrites = notDurableWrites
        self.notDurableSince = notDurableSince
        self.lastPass = lastPass
        self.lastError = lastError
        self.lastErrorTime = lastErrorTime
    }
}

/// What `List` answers.
package struct ListReply: Codable, Sendable {
    /// A scene: its name, and whether it runs.
    package struct Scene: Codable, Sendable {
        package var name: String
        package var phase: SceneDescription.Phase

        package init(name: String, phase: SceneDescription.Phase) {
            self.name = name
            self.phase = phase
        }
    }

    /// An application and its scenes.
    package struct Application: Codable, Sendable {
        package var bundleIdentifier: String
        package var phase: ApplicationDescription.Phase
        package var scenes: [Scene]

        package init(
            bundleIdentifier: String, phase: ApplicationDescription.Phase, scenes: [Scene]
        ) {
            self.bundleIdentifier = bundleIdentifier
            self.phase = phase
            self.scenes = scenes
        }
    }

    package var applications: [Application]

    package init(applications: [Application]) {
        self.applications = applications
    }
}

/// What `Show` answers.
package struct ShowReply: Codable, Sendable {
    package var text: String

    package init(text: String) {
        self.text = text
    }
}

/// What `Tree` answers.
package struct TreeReply: Codable, Sendable {
    /// One live object.
    package struct Object: Codable, Sendable {
        package var path: String
        package var `class`: String
        package var preserved: Bool
        package var reason: String?

        package init(path: String, class: String, preserved: Bool, reason: String?) {
            self.path = path
            self.class = `class`
            self.preserved = preserved
            self.reason = reason
        }
    }

    package var objects: [Object]

    package init(objects: [Object]) {
        self.objects = objects
    }
}

/// What `Get` answers: one of the two.
package struct GetReply: Codable, Sendable {
    package var value: StateJSON?
    package var values: [String: StateJSON]?

    package init(value: StateJSON) {
        self.value = value
    }

    package init(values: [String: StateJSON]) {
        self.values = values
    }
}

/// What `Launch` answers.
package struct LaunchReply: Codable, Sendable {
    package var scenes: [SceneDescription]

    package init(scenes: [SceneDescription]) {
        self.scenes = scenes
    }
}
