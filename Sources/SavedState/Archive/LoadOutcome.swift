import ExactText

/// Outcome of loading an application's archive.
package enum LoadOutcome: Sendable, Equatable {
    /// The archive does not exist: the application has no saved state.
    case none
    /// The archive is intact, except possibly for a torn end, which was ignored.
    ///
    /// `closed` is `true` if the last record marks an orderly shutdown.
    case loaded(closed: Bool, torn: TornTail?)
    /// The archive failed its check and is in quarantine.
    case damaged(Damage)
}

/// Damage to an archive that failed its check, and the state that is used instead.
package struct Damage: Sendable, Equatable {
    /// Cause of the damage.
    package enum Cause: Sendable, Equatable {
        /// The file is empty.
        case empty
        /// The file is the archive of another application.
        case foreign(application: String)
        /// The file does not begin like an archive.
        case noArchive
        /// Some bytes differ from the bytes that were written.
        case bytes
    }

    /// Description of the damage, to be appended to "the archive is damaged: ".
    package var reason: String
    /// Offset of the damage in bytes.
    package var offset: Int
    /// Cause of the damage.
    package var cause = Cause.bytes
    /// Path of the file in quarantine. The file with the reason is stored next to it.
    package var quarantinedAs: String
    /// State that is used instead and already saved as the new archive, or `nil` if no state can be used.
    ///
    /// The state comes from the complete passes before the damage, from a generation, or from the intact
    /// objects in the damaged file.
    package var salvaged: ArchiveContents?
    /// Path of the file that provided the salvaged state, or `nil` if the archive itself provided it.
    package var source: String?
    /// Report on damaged objects, or `nil` if complete passes could be used instead of single objects.
    package var salvage: ArchiveSalvage.DamageReport?
}

extension Damage.Cause {
    /// Instruction for the operator, to be inserted after a semicolon.
    package var remedy: String {
        switch self {
        case .empty:
            "the file was emptied: to restore older state, quit the application, replace the file with a "
                + "backup or a file from history/, and launch the application"
        case .foreign(let application):
            "move the file to the directory of '\(application)', if that directory has no archive"
        case .noArchive:
            "another file was put in its place: move that file out of quarantine, and restore a backup "
                + "of the archive to restore older state"
        case .bytes:
            "check the disk, and inspect the file with `reprisectl inspect`"
        }
    }

    /// Determines the cause of the damage to an archive of this application.
    init(_ bytes: [UInt8], bundleIdentifier: String) {
        if bytes.isEmpty {
            self = .empty
        } else if let owner = ArchiveHeader(bytes)?.bundleIdentifier, owner != bundleIdentifier {
            self = .foreign(application: owner)
        } else if !bytes.starts(with: ArchiveFormat.magic.prefix(bytes.count)),
            !bytes.prefix(ArchiveFormat.magic.count).allSatisfy({ $0 == 0 }),
            ArchiveStart(guessing: bytes) == nil
        {
            self = .noArchive
        } else {
            self = .bytes
        }
    }
}
