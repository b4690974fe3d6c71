import ExactText
package import Varlink

/// Call that returns the state of the daemon and of its applications.
package struct StatusCall: ControlCall {
    package static var isLooking: Bool { true }

    package init() {}

    /// State of the daemon and of its applications.
    package struct Reply: ControlMessage {
        package var program: String?
        package var version = ""
        package var processIdentifier = 0
        package var started = ""
        package var stateDirectory = ""
        package var encryptionKey: String?
        package var configurationError: String?
        package var waitingForRestart: [String] = []
        package var notWatched: [NotWatched] = []
        package var cluster: ClusterDescription?
        package var applications: [ApplicationDescription] = []

        package init() {}
    }
}

/// File or directory whose changes the daemon does not always notice.
package struct NotWatched: ControlMessage {
    package var path = ""
    package var reason = ""

    package init() {}
}

/// Call that returns the applications with all their scenes.
package struct ListCall: ControlCall {
    package static var isLooking: Bool { true }

    package init() {}

    /// Applications with their scenes.
    package struct Reply: ControlMessage {
        package var applications: [ListedApplication] = []

        package init() {}
    }
}

/// Application with its scenes, as returned by `List`.
package struct ListedApplication: ControlMessage {
    package var bundleIdentifier = ""
    package var phase = ApplicationPhase.stopped
    package var scenes: [ListedScene] = []
    package var ownership: OwnershipDescription?

    package init() {}
}

/// Scene, as returned by `List`.
package struct ListedScene: ControlMessage {
    package var name = ""
    package var phase = ScenePhase.saved

    package init() {}
}

/// Format of the metrics.
package enum MetricsFormat: String, Codable, Sendable, CaseIterable {
    /// OpenMetrics 1.0.0.
    case openmetrics
    /// Prometheus text format 0.0.4, which node exporter reads.
    case prometheus
}

/// Call that returns the metrics as text for a monitoring system.
package struct MetricsCall: ControlCall {
    package static var isLooking: Bool { true }

    /// Format of the text, or `nil` for OpenMetrics.
    package var format: MetricsFormat?

    package init() {}

    /// Metrics as text.
    package struct Reply: ControlMessage {
        package var text = ""

        package init() {}
    }
}

/// Call that returns the connected clients.
package struct ClientsCall: ControlCall {
    package static var isLooking: Bool { true }

    package init() {}

    /// Connected clients, including the caller.
    package struct Reply: ControlMessage {
        package var clients: [ClientDescription] = []

        package init() {}
    }
}

/// Connected client.
package struct ClientDescription: ControlMessage {
    package var processIdentifier = 0
    package var user = 0
    package var program: String?
    package var seconds = 0
    package var calls = 0
    package var receivedBytes = 0
    package var sentBytes = 0
    package var unreadBytes = 0
    package var following: String?
    package var followed: String?

    package init() {}
}

/// Call to reload the configuration and the storyboards.
package struct ReloadCall: ControlCall {
    package init() {}

    /// Changes that were applied, and changes that wait for a restart.
    package struct Reply: ControlMessage {
        package var changed: [String] = []
        package var waiting: [String] = []

        package init() {}
    }
}

/// Call to rewrite every stored file whose encryption does not match the configuration.
package struct RekeyCall: ControlCall {
    package init() {}

    /// Number of rewritten files, and the key that now encrypts them.
    package struct Reply: ControlMessage {
        package var key: String?
        package var files = 0

        package init() {}
    }
}

/// Call to make the daemon exit at a stage.
package struct DebugExitCall: ApplicationCall {
    package typealias Reply = Empty
    package var application: String?
    package var stage = ""
    package var status: Int?

    package init() {}
}

/// Call to make the daemon trap at a stage.
package struct DebugTrapCall: ApplicationCall {
    package typealias Reply = Empty
    package var application: String?
    package var stage = ""

    package init() {}
}
