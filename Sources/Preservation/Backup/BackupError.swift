import ExactText
import SavedState

/// Error that prevented a backup from being created or restored.
public struct BackupError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Kind of failure.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Kind: Sendable {
        /// The directory for the new backup already exists, or an interrupted backup has left files there.
        case targetExists
        /// The backup could not be written.
        case notWritten
        /// The directory is not a complete backup.
        case notABackup
        /// A file in the backup is missing, damaged or changed.
        case damaged
        /// A file in the backup cannot be decrypted with any of the keys.
        case undecryptable
        /// The backup is inside the state directory, or the state directory is inside the backup.
        case overlapping
        /// The backup could not be restored, and the state directory is unchanged.
        case notRestored
        /// The restore was interrupted while it was replacing files.
        ///
        /// The state directory cannot be used until the same backup is restored again.
        case restoreUnfinished
    }

    /// Kind of the failure.
    public let kind: Kind
    /// Path of the file or directory to which the error relates.
    public let path: String
    /// Sentences that describe the error, the file and the remedy.
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

/// Result of a successful backup made by ``Application/backup(to:)``.
public struct BackupReport: Sendable, Equatable {
    /// Path of the backup.
    public let path: String
    /// Number of files in the backup: all documents, and the archive if any state has been saved.
    public let fileCount: Int
    /// Total size of the files in bytes.
    public let byteCount: Int
    /// Paths of entries in the documents directory that are not documents and are therefore not in the backup.
    ///
    /// The paths are relative to the state directory.
    public let omittedPaths: [String]
}

/// Application restored by ``ApplicationStateDirectory/restore(from:to:keys:)``.
public struct RestoredApplication: Sendable, Equatable {
    /// Bundle identifier of the application.
    public let bundleIdentifier: String
    /// Path of the generation that contains the state from before the restore.
    ///
    /// The value is `nil` if no state was saved, or if the saved state was equal to the state in the backup.
    public let generation: String?
    /// Path of the directory that contains the documents from before the restore.
    ///
    /// The value is `nil` if there were no documents, or if they were equal to the documents in the backup.
    public let replacedDocuments: String?
}
