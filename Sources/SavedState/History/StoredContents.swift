import ExactText
package import LinuxIO
import StateRecords

/// Usable contents of an archive in quarantine or in the history, after every byte has been checked.
///
/// The contents are the state after the last complete pass, or after the last complete pass before a torn or damaged
/// part.
package struct StoredContents: Sendable, Equatable {
    /// Path of the file.
    package var path: String
    /// Usable state.
    package var contents: ArchiveContents
    /// Phrase that explains why part of the file cannot be used, or `nil` if the whole file can be used.
    package var shortfall: String?
    /// Objects that could not be salvaged from a damaged archive. The list is empty if the contents come from complete
    /// passes.
    package var lostObjects: [ArchiveSalvage.LostObject] = []

    /// Creates contents from an archive's state in memory.
    ///
    /// - Parameter path: Path of the archive's file.
    package init(path: String, contents: ArchiveContents) {
        self.path = path
        self.contents = contents
    }

    /// Checks the bytes of an application's archive.
    ///
    /// - Parameter referencedNameNumbers: See ``ArchiveSalvage/init(_:bundleIdentifier:referencedNameNumbers:)``. If this parameter
    ///   is `nil`, individual objects are not salvaged.
    init(
        _ bytes: [UInt8], path: String, bundleIdentifier: String,
        salvaging referencedNameNumbers: ((ObjectRecord) -> [UInt32]?)? = nil
    ) throws(StoredStateError) {
        self.path = path
        if let owner = ArchiveHeader(bytes)?.bundleIdentifier, owner != bundleIdentifier {
            throw .foreign(path: path, bundleIdentifier: owner)
        }
        switch ArchiveReader.read(bytes, bundleIdentifier: bundleIdentifier) {
        case .newer(let version): throw .newerFormat(path: path, version: version)
        case .whole(let prefix): contents = prefix.contents
        case .torn(let prefix, let tail):
            contents = prefix.contents
            shortfall = "it is torn at byte \(tail.offset): \(tail.reason)"
        case .damaged(let reason, let offset, let usablePrefix):
            shortfall = "it is damaged at byte \(offset): \(reason)"
            if let referencedNameNumbers,
                let salvage = ArchiveSalvage(
                    bytes, bundleIdentifier: bundleIdentifier,
                    referencedNameNumbers: referencedNameNumbers)
            {
                contents = salvage.contents
                lostObjects = salvage.damage.lostObjects
            } else if let usablePrefix {
                contents = usablePrefix.contents
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
    case notAFile(path: String, kind: FileKind)
    /// The file is damaged.
    case damaged(path: String, reason: String)
    /// The file belongs to another application.
    case foreign(path: String, bundleIdentifier: String)
    /// A newer version of the program wrote the file.
    case newerFormat(path: String, version: UInt32)
    /// A system call failed.
    case io(IOError)

    /// One sentence that says what failed, where, and what to do.
    package var description: String {
        switch self {
        case .unknown(let name, let directory):
            "There is no file '\(name)' in '\(directory)'; choose one of the files there."
        case .notAFile(let path, let kind):
            "Cannot use '\(path)': it is \(kind.description); choose a file."
        case .damaged(let path, let reason):
            "Cannot use '\(path)': it is damaged: \(reason); choose another file."
        case .foreign(let path, let bundleIdentifier):
            "Cannot use '\(path)': it belongs to '\(bundleIdentifier)'; use it with that application."
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
