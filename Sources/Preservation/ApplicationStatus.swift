public import StateRestoration

/// What an operator wants to know of an application.
public struct ApplicationStatus: Sendable {
    /// Where an application is in its life.
    public enum Phase: Sendable, Equatable {
        /// Not launched yet, or ended in an orderly way.
        case stopped
        /// Its scenes are being launched.
        case launching
        /// It takes commands.
        case running
        /// It could not be launched.
        case failed(reason: String)
    }

    /// The application's bundle identifier.
    public var bundleIdentifier: String
    /// The version of the program.
    public var bundleVersion: String
    /// Where it is in its life.
    public var phase: Phase
    /// Its scenes, in the order in which they were launched.
    public var scenes: [SceneStatus]
    /// How safe its state is.
    public var saved: Saved
    /// When the last pass that wrote something was made: microseconds since 1970-01-01 UTC.
    public var lastPass: Int64?
    /// The last thing that went wrong.
    public var lastError: String?
}

/// What an operator wants to know of a scene.
public struct SceneStatus: Sendable {
    /// The scene's name.
    public var name: RestorationIdentifier
    /// What its launch restored.
    public var report: RestorationReport
}
