package import LinuxIO

/// Why something in quarantine or in the history cannot be used; it stays there as it is.
package enum KeptStateError: Error, Sendable, Equatable, CustomStringConvertible {
    /// There is nothing of that name there.
    case unknown(name: String, in: String)
    /// It is no file.
    case noFile(path: String, kind: FileKind)
    /// Its bytes fail their check.
    case damaged(path: String, reason: String)
    /// It belongs to another application.
    case foreign(path: String, application: String)
    /// A newer version of the program wrote it.
    case newerFormat(path: String, version: UInt32)
    /// The kernel refused.
    case io(IOError)

    /// One sentence: what failed, where, and what to do.
    package var description: String {
        switch self {
        case .unknown(let name, let folder):
            "There is nothing named '\(name)' in '\(folder)'; name one of what is there."
        case .noFile(let path, let kind):
            "Cannot use '\(path)': it is \(kind.description); choose a file."
        case .damaged(let path, let reason):
            "Cannot use '\(path)': it is damaged: \(reason); choose another one."
        case .foreign(let path, let application):
            "Cannot use '\(path)': it belongs to '\(application)'; use it with that application."
        case .newerFormat(let path, let version):
            """
            Cannot use '\(path)': its format version \(version) is newer than \
            \(ArchiveFormat.version), the newest known here; start the version of the program \
            that wrote it.
            """
        case .io(let error):
            error.description
        }
    }
}
