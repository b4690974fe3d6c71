public import StateRestoration

/// What an operator wants to know of a scene.
public struct SceneStatus: Sendable {
    /// Where a scene is in its life.
    public enum Phase: Sendable, Equatable {
        /// It is in the archive and was not launched; a command that names it launches it (S3).
        case saved
        /// Its launch waits for its turn, or for its restoration to complete (R13). Commands to it
        /// wait.
        case restoring
        /// It takes commands.
        case running
        /// It could not be launched; what is saved of it is untouched.
        case failed(reason: String)
    }

    /// The scene's name.
    public var name: RestorationIdentifier
    /// Where it is in its life.
    public var phase: Phase
    /// What its launch restored; nil if it was not launched.
    public var report: RestorationReport?
    /// How often its restoration was completed without having been extended (R13).
    public var superfluousCompletions: Int
    /// Whether its restoration was still extended when the time for it was over (R13).
    public var hasTimedOut: Bool

    package init(
        name: RestorationIdentifier, phase: Phase = .running, report: RestorationReport? = nil,
        superfluousCompletions: Int = 0, hasTimedOut: Bool = false
    ) {
        self.name = name
        self.phase = phase
        self.report = report
        self.superfluousCompletions = superfluousCompletions
        self.hasTimedOut = hasTimedOut
    }
}
