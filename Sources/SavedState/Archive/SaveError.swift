import ExactText
package import LinuxIO

/// Durability level of saved state.
package enum SaveLevel: Sendable, Equatable {
    /// The state survives a power cut.
    case durable
    /// The state survives a crash of this process, but not a power cut.
    case written
}

/// Error type with a case for failed system calls.
package protocol IOFailure: Error {
    /// A system call failed.
    static func io(_ error: IOError) -> Self
}

extension IOFailure {
    /// Runs a closure and converts any ``LinuxIO/IOError`` to this type.
    package static func wrapping<Result>(
        _ body: () throws(IOError) -> Result
    ) throws(Self) -> Result {
        do throws(IOError) { return try body() } catch { throw .io(error) }
    }

    /// Evaluates an expression and converts any ``LinuxIO/IOError`` to this type.
    package static func wrapping<Result>(
        _ value: @autoclosure () throws(IOError) -> Result
    ) throws(Self) -> Result {
        do throws(IOError) { return try value() } catch { throw .io(error) }
    }
}

/// Reason why state could not be saved. Previously saved state is unchanged.
package enum SaveError: IOFailure, Sendable, Equatable, CustomStringConvertible {
    /// The archive has not been loaded yet, so its contents are unknown.
    case notLoaded(path: String)
    /// The archive could not be loaded. Writing to it could destroy the state that could not be read (L5).
    case loadFailed(path: String, because: LoadError)
    /// A pass in the turn contradicts itself or the archive. That pass and all later passes were rejected.
    case malformed(path: String, reason: String)
    /// The archive would exceed the size limit.
    case tooLarge(path: String, byteCount: Int, limit: Int)
    /// Another program changed or replaced the file.
    ///
    /// Nothing is written until the application decides how to handle the change.
    case changedExternally(path: String, reason: String)
    /// A system call failed.
    case io(IOError)

    /// One sentence that says what failed, where, and what to do.
    package var description: String {
        switch self {
        case .notLoaded(let path):
            "Cannot save to '\(path)': it has not been loaded; load it first."
        case .loadFailed(let path, let error):
            "Nothing is saved to '\(path)' until it can be loaded: \(error)"
        case .malformed(let path, let reason):
            "Cannot save to '\(path)': \(reason); report this as a bug."
        case .tooLarge(let path, let byteCount, let limit):
            """
            Cannot save to '\(path)': it would have \(byteCount) bytes, and the limit is \
            \(limit); close scenes, or save less in each scene.
            """
        case .changedExternally(let path, let reason):
            "Another program changed '\(path)': \(reason)."
        case .io(let error): error.description
        }
    }
}

/// Reason why an archive could not be loaded, although it is not known to be damaged.
///
/// The application's directory was not changed, and nothing is saved until a load succeeds (L5).
package enum LoadError: IOFailure, Sendable, Equatable, CustomStringConvertible {
    /// A newer version of the program wrote the archive.
    case newerFormat(path: String, version: UInt32)
    /// The archive is a symbolic link. The next save would replace the link, and its target would not change.
    case link(path: String)
    /// A system call failed while the archive was read, or while a damaged archive was moved to quarantine.
    case io(IOError)

    /// One sentence that says what failed, where, and what to do.
    package var description: String {
        switch self {
        case .newerFormat(let path, let version):
            """
            Cannot load '\(path)': its format version \(version) is newer than \
            \(ArchiveFormat.version), the newest version that this program supports; start the version of the \
            program that wrote it, or move it away and roll back to an earlier generation after the launch.
            """
        case .link(let path):
            """
            Cannot load '\(path)': it is a symbolic link, which the next archive would replace; \
            move the file itself there (`readlink -f '\(path)'` shows its path), or replace the \
            whole directory with a link.
            """
        case .io(let error): error.description
        }
    }
}
