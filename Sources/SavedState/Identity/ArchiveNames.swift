import LinuxIO

/// The names of an application's folder, and of those above it.
///
/// Nobody knows of what was found whether its name is durable: who made or moved it may have been
/// killed before the folders were synced.
struct ArchiveNames: Sendable {
    let stateFolder: any Folder
    let folderName: String

    /// Returns when all of them are durable.
    func synchronize() throws(IOError) {
        try stateFolder.synchronize()
        guard let applications = try stateFolder.subfolder(Layout.applications)
        else { return }
        try applications.synchronize()
        if let folder = try applications.subfolder(folderName) { try Self.synchronize(folder) }
    }

    /// Why what is written through the opened state directory lies where nobody looks for it, a clause;
    /// nil: its path leads there.
    func displacement() throws(IOError) -> String? { try stateFolder.standing().displacement }

    /// The devices on which the folders lie, as far as they are there.
    func devices() throws(IOError) -> FolderDevices {
        let applications = try stateFolder.status(of: Layout.applications)
        let folder = try stateFolder.subfolder(Layout.applications)?
            .status(of: folderName)
        return FolderDevices(applications: applications?.device, folder: folder?.device)
    }

    /// Returns when the names in an application's folder and in those below it are durable.
    private static func synchronize(_ folder: some Folder) throws(IOError) {
        // What was moved must have its new name before it loses the old one.
        for name in [Quarantine.name, History.name] {
            try folder.subfolder(name)?.synchronize()
        }
        try folder.synchronize()
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
            the path of the state directory leads elsewhere: it or a folder above it was renamed, or a \
            file system was mounted or unmounted there
            """
        case .removed:
            "the state directory was removed, and only a restart makes it anew"
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
