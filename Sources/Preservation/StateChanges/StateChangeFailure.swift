import SavedState
import StateRestoration

/// Error for a change to state or storyboards that failed and left everything unchanged.
struct StateChangeFailure: Error {
    var cause: ReplacementObstacle
    /// Phrase or sentence that describes the reason.
    var reason: String
    /// Name of the scene that could not be launched or does not exist, or `nil` if the failure concerns no such scene.
    var sceneName: RestorationIdentifier?
    /// Whether another program changed the archive again before it could be loaded.
    var isSuperseded = false

    init(cause: ReplacementObstacle, reason: String, sceneName: RestorationIdentifier? = nil) {
        self.cause = cause
        self.reason = reason
        self.sceneName = sceneName
    }

    /// Failure of a change that was undone because the application is stopping.
    static let applicationStopping = StateChangeFailure(
        cause: .notLaunched, reason: "the application is stopping")

    /// Creates a failure for an archive that could not accept the new state.
    init(_ error: SaveError) {
        cause = if case .malformed = error { .damaged } else { .notSaved }
        if case .changedExternally = error { isSuperseded = true }
        reason = "\(error)"
    }

    /// Creates a failure for saved state that could not be added to the history.
    init(historyError error: SaveError) {
        cause = .notSaved
        reason = "the saved state cannot be added to the history: \(error)"
    }

    /// Creates a failure for a file whose state cannot be used.
    init(_ error: StoredStateError) {
        cause =
            switch error {
            case .unknown: .unknown
            case .notAFile: .notAFile
            case .damaged: .damaged
            case .foreign: .foreign
            case .newerFormat: .newerFormat
            case .io: .unreadable
            }
        reason = "\(error)"
    }

    /// Reads a file that contains new state, and converts errors to ``StateChangeFailure``.
    static func reading<Value>(
        _ body: () throws(StoredStateError) -> Value
    ) throws(StateChangeFailure) -> Value {
        do throws(StoredStateError) { return try body() } catch { throw StateChangeFailure(error) }
    }

    /// Phrase or sentence that describes the failure and the scene that could not be launched, if any.
    var sentence: String {
        guard cause == .notLaunched, let sceneName else { return reason }
        return "the scene \(sceneName) could not be launched: \(reason)"
    }
}

/// Obstacle that prevented the saved state from being replaced.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum ReplacementObstacle: String, Sendable {
    /// No generation or file with this name exists.
    case unknown
    /// The file failed its integrity check, or contains no scene.
    case damaged
    /// The entry in quarantine is not a file.
    case notAFile = "no-file"
    /// The file belongs to another application.
    case foreign
    /// A newer version of the program wrote the file.
    case newerFormat = "newer-format"
    /// The file cannot be read because of a system error.
    case unreadable
    /// The values of an object cannot be read.
    case unreadableValues = "unreadable-values"
    /// A scene could not be launched from the new state.
    case notLaunched = "not-launched"
    /// The previous state cannot be added to the history, or the new state cannot be saved.
    case notSaved = "not-saved"

    /// Whether another attempt with the same file may succeed.
    var isRetryable: Bool { self == .notSaved || self == .unreadable }
}
