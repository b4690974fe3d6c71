/// Names of the files and directories in a state directory.
enum StateDirectoryLayout {
    /// Directory that contains the applications' directories.
    static let applicationsDirectoryName = "Saved Application State"
    /// Directory that contains a documents directory for each application.
    static let documentsDirectoryName = "Documents"
    /// Suffix that follows the bundle identifier in the name of an application's directory.
    static let directorySuffix = ".savedState"
    /// Archive of an application.
    static let archiveFileName = "data.archive"
    /// New archive before it is renamed to its final name.
    static let temporaryArchiveName = "data.archive.new"
    /// New archive that a compaction writes. After the compaction has exchanged the names, this is the old archive.
    static let compactedArchiveName = "data.archive.compacted"
    /// Checkpoint of the archive's replica (see ``ReplicaCheckpoint``).
    static let replicaCheckpointName = "replica"
    /// New archive for an application whose current archive is being moved to quarantine.
    static let salvagedArchiveName = "data.archive.salvaged"
    /// File with the identifier of the process that holds the lock on the state directory.
    static let lockHolderFileName = "holder"
}
