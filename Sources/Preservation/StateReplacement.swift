import SavedState
import StateRestoration

/// Another state that scenes of an application are to have.
struct StateReplacement {
    /// What holds it.
    var contents: ArchiveContents
    /// The scenes that are to have it; nil: all of the application. One of which the contents know
    /// nothing is launched without state if it is configured or named, and ends otherwise.
    var scenes: [RestorationIdentifier]?
    /// Why what is saved now is kept as a generation.
    var reason: GenerationReason
    /// The file that another program gave the archive's name, if the contents are its; nil: they are
    /// not.
    var replacing: ReplacingArchive?

    /// Whether a scene of that name is to have another state, or none.
    func covers(_ name: RestorationIdentifier) -> Bool { scenes?.contains(name) ?? true }
}

/// What became of a replacement that was made.
public struct ReplacedState: Sendable, Equatable {
    /// The names of the scenes that were launched from the other state.
    public var scenes: [String]
    /// Where what was saved before is kept; nil: nothing was.
    public var generation: String?
    /// How safe the other state is.
    public var saved: Saved
}

/// Why the state of scenes was not replaced; nothing has changed then.
struct ReplacementFailure: Error {
    var cause: ReplacementObstacle
    /// A clause or a sentence.
    var reason: String
    /// Whether another program has changed the archive again, which was to be taken over.
    var isSuperseded = false

    init(cause: ReplacementObstacle, reason: String) {
        self.cause = cause
        self.reason = reason
    }

    /// The archive did not take the other state.
    init(_ error: SaveError) {
        cause = if case .malformed = error { .damaged } else { .notSaved }
        reason = "\(error)"
    }

    /// What holds the other state cannot be used.
    init(_ error: KeptStateError) {
        cause =
            switch error {
            case .unknown: .unknown
            case .noFile, .damaged: .damaged
            case .foreign: .foreign
            case .newerFormat: .newerFormat
            case .io: .unreadable
            }
        reason = "\(error)"
    }
}

/// What kept another state from taking the place of the present one.
public enum ReplacementObstacle: String, Sendable {
    /// There is nothing of that name.
    case unknown
    /// Its file fails its check, holds no scene, or is no file.
    case damaged
    /// Its file belongs to another application.
    case foreign
    /// A newer version of the program wrote its file.
    case newerFormat = "newer-format"
    /// The kernel does not let its file be read.
    case unreadable
    /// The values of one of its objects are none.
    case unreadableValues = "unreadable-values"
    /// A scene could not be launched from it.
    case notLaunched = "not-launched"
    /// What stands in its place cannot be kept, or the other state not be saved.
    case notSaved = "not-saved"

    /// Whether another attempt may well succeed, with the same file.
    var isOfDisk: Bool { self == .notSaved || self == .unreadable }
}
