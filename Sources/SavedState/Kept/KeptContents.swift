import ExactText
package import LinuxIO
import StateRecords

/// What can be used of an archive in quarantine or in the history, every byte of which was checked:
/// the state after its last complete pass, or the last one before a torn or damaged part.
package struct KeptContents: Sendable, Equatable {
    /// Where it lies.
    package var path: String
    /// What it holds.
    package var contents: ArchiveContents
    /// A clause that tells what cannot be used of it; nil: all can.
    package var shortfall: String?
    /// The objects whose records are damaged, if the intact ones were asked for.
    package var lost: [ArchiveSalvage.Lost] = []

    /// What is in memory, which goes under the path of its file.
    package init(path: String, contents: ArchiveContents) {
        self.path = path
        self.contents = contents
    }

    /// Checks what was read, which is to be used for an application.
    ///
    /// - Parameter namesUsed: see ``ArchiveSalvage``; nil: single objects are not salvaged.
    init(
        _ bytes: [UInt8], path: String, bundleIdentifier: String,
        salvaging namesUsed: ((ObjectRecord) -> [UInt32]?)? = nil
    ) throws(KeptStateError) {
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
                lost = salvage.account.lost
            } else if let before {
                contents = before.contents
            } else {
                throw .damaged(path: path, reason: "\(reason), at byte \(offset)")
            }
        }
    }
}

/// Why something in quarantine or in the history cannot be used; it stays there as it is.
package enum KeptStateError: IOFailure, Sendable, Equatable, CustomStringConvertible {
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
            "There is nothing named '\(name)' in '\(folder)'; name one of the files there."
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
        case .io(let error): error.description
        }
    }
}
