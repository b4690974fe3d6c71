/// Names where the daemon is to exit, and with which status.
package struct DebugExitParameters: Codable, Sendable {
    package var application: String?
    package var stage: String
    package var status: Int?

    package init(application: String?, stage: String, status: Int?) {
        self.application = application
        self.stage = stage
        self.status = status
    }
}

/// Names where the daemon is to trap.
package struct DebugTrapParameters: Codable, Sendable {
    package var application: String?
    package var stage: String

    package init(application: String?, stage: String) {
        self.application = application
        self.stage = stage
    }
}
