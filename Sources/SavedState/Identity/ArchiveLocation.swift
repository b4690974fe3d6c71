import ExactText
import LinuxIO

/// Location of an application's archive, including its directory and the directories above it.
///
/// Each operation reopens the directories, because an operator may have removed or replaced them (L4). An existing
/// directory entry is not necessarily durable.
struct ArchiveLocation: Sendable {
    /// The state directory.
    let stateDirectory: any DirectoryProtocol
    /// Bundle identifier of the application.
    let bundleIdentifier: String
    /// Path of the archive's file, whether or not the file exists.
    let path: String
    /// Maximum size of an archive's file in bytes.
    let maximumFileBytes: Int
    /// Guard that attributes crashes to scenes, or `nil` if crashes are not attributed.
    private let launchGuard: LaunchGuard?

    init(
        of bundleIdentifier: String, below stateDirectory: any DirectoryProtocol,
        maximumFileBytes: Int,
        launchGuard: LaunchGuard?
    ) {
        self.stateDirectory = stateDirectory
        self.bundleIdentifier = bundleIdentifier
        self.maximumFileBytes = maximumFileBytes
        self.launchGuard = launchGuard
        path = """
            \(stateDirectory.path)/\(StateDirectoryLayout.applicationsDirectoryName)/\
            \(bundleIdentifier)\(StateDirectoryLayout.directorySuffix)/\(StateDirectoryLayout.archiveFileName)
            """
    }

    /// Runs a closure that reads the application's files. A crash in the closure is not attributed to any scene (L2).
    func readFiles<Result, Failure>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let launchGuard else { return try body() }
        return try launchGuard.readFiles(of: bundleIdentifier, body)
    }

    private var directoryName: String { bundleIdentifier + StateDirectoryLayout.directorySuffix }

    /// Returns the path of the history or the quarantine, whether or not the directory exists.
    func path(of kind: NumberedFileDirectory.Kind) -> String {
        "\(path.dropLast(StateDirectoryLayout.archiveFileName.utf8.count))\(kind.rawValue)"
    }

    /// Opens the application's directory, or returns `nil` if it does not exist.
    func openDirectory() throws(IOError) -> (any DirectoryProtocol)? {
        try stateDirectory.openSubdirectory(StateDirectoryLayout.applicationsDirectoryName)?
            .openSubdirectory(
                directoryName)
    }

    /// Returns whether the application's directory or its parent is a dangling symbolic link, for example to an
    /// unmounted disk.
    ///
    /// Call this method only after ``openDirectory()`` has returned `nil`.
    func isDanglingLink() throws(IOError) -> Bool {
        guard
            let applications = try stateDirectory.openSubdirectory(
                StateDirectoryLayout.applicationsDirectoryName)
        else {
            return try stateDirectory.names().contains(
                StateDirectoryLayout.applicationsDirectoryName)
        }
        return try applications.names().contains(directoryName)
    }

    /// Opens the application's directory. If the directory does not exist, creates it durably.
    func openOrCreateDirectory() throws(IOError) -> any DirectoryProtocol {
        let directory = try stateDirectory.openOrCreateSubdirectory(
            StateDirectoryLayout.applicationsDirectoryName
        ).openOrCreateSubdirectory(directoryName)
        try synchronize()
        return directory
    }

    /// Makes the application's directory durable, including all entries in it and the directory entries that lead to
    /// it.
    func synchronize() throws(IOError) {
        try stateDirectory.synchronize()
        guard
            let applications = try stateDirectory.openSubdirectory(
                StateDirectoryLayout.applicationsDirectoryName)
        else { return }
        try applications.synchronize()
        guard let directory = try applications.openSubdirectory(directoryName) else { return }
        // The new name of a moved file must become durable before the removal of its old name does.
        for kind in [NumberedFileDirectory.Kind.quarantine, .history] {
            do throws(IOError) {
                try directory.openSubdirectory(kind.rawValue)?.synchronize()
            } catch  where error.indicatesUnusableDirectory {
                // No file has been moved to a directory that cannot be opened.
            }
        }
        try directory.synchronize()
    }

    // MARK: Checking the path

    /// Returns a phrase that explains why the state directory's path no longer refers to the directory, or `nil` if the
    /// path still does.
    func unreachableReason() throws(IOError) -> String? {
        try stateDirectory.pathStatus().unreachableReason
    }

    /// Returns the devices that contain the application's directory and its parent.
    func devices() throws(IOError) -> DirectoryDevices {
        let applicationsStatus = try stateDirectory.status(
            of: StateDirectoryLayout.applicationsDirectoryName)
        let directoryStatus = try stateDirectory.openSubdirectory(
            StateDirectoryLayout.applicationsDirectoryName)?
            .status(of: directoryName)
        return DirectoryDevices(
            parentDevice: applicationsStatus?.device,
            directoryDevice: directoryStatus?.device)
    }
}

extension DirectoryPathStatus {
    /// Phrase that explains why nothing can be saved in the state directory, or `nil` if state can be saved.
    var unreachableReason: String? {
        switch self {
        case .sameDirectory:
            nil
        case .otherDirectory:
            """
            the path of the state directory leads elsewhere: it or a directory above it was \
            renamed, or a file system was mounted or unmounted there
            """
        case .removed:
            "the state directory was removed, and only a restart creates it again"
        }
    }
}
