import ExactText
package import LinuxIO
import StateRecords

/// Usable contents of an archive in quarantine or in the history, every byte of which was checked.
///
/// The contents are the state after the last complete pass, or after the last complete pass before a torn or damaged
/// part.
package struct StoredContents: Sendable, Equatable {
    /// Path of the file.
    package var path: String
    /// Usable state.
    package var contents: ArchiveContents
    /// Phrase that says which part cannot be used, or `nil` if all contents can be used.
    package var shortfall: String?
    /// Objects with damaged records, if the intact objects were requested.
    package var lost: [ArchiveSalvage.Lost] = []

    /// Creates contents from the state in memory.
    ///
    /// - Parameter path: Path of the archive's file.
    package init(path: String, contents: ArchiveContents) {
        self.path = path
        self.contents = contents
    }

    /// Checks the bytes of an archive that belongs to an application.
    ///
    /// - Parameter namesUsed: See ``ArchiveSalvage``. If the function is `nil`, single objects are not salvaged.
    init(
        _ bytes: [UInt8], path: String, bundleIdentifier: String,
        salvaging namesUsed: ((ObjectRecord) -> [UInt32]?)? = nil
    ) throws(StoredStateError) {
        self.path = path
        if let owner = ArchiveHeader(bytes)?.bundleIdentifier, owner != bundleIdentifier {
            throw .foreign(path: path, application: owner)
        }
        switch ArchiveReader.read(bytes, bundleIdentifier: bundleIdentifier) {
        case .newer(let version): throw .newerFormat(path: path, version: version)
        case .whole(let prefix): contents = prefix.contents
        case .torn(let prefix, let tail):
            contents = prefix.contents
            shortfall = "it is torn at byte \(tail.offset): \(tail.reason)"
        case .damaged(let reason, let offset, let before):
            shortfall = "it is damaged at byte \(offset): \(reason)"
            if let namesUsed,
                let salvage = ArchiveSalvage(
                    bytes, bundleIdentifier: bundleIdentifier, namesUsed: namesUsed)
            {
                contents = salvage.contents
                lost = salvage.damage.lost
            } else if let before {
                contents = before.contents
            } else {
                throw .damaged(path: path, reason: "\(reason), at byte \(offset)")
            }
        }
    }
}

/// Reason why a file in quarantine or in the history cannot be used. The file is unchanged.
package enum StoredStateError: IOFailure, Sendable, Equatable, CustomStringConvertible {
    /// No file has this name.
    case unknown(name: String, in: String)
    /// The entry is not a regular file.
    case noFile(path: String, kind: FileKind)
    /// The file failed its check.
    case damaged(path: String, reason: String)
    /// The file belongs to another application.
    case foreign(path: String, application: String)
    /// A newer version of the program wrote the file.
    case newerFormat(path: String, version: UInt32)
    /// A system call failed.
    case io(IOError)

    /// One sentence that says what failed, where, and what to do.
    package var description: String {
        switch self {
        case .unknown(let name, let folder):
            "There is no file '\(name)' in '\(folder)'; choose one of the files there."
        case .noFile(let path, let kind):
            "Cannot use '\(path)': it is \(kind.description); choose a file."
        case .damaged(let path, let reason):
            "Cannot use '\(path)': it is damaged: \(reason); choose another file."
        case .foreign(let path, let application):
            "Cannot use '\(path)': it belongs to '\(application)'; use it with that application."
        case .newerFormat(let path, let version):
            """
            Cannot use '\(path)': its format version \(version) is newer than \
            \(ArchiveFormat.version), the newest version that this program supports; start the version of the \
            program that wrote it.
            """
        case .io(let error): error.description
        }
    }
}
