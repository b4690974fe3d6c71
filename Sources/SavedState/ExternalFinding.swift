package import LinuxIO

/// What stands under an archive's name, as far as another program may have changed it.
package enum ExternalFinding: Sendable, Equatable {
    /// What this process wrote, or read.
    case ours
    /// Nothing: the file or a folder above it was removed.
    case removed
    /// Something on another device, or in another state directory: a file system was mounted or unmounted,
    /// or a folder renamed (L4). Also if there never was a file, and the state directory was removed. The
    /// reason is a clause.
    case elsewhere(reason: String)
    /// A whole archive of the application.
    case replaced(ReplacingArchive)
    /// Something that cannot be used, at least as it is now: a program may still be writing it. The
    /// reason is a clause.
    case unusable(reason: String, FileStatus)
}
