/// An object that was recorded and not restored.
package struct UnrestoredDescription: Codable, Sendable, Equatable {
    package var path: String
    package var reason: String
    package var detail: String

    package init(path: String, reason: String, detail: String) {
        self.path = path
        self.reason = reason
        self.detail = detail
    }
}

/// What `Report` answers.
package struct ReportReply: Codable, Sendable {
    package var scene: String
    package var launchReason: String
    package var recorded: Int
    package var restored: Int
    package var unrestored: [UnrestoredDescription]
    package var duplicates: [UnrestoredDescription]
    package var unclaimed: Int
    package var expired: [String]
    package var unlisted: Int
    package var refused: Bool
    package var timedOut: Bool
    package var superfluousCompletions: Int

    package init(
        scene: String, launchReason: String, recorded: Int = 0, restored: Int = 0,
        unrestored: [UnrestoredDescription] = [], duplicates: [UnrestoredDescription] = [],
        unclaimed: Int = 0, expired: [String] = [], unlisted: Int = 0, refused: Bool = false,
        timedOut: Bool = false, superfluousCompletions: Int = 0
    ) {
        self.scene = scene
        self.launchReason = launchReason
        self.recorded = recorded
        self.restored = restored
        self.unrestored = unrestored
        self.duplicates = duplicates
        self.unclaimed = unclaimed
        self.expired = expired
        self.unlisted = unlisted
        self.refused = refused
        self.timedOut = timedOut
        self.superfluousCompletions = superfluousCompletions
    }
}
