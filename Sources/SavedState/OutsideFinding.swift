package import LinuxIO

/// What stands under an archive's name, as far as another program may have changed it.
package enum OutsideFinding: Sendable, Equatable {
    /// What this process wrote, or read.
    case ours
    /// Nothing: the file or a folder above it was removed.
    case removed
    /// Something on another device: a file system was mounted or unmounted (L4). The reason is a clause.
    case elsewhere(reason: String)
    /// A whole archive of the application.
    case replaced(ReplacingArchive)
    /// Something that cannot be used, at least as it is now: a program may still be writing it. The
    /// reason is a clause.
    case unusable(reason: String, FileStatus)
}
