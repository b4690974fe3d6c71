/// The names of what lies below a state directory.
enum Layout {
    /// The folder of the applications' folders.
    static let applications = "Saved Application State"
    /// What follows the bundle identifier in the name of an application's folder.
    static let folderSuffix = ".savedState"
    /// An application's archive, in its folder.
    static let archive = "data.archive"
    /// A whole new archive before it gets that name.
    static let temporary = "data.archive.new"
    /// The new archive of a compaction before it gets that name; then the old one, until it is removed.
    static let compacted = "data.archive.compacted"
    /// What takes the place of an archive that is on its way to quarantine.
    static let salvaged = "data.archive.salvaged"
}
