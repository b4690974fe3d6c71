import ExactText
import LinuxIO

/// Where an application's archive lies: its folder, and those above it.
///
/// Folders are opened anew each time, because an operator may have removed or replaced them (L4).
/// Nobody knows whether a name that was found is durable.
struct ArchivePlace: Sendable {
    /// The state directory.
    let stateFolder: any Folder
    /// Whose archive it is.
    let bundleIdentifier: String
    /// The path of the archive's file, whether it exists or not.
    let path: String
    /// The most bytes that a file may have.
    let limit: Int
    /// The guard that counts crashes against scenes, or `nil` without one.
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

    /// Runs code that reads the application's files. A crash in this code counts against no scene (L2).
    func readFiles<Result, Failure>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let launchGuard else { return try body() }
        return try launchGuard.readFiles(of: bundleIdentifier, body)
    }

    private var folderName: String { bundleIdentifier + Layout.folderSuffix }

    /// The path of a folder with what is kept, whether it exists or not.
    func path(of kind: NumberedFolder.Kind) -> String {
        "\(path.dropLast(Layout.archive.utf8.count))\(kind.rawValue)"
    }

    /// The application's folder; `nil` if there is none.
    func folder() throws(IOError) -> (any Folder)? {
        try stateFolder.subfolder(Layout.applications)?.subfolder(folderName)
    }

    /// Whether the folder's name is there and leads nowhere, as a link to a disk that is gone.
    func isLinkToNowhere() throws(IOError) -> Bool {
        guard let applications = try stateFolder.subfolder(Layout.applications) else {
            return try stateFolder.names().contains(Layout.applications)
        }
        return try applications.names().contains(folderName)
    }

    /// Makes the application's folder, durably, unless it is there.
    func makeFolder() throws(IOError) -> any Folder {
        let folder = try stateFolder.makeSubfolder(Layout.applications).makeSubfolder(folderName)
        try synchronize()
        return folder
    }

    /// Returns when the names of the folders, and those in the application's, are durable.
    func synchronize() throws(IOError) {
        try stateFolder.synchronize()
        guard let applications = try stateFolder.subfolder(Layout.applications) else { return }
        try applications.synchronize()
        guard let folder = try applications.subfolder(folderName) else { return }
        // What was moved must have its new name before it loses the old one.
        for kind in [NumberedFolder.Kind.quarantine, .history] {
            do throws(IOError) {
                try folder.subfolder(kind.rawValue)?.synchronize()
            } catch  where error.isOfUnusableFolder {
                // Nothing was moved to where no folder can be opened.
            }
        }
        try folder.synchronize()
    }

    // MARK: Whether the path leads there

    /// Why the path of the opened state directory does not lead there, a clause; nil: it does.
    func displacement() throws(IOError) -> String? { try stateFolder.standing().displacement }

    /// The devices on which the folders lie, as far as they are there.
    func devices() throws(IOError) -> FolderDevices {
        let applications = try stateFolder.status(of: Layout.applications)
        let folder = try stateFolder.subfolder(Layout.applications)?
            .status(of: folderName)
        return FolderDevices(applications: applications?.device, folder: folder?.device)
    }
}

extension FolderStanding {
    /// Why nothing can be kept in a state directory of which this holds, a clause; nil: it can.
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

/// The devices on which an application's folder, and the one above it, lie; nil of one that is not
/// there, or was not looked at.
struct FolderDevices: Sendable, Equatable {
    var applications: UInt64?
    var folder: UInt64?

    /// Whether no folder lies on another device than before.
    func agree(with now: FolderDevices) -> Bool {
        func agree(_ one: UInt64?, _ other: UInt64?) -> Bool {
            one == nil || other == nil || one == other
        }
        return agree(applications, now.applications) && agree(folder, now.folder)
    }
}

/// The names of what lies below a state directory.
enum Layout {
    /// The folder of the applications' folders.
    static let applications = "Saved Application State"
    /// The folder of the folders with the applications' documents.
    static let documents = "Documents"
    /// What follows the bundle identifier in the name of an application's folder.
    static let folderSuffix = ".savedState"
    /// An application's archive, in its folder.
    static let archive = "data.archive"
    /// A whole new archive before it gets that name.
    static let temporary = "data.archive.new"
    /// The new archive of a compaction before it gets that name; then the old one.
    static let compacted = "data.archive.compacted"
    /// What is known of the replica of an archive, beside it.
    static let replica = "replica"
    /// What takes the place of an archive that is on its way to quarantine.
    static let salvaged = "data.archive.salvaged"
}
