/// Names of the files and directories in a state directory.
enum Layout {
    /// Directory that contains the applications' directories.
    static let applications = "Saved Application State"
    /// Directory that contains the directories with the applications' documents.
    static let documents = "Documents"
    /// Suffix of an application's directory, after the bundle identifier.
    static let folderSuffix = ".savedState"
    /// Archive of an application.
    static let archive = "data.archive"
    /// New archive before it is renamed to its final name.
    static let temporary = "data.archive.new"
    /// New archive of a compaction before the names are exchanged, then the old archive.
    static let compacted = "data.archive.compacted"
    /// State of the archive's replica, see ``ReplicaMark``.
    static let replica = "replica"
    /// New archive that will replace an archive that is being moved to quarantine.
    static let salvaged = "data.archive.salvaged"
    /// File with the identifier of the process that holds the lock of the state directory.
    static let holder = "holder"
}
