import ExactText

/// What loading an application's archive came to.
package enum LoadOutcome: Sendable, Equatable {
    /// There is no archive: the application has nothing saved.
    case none
    /// The archive is whole, or was after the torn end told here was left out; `closed` if it ends
    /// in an orderly stop.
    case loaded(closed: Bool, torn: TornTail?)
    /// The archive failed its check and lies in quarantine.
    case damaged(Damage)
}

/// An archive that failed its check, and what became of it.
package struct Damage: Sendable, Equatable {
    /// What came in between.
    package enum Cause: Sendable, Equatable {
        /// The file has no bytes.
        case empty
        /// It is the archive of another application.
        case foreign(application: String)
        /// It does not begin like an archive.
        case noArchive
        /// Bytes are not as they were written.
        case bytes
    }

    /// What is wrong; a clause that follows "the archive is damaged: ".
    package var reason: String
    /// Where it was found, in bytes from the start of the file.
    package var offset: Int
    /// What came in between.
    package var cause = Cause.bytes
    /// The path of the file in quarantine; its reason lies beside it.
    package var quarantinedAs: String
    /// What is used instead, if anything can be, and already saved as the new archive: the old one
    /// up to its last complete pass before the damage, a generation, or the objects in the old one
    /// that are intact.
    package var salvaged: ArchiveContents?
    /// The path of the file that is used instead, if it is not the archive's own beginning.
    package var source: String?
    /// What is not intact, if single objects are used because there is no older state.
    package var salvage: ArchiveSalvage.Account?
}

extension Damage.Cause {
    /// What a person is to do; a clause that follows a semicolon.
    package var remedy: String {
        switch self {
        case .empty:
            "something emptied the file: if older state is wanted, quit the application, put a backup or "
                + "a file of history/ in its place, and launch it"
        case .foreign(let application):
            "move the file to the directory of '\(application)', if that has no archive"
        case .noArchive:
            "something else was put in its place: take the file out of quarantine, and put a backup in "
                + "its place if older state is wanted"
        case .bytes:
            "check the disk, and the file with `reprisectl inspect`"
        }
    }

    /// What came in between the bytes of a damaged archive of this application.
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
