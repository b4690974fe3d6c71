import LinuxIO
import SavedState

/// An archive of another program that could not be taken over, and is not in quarantine yet.
struct RefusedArchive {
    let archive: ReplacingArchive
    /// Why it could not be taken over; a clause.
    let reason: String
    /// What kept it from being put into quarantine; nil: nothing yet.
    var failure: IOError?
}
