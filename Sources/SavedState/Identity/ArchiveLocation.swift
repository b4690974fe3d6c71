import ExactText
import LinuxIO

/// Location of an application's archive, including its directory and the directories above it.
///
/// Directories are opened again for each operation, because an operator may have removed or replaced them (L4). A
/// directory entry that exists may not be durable.
struct ArchiveLocation: Sendable {
    /// The state directory.
    let stateFolder: any Folder
    /// Bundle identifier of the application.
    let bundleIdentifier: String
    /// Path of the archive's file, whether or not the file exists.
    let path: String
    /// Maximum size of an archive's file in bytes.
    let limit: Int
    /// Guard that attributes crashes to scenes, or `nil` if crashes are not attributed.
    private let launchGuard: LaunchGuard?

    init(
        of bundleIdentifier: String, below stateFolder: any Folder, limit: Int,
        launchGuard: LaunchGuard?
    ) {
        self.stateFolder = stateFolder
        self.bundleIdentifier = bundleIdentifier
        self.limit = limit
        self.launchGuard = launchGuard
        path = """
            \(stateFolder.path)/\(Layout.applications)/\
            \(bundleIdentifier)\(Layout.folderSuffix)/\(Layout.archive)
            """
    }

    /// Runs code that reads the application's files. A crash in this code is not attributed to any scene (L2).
    func readFiles<Result, Failure>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let launchGuard else { return try body() }
        return try launchGuard.readFiles(of: bundleIdentifier, body)
    }

    private var folderName: String { bundleIdentifier + Layout.folderSuffix }

    /// Returns the path of the history or the quarantine, whether or not the directory exists.
    func path(of kind: NumberedFolder.Kind) -> String {
        "\(path.dropLast(Layout.archive.utf8.count))\(kind.rawValue)"
    }

    /// Opens the application's directory, or returns `nil` if it does not exist.
    func folder() throws(IOError) -> (any Folder)? {
        try stateFolder.subfolder(Layout.applications)?.subfolder(folderName)
    }

    /// Returns whether the directory is a broken symbolic link, for example to a disk that is not mounted.
    func isDanglingLink() throws(IOError) -> Bool {
        guard let applications = try stateFolder.subfolder(Layout.applications) else {
            return try stateFolder.names().contains(Layout.applications)
        }
        return try applications.names().contains(folderName)
    }

    /// Opens the application's directory. If the directory does not exist, creates it durably.
    func makeFolder() throws(IOError) -> any Folder {
        let folder = try stateFolder.makeSubfolder(Layout.applications).makeSubfolder(folderName)
        try synchronize()
        return folder
    }

    /// Makes the directory entries for the directories, and all entries in the application's directory, durable before
    /// returning.
    func synchronize() throws(IOError) {
        try stateFolder.synchronize()
        guard let applications = try stateFolder.subfolder(Layout.applications) else { return }
        try applications.synchronize()
        guard let folder = try applications.subfolder(folderName) else { return }
        // A file that has been moved must durably have its new name before it durably loses its old name.
        for kind in [NumberedFolder.Kind.quarantine, .history] {
            do throws(IOError) {
                try folder.subfolder(kind.rawValue)?.synchronize()
            } catch  where error.indicatesUnusableFolder {
                // No file has been moved to a directory that cannot be opened.
            }
        }
        try folder.synchronize()
    }

    // MARK: Checking the path

    /// Returns the reason why the state directory's path no longer refers to the directory, as part of a sentence, or
    /// `nil` if the path still refers to it.
    func displacement() throws(IOError) -> String? { try stateFolder.pathStatus().displacement }

    /// Returns the devices that contain the directories.
    func devices() throws(IOError) -> FolderDevices {
        let applications = try stateFolder.status(of: Layout.applications)
        let folder = try stateFolder.subfolder(Layout.applications)?
            .status(of: folderName)
        return FolderDevices(applications: applications?.device, folder: folder?.device)
    }
}

extension FolderPathStatus {
    /// Reason why nothing can be saved in the state directory, as part of a sentence, or `nil` if state can be saved.
    var displacement: String? {
        switch self {
        case .same:
            nil
        case .other:
            """
            the path of the state directory leads elsewhere: it or a directory above it was \
            renamed, or a file system was mounted or unmounted there
            """
        case .removed:
            "the state directory was removed, and only a restart creates it again"
        }
    }
}
