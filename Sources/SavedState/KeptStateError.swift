package import LinuxIO

/// Why something in quarantine or in the history cannot be used; it stays there as it is.
package enum KeptStateError: Error, Sendable, Equatable, CustomStringConvertible {
    /// There is nothing of that name there.
    case unknown(name: String, in: String)
    /// Its bytes fail their check.
    case damaged(path: String, reason: String)
    /// It belongs to another application.
    case foreign(path: String, application: String)
    /// A newer version of the program wrote it.
    case newerFormat(path: String, version: UInt32)
    /// The values of one of its objects are none.
    case unreadableValues(path: String, object: String)
    /// What is there now cannot be kept, or what comes back not be saved.
    case save(SaveError)
    /// The kernel refused.
    case io(IOError)

    /// One sentence: what failed, where, and what to do.
    package var description: String {
        switch self {
        case .unknown(let name, let folder):
            "There is nothing named '\(name)' in '\(folder)'; name one of what is there."
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
        case .unreadableValues(let path, let object):
            "Cannot use '\(path)': the values of '\(object)' are damaged; choose another one."
        case .save(let error):
            error.description
        case .io(let error):
            error.description
        }
    }
}
