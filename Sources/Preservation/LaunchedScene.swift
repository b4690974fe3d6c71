public import StateRestoration

/// What the last launch of a scene did.
public struct LaunchedScene: Sendable {
    /// The scene's name.
    public var name: RestorationIdentifier
    /// What the launch restored, and what it did not (R15).
    public var report: RestorationReport
    /// How often its restoration was completed without having been extended (R13).
    public var superfluousCompletions: Int
    /// Whether its restoration was still extended when the time for it was over (R13).
    public var hasTimedOut: Bool

    /// - Returns: nil if the scene was not launched.
    package init?(_ status: SceneStatus) {
        guard let report = status.report else { return nil }
        name = status.name
        self.report = report
        superfluousCompletions = status.superfluousCompletions
        hasTimedOut = status.hasTimedOut
    }
}
