import ExactText

/// Outcome of loading an application's archive.
package enum LoadOutcome: Sendable, Equatable {
    /// The archive does not exist, so the application has no saved state.
    case none
    /// The archive is intact, except for a torn end if `tornTail` is not `nil`. The torn end was ignored.
    ///
    /// `isClosed` is `true` if the last record marks an orderly shutdown.
    case loaded(isClosed: Bool, tornTail: TornTail?)
    /// The archive is damaged and has been moved to quarantine.
    case damaged(Damage)
}

/// Damage to an archive, and the state that is used instead.
package struct Damage: Sendable, Equatable {
    /// Cause of the damage.
    package enum Cause: Sendable, Equatable {
        /// The file is empty.
        case empty
        /// The file is another application's archive.
        case foreign(bundleIdentifier: String)
        /// The file does not begin like an archive.
        case notAnArchive
        /// Some bytes have changed since they were written.
        case changedBytes
    }

    /// Description of the damage. In a message, it follows "the archive is damaged: ".
    package var reason: String
    /// Offset of the damage in bytes.
    package var offset: Int
    /// Cause of the damage.
    package var cause = Cause.changedBytes
    /// Path of the file in quarantine. A file with the reason is stored next to it.
    package var quarantinePath: String
    /// State that is used instead and has already been saved as the new archive, or `nil` if no state can be used.
    ///
    /// The state comes from the complete passes before the damage, from a generation, or from the intact
    /// objects in the damaged file.
    package var salvagedContents: ArchiveContents?
    /// Path of the file that contained the salvaged state, or `nil` if the state comes from the archive itself.
    package var salvageSourcePath: String?
    /// Report about the damaged objects, or `nil` if it was not necessary to salvage individual objects.
    package var salvageReport: ArchiveSalvage.DamageReport?
}

extension Damage.Cause {
    /// Advice for the operator. In a message, it follows a semicolon.
    package var remedy: String {
        switch self {
        case .empty:
            "the file was emptied: to restore older state, quit the application, replace the file with a "
                + "backup or a file from history/, and launch the application"
        case .foreign(let bundleIdentifier):
            "move the file to the directory of '\(bundleIdentifier)', if that directory has no archive"
        case .notAnArchive:
            "another file was put in its place: move that file out of quarantine, and restore a backup "
                + "of the archive to restore older state"
        case .changedBytes:
            "check the disk, and inspect the file with `reprisectl inspect`"
        }
    }

    /// Determines why the given bytes are not a valid archive for this application.
    init(_ bytes: [UInt8], bundleIdentifier: String) {
        if bytes.isEmpty {
            self = .empty
        } else if let owner = ArchiveHeader(bytes)?.bundleIdentifier, owner != bundleIdentifier {
            self = .foreign(bundleIdentifier: owner)
        } else if !bytes.starts(with: ArchiveFormat.magic.prefix(bytes.count)),
            !bytes.prefix(ArchiveFormat.magic.count).allSatisfy({ $0 == 0 }),
            ArchiveStart(reconstructing: bytes) == nil
        {
            self = .notAnArchive
        } else {
            self = .changedBytes
        }
    }
}
