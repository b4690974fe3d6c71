/// Why a scene is launched (R2).
public enum LaunchReason: String, Sendable, Codable {
    /// Nothing was saved.
    case pristine
    /// After an orderly stop.
    case restore
    /// After a crash or a kill.
    case recover
    /// A changed archive or a rollback.
    case replace
    /// A changed storyboard.
    case reload
}
