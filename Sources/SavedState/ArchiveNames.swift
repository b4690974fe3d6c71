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
        guard let applications = try stateFolder.subfolder(StateDirectory.applicationsName)
        else { return }
        try applications.synchronize()
        if let folder = try applications.subfolder(folderName) { try Self.synchronize(folder) }
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
