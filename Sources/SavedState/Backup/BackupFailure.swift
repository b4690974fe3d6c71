/// Reason why a backup cannot be made, verified or restored.
package struct BackupFailure: Error, Sendable, CustomStringConvertible {
    /// Kind of failure.
    package enum Kind: Sendable {
        /// The directory that a backup should create exists already.
        case targetExists
        /// The directory is not a complete backup.
        case notABackup
        /// A file of the backup is missing, damaged or changed.
        case damaged
        /// No key can decrypt a file of the backup.
        case undecryptable
        /// The backup and the state directory contain each other.
        case overlapping
        /// The restore of another backup into the state directory was interrupted.
        case otherRestoreUnfinished
        /// A part of a file is not the one that comes next.
        case unexpectedPart
        /// Nothing was restored, for the reason in the description.
        case notRestored
        /// A restore that had begun to replace files failed.
        case restoreUnfinished
    }

    /// Kind of the failure.
    package let kind: Kind
    /// Path of the file or directory that is concerned.
    package let path: String
    /// Sentences that say what is wrong, and what to do.
    package let description: String

    package init(_ kind: Kind, at path: String, _ description: String) {
        (self.kind, self.path, self.description) = (kind, path, description)
    }
}
