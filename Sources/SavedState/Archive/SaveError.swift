import ExactText
package import LinuxIO

/// How safe is what was saved.
package enum SaveLevel: Sendable, Equatable {
    /// It survives a power cut.
    case durable
    /// It survives the end of this process, but not yet a power cut.
    case written
}

/// An error that may be the kernel's.
package protocol IOFailure: Error {
    /// The kernel refused.
    static func io(_ error: IOError) -> Self
}

extension IOFailure {
    /// Runs a body; an error of the kernel's is thrown as one of this type.
    static func wrapping<Result>(
        _ body: () throws(IOError) -> Result
    ) throws(Self) -> Result {
        do throws(IOError) { return try body() } catch { throw .io(error) }
    }

    /// The same for an expression.
    static func wrapping<Result>(
        _ value: @autoclosure () throws(IOError) -> Result
    ) throws(Self) -> Result {
        do throws(IOError) { return try value() } catch { throw .io(error) }
    }
}

/// Why something could not be saved; nothing that was saved before is harmed.
package enum SaveError: IOFailure, Sendable, Equatable, CustomStringConvertible {
    /// The archive was not loaded yet, so that what it holds is not known.
    case notLoaded(path: String)
    /// The archive could not be loaded; writing would destroy what could not be read (L5).
    case refused(path: String, because: LoadError)
    /// The turn contradicts itself or the archive; it and the passes after it were not taken.
    case malformed(path: String, reason: String)
    /// The archive would be too long to be read again.
    case tooLarge(path: String, byteCount: Int, limit: Int)
    /// Another program changed the file, or took its name; nothing is written over it before it is
    /// decided what becomes of it.
    case changedExternally(path: String, reason: String)
    /// The kernel refused.
    case io(IOError)

    /// One sentence: what failed, where, and what to do.
    package var description: String {
        switch self {
        case .notLoaded(let path):
            "Cannot save to '\(path)': it has not been loaded; load it first."
        case .refused(let path, let error):
            "Nothing is saved to '\(path)' until it can be loaded: \(error)"
        case .malformed(let path, let reason):
            "Cannot save to '\(path)': \(reason); report this as a defect of the program."
        case .tooLarge(let path, let byteCount, let limit):
            """
            Cannot save to '\(path)': it would have \(byteCount) bytes, and the limit is \
            \(limit); close scenes, or preserve less in each.
            """
        case .changedExternally(let path, let reason):
            "Another program changed '\(path)': \(reason)."
        case .io(let error): error.description
        }
    }
}

/// Why an archive could not be loaded although nothing says that it is damaged.
///
/// The application's folder was not touched, and nothing is saved until a load succeeds (L5).
package enum LoadError: IOFailure, Sendable, Equatable, CustomStringConvertible {
    /// A newer version of the program wrote it.
    case newerFormat(path: String, version: UInt32)
    /// It is a symbolic link: the archive that is saved next would replace the link, and the target would not change.
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
            that wrote it, or move it away and go back to an earlier generation after the launch.
            """
        case .link(let path):
            """
            Cannot load '\(path)': it is a symbolic link, which the next archive would replace; \
            put the file itself there (`readlink -f '\(path)'` names it), or make the directory \
            that holds it the link.
            """
        case .io(let error): error.description
        }
    }
}
