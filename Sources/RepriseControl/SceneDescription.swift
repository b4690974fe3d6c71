/// A scene, as `Status` and `Launch` tell it.
package struct SceneDescription: Codable, Sendable {
    /// Where a scene is in its life.
    package enum Phase: String, Codable, Sendable {
        case saved
        case restoring
        case running
        case failed
    }

    package var name: String
    package var phase: Phase
    package var failure: String?
    package var launchReason: String?
    package var recorded: Int
    package var restored: Int
    package var unrestored: Int
    package var superfluousCompletions: Int
    package var timedOut: Bool

    package init(
        name: String, phase: Phase, failure: String? = nil, launchReason: String? = nil,
        recorded: Int = 0, restored: Int = 0, unrestored: Int = 0,
        superfluousCompletions: Int = 0, timedOut: Bool = false
    ) {
        self.name = name
        self.phase = phase
        self.failure = failure
        self.launchReason = launchReason
        self.recorded = recorded
        self.restored = restored
        self.unrestored = unrestored
        self.superfluousCompletions = superfluousCompletions
        self.timedOut = timedOut
    }
}
