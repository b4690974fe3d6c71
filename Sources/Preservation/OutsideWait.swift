import SavedState

/// A change by another program that is not decided yet, because that program may not be done.
struct OutsideWait {
    /// Tells it from those before.
    let number: Int
    /// How long the decision has been waited for, here and before what was seen changed.
    var duration = Duration.zero
    /// What was there when it was looked at last; nil: it was not.
    var seen: Seen?
    /// Whether commands are answered, although nothing is decided.
    var answers = false

    /// What is there in place of an archive that can be used.
    enum Seen: Equatable {
        /// Nothing.
        case nothing
        /// Something that cannot be used as it is.
        case unusable(FileFingerprint)
    }
}
