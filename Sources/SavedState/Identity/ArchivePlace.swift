import ExactText
import LinuxIO

/// Location of an application's archive, including its directory and the directories above it.
///
/// Directories are opened again for each operation, because an operator may have removed or replaced them (L4).
/// An entry that exists may not be durable.
struct ArchivePlace: Sendable {
    /// State directory.
    let stateFolder: any Folder
    /// Bundle identifier of the application.
    let bundleIdentifier: String
    /// Path of the archive's file, whether it exists or not.
    let path: String
    /// Maximum size of a file in bytes.
    let limit: Int
    /// Guard that counts crashes against scenes, or `nil` without one.
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

    /// Returns the path of the history or the quarantine, whether it exists or not.
    func path(of kind: NumberedFolder.Kind) -> String {
        "\(path.dropLast(Layout.archive.utf8.count))\(kind.rawValue)"
    }

    /// Opens the application's directory, or returns `nil` if it does not exist.
    func folder() throws(IOError) -> (any Folder)? {
        try stateFolder.subfolder(Layout.applications)?.subfolder(folderName)
    }

    /// Returns whether the directory's name is a broken symbolic link, for example to a missing disk.
    func isLinkToNowhere() throws(IOError) -> Bool {
        guard let applications = try stateFolder.subfolder(Layout.applications) else {
            return try stateFolder.names().contains(Layout.applications)
        }
        return try applications.names().contains(folderName)
    }

    /// Opens the application's directory, and creates it durably if it does not exist.
    func makeFolder() throws(IOError) -> any Folder {
        let folder = try stateFolder.makeSubfolder(Layout.applications).makeSubfolder(folderName)
        try synchronize()
        return folder
    }

    /// Makes the names of the directories, and the names in the application's directory, durable before it returns.
    func synchronize() throws(IOError) {
        try stateFolder.synchronize()
        guard let applications = try stateFolder.subfolder(Layout.applications) else { return }
        try applications.synchronize()
        guard let folder = try applications.subfolder(folderName) else { return }
        // A moved file must durably have its new name before it loses the old name.
        for kind in [NumberedFolder.Kind.quarantine, .history] {
            do throws(IOError) {
                try folder.subfolder(kind.rawValue)?.synchronize()
            } catch  where error.isOfUnusableFolder {
                // No file was moved to a directory that cannot be opened.
            }
        }
        try folder.synchronize()
    }

    // MARK: Checking the path

    /// Returns why the state directory's path no longer refers to the directory, as part of a sentence, or `nil` if it
    /// still does.
    func displacement() throws(IOError) -> String? { try stateFolder.pathStatus().displacement }

    /// Returns the devices of the directories that exist.
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
