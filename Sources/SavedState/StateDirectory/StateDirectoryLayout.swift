/// Names of the files and directories in a state directory.
enum StateDirectoryLayout {
    /// Directory that contains the applications' directories.
    static let applications = "Saved Application State"
    /// Directory that contains one directory of documents for each application.
    static let documents = "Documents"
    /// Suffix that follows the bundle identifier in the name of an application's directory.
    static let directorySuffix = ".savedState"
    /// Archive of an application.
    static let archive = "data.archive"
    /// New archive before it is renamed to its final name.
    static let temporaryName = "data.archive.new"
    /// New archive that a compaction writes. After the compaction has exchanged the names, this is the old archive.
    static let compacted = "data.archive.compacted"
    /// Checkpoint of the archive's replica (see ``ReplicaCheckpoint``).
    static let replica = "replica"
    /// New archive for an application whose current archive is being moved to quarantine.
    static let salvaged = "data.archive.salvaged"
    /// File with the identifier of the process that holds the lock on the state directory.
    static let holder = "holder"
}
