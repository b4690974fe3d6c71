import SavedState
import StateRestoration

/// A replacement whose scenes are being launched.
struct PendingReplacement {
    /// What the archive got, and how it has its own again.
    var prepared: PreparedState
    /// The scenes that are launched.
    var launched: [RestorationIdentifier]
    /// Where what was saved before is kept.
    var generation: String?
    var requester: Requester

    /// Who is told what came of it.
    enum Requester {
        case command(CheckedContinuation<Result<ReplacedState, ReplacementFailure>, Never>)
        /// Another program, which put this in the archive's place.
        case file(ReplacingArchive)
    }
}
