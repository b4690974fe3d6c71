import LinuxIO

/// A change by another program that is not decided yet, because that program may not be done.
struct OutsideWait {
    /// Tells it from those before.
    let number: Int
    /// What cannot be used, as it was looked at last; nil: it was not, or nothing was there.
    var seen: FileStatus?
}
