/// Reason why a backup cannot be made, verified or restored.
package struct BackupFailure: Error, Sendable, CustomStringConvertible {
    /// Kind of failure.
    package enum Kind: Sendable {
        /// The target directory for the backup already exists.
        case targetExists
        /// The directory is not a complete backup.
        case notABackup
        /// A file in the backup is missing, damaged or changed.
        case damaged
        /// No key can decrypt a file in the backup.
        case undecryptable
        /// The backup and the state directory overlap.
        case overlapping
        /// A restore from a different backup into the state directory was interrupted.
        case otherRestoreUnfinished
        /// A part of a file was written out of order.
        case unexpectedPart
        /// Nothing was restored. The description contains the reason.
        case notRestored
        /// A restore failed after it had begun to replace files.
        case restoreUnfinished
    }

    /// Kind of this failure.
    package let kind: Kind
    /// Path of the affected file or directory.
    package let path: String
    /// Sentences that state what is wrong and what to do.
    package let description: String

    package init(_ kind: Kind, at path: String, _ description: String) {
        (self.kind, self.path, self.description) = (kind, path, description)
    }
}
