package import LinuxIO

/// Why an archive could not be loaded although nothing says that it is damaged.
///
/// The application's folder was not touched, and nothing is saved until a load succeeds (L5).
package enum LoadError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A newer version of the program wrote it.
    case newerFormat(path: String, version: UInt32)
    /// It is a symbolic link: what is saved next would take the place of the link, and nothing get to
    /// where that leads.
    case link(path: String)
    /// The kernel refused to hand it over, or to put a damaged one into quarantine.
    case io(IOError)

    /// One sentence: what failed, where, and what to do.
    package var description: String {
        switch self {
        case .newerFormat(let path, let version):
            """
            Cannot load '\(path)': its format version \(version) is newer than \
            \(ArchiveFormat.version), the newest known here; start the version of the program \
            that wrote it, or move it away.
            """
        case .link(let path):
            """
            Cannot load '\(path)': it is a symbolic link, whose place the next archive would take; \
            put the file itself there, or make the folder that it lies in the link.
            """
        case .io(let error):
            error.description
        }
    }
}
