import ExactText
import SavedState

/// Reason why a backup could not be made, or could not be restored.
public struct BackupError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Kind of failure.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Kind: Sendable {
        /// The directory for the new backup exists already, or an interrupted backup left its files.
        case targetExists
        /// The backup could not be written.
        case notWritten
        /// The directory is not a complete backup.
        case notABackup
        /// A file of the backup is missing, damaged or changed.
        case damaged
        /// None of the keys can decrypt a file of the backup.
        case undecryptable
        /// The backup and the state directory contain each other.
        case overlapping
        /// The state directory was not changed, for the reason in the description.
        case notRestored
        /// The restore was interrupted while it replaced files.
        ///
        /// The state directory cannot be used until the same backup is restored again.
        case restoreUnfinished
    }

    /// Kind of the failure.
    public let kind: Kind
    /// Path of the file or directory that is concerned.
    public let path: String
    /// Sentences that say what is wrong, with which file, and what to do.
    public let description: String

    init(_ kind: Kind, at path: String, _ description: String) {
        (self.kind, self.path, self.description) = (kind, path, description)
    }

    init(_ failure: BackupFailure) {
        let kind: Kind =
            switch failure.kind {
            case .targetExists: .targetExists
            case .notABackup: .notABackup
            case .damaged: .damaged
            case .undecryptable: .undecryptable
            case .overlapping: .overlapping
            case .unexpectedPart: .notWritten
            case .notRestored: .notRestored
            case .otherRestoreUnfinished, .restoreUnfinished: .restoreUnfinished
            }
        self.init(kind, at: failure.path, failure.description)
    }
}

/// Result of ``Application/backup(to:)``.
public struct BackupReport: Sendable, Equatable {
    /// Path of the backup.
    public let path: String
    /// Number of files in the backup: the archive, unless nothing is saved yet, and the documents.
    public let fileCount: Int
    /// Size of all files in bytes.
    public let byteCount: Int
    /// Paths of entries in the directory of the documents that are not documents and are not in the backup, relative
    /// to the state directory.
    public let omittedPaths: [String]
}

/// Application that ``ApplicationStateDirectory/restore(from:to:keys:)`` has restored.
public struct RestoredApplication: Sendable, Equatable {
    /// Bundle identifier of the application.
    public let bundleIdentifier: String
    /// Path of the generation with the state that the backup has replaced, or `nil` if there was none, or if it equals
    /// the backup.
    public let generation: String?
    /// Path of the documents that the backup has replaced, or `nil` if there were none, or if they equal the backup.
    public let replacedDocuments: String?
}
