import ExactText
package import Varlink

/// Asks what the daemon is and what it runs.
package struct StatusCall: ControlCall {
    package static var isLooking: Bool { true }

    package init() {}

    /// What it is.
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

/// A file or folder whose changes are not all noticed.
package struct NotWatched: ControlMessage {
    package var path = ""
    package var reason = ""

    package init() {}
}

/// Asks for the applications and their scenes.
package struct ListCall: ControlCall {
    package static var isLooking: Bool { true }

    package init() {}

    /// Those that there are.
    package struct Reply: ControlMessage {
        package var applications: [ListedApplication] = []

        package init() {}
    }
}

/// An application and its scenes, by name.
package struct ListedApplication: ControlMessage {
    package var bundleIdentifier = ""
    package var phase = ApplicationPhase.stopped
    package var scenes: [ListedScene] = []

    package init() {}
}

/// A scene's name, and whether it runs.
package struct ListedScene: ControlMessage {
    package var name = ""
    package var phase = ScenePhase.saved

    package init() {}
}

/// Format of the metrics' text.
package enum MetricsFormat: String, Codable, Sendable, CaseIterable {
    /// OpenMetrics 1.0.0.
    case openmetrics
    /// Prometheus text format 0.0.4, which node exporter reads.
    case prometheus
}

/// Asks for the metrics, as text for a monitoring system.
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

/// Asks who is connected.
package struct ClientsCall: ControlCall {
    package static var isLooking: Bool { true }

    package init() {}

    /// Those that are, the one that asks included.
    package struct Reply: ControlMessage {
        package var clients: [ClientDescription] = []

        package init() {}
    }
}

/// A client that is connected.
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

/// Has configuration and storyboards read again.
package struct ReloadCall: ControlCall {
    package init() {}

    /// What came of it.
    package struct Reply: ControlMessage {
        package var changed: [String] = []
        package var waiting: [String] = []

        package init() {}
    }
}

/// Has what is kept written anew that is not encrypted as it is to be.
package struct RekeyCall: ControlCall {
    package init() {}

    /// What came of it.
    package struct Reply: ControlMessage {
        package var key: String?
        package var files = 0

        package init() {}
    }
}

/// Makes the daemon exit at a stage.
package struct DebugExitCall: ApplicationCall {
    package typealias Reply = Empty
    package var application: String?
    package var stage = ""
    package var status: Int?

    package init() {}
}

/// Makes the daemon trap at a stage.
package struct DebugTrapCall: ApplicationCall {
    package typealias Reply = Empty
    package var application: String?
    package var stage = ""

    package init() {}
}
