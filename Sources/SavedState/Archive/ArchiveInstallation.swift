package import LinuxIO

/// Puts an archive into the place of the present one while no daemon uses the state directory.
package struct ArchiveInstallation {
    /// Name of the directory that holds the applications' directories.
    package static let applications = Layout.applications
    /// Name of the directory that holds the applications' documents.
    package static let documents = Layout.documents
    private static let reason = "a backup was restored"

    private let folder: Directory

    /// Opens the directory of an application, and makes it if it is missing.
    ///
    /// - Parameters:
    ///   - bundleIdentifier: Bundle identifier of the application.
    ///   - root: State directory, which the caller has locked.
    package init(of bundleIdentifier: String, in root: Directory) throws(IOError) {
        folder = try root.makeSubfolder(Layout.applications)
            .makeSubfolder(bundleIdentifier + Layout.folderSuffix)
    }

    /// Path of the directory of the application.
    package var path: String { folder.path }

    /// Replaces the archive, durably. The present archive becomes a generation. Bytes of both stay as they are, so
    /// encrypted archives stay encrypted.
    ///
    /// - Returns: Path of the generation, or `nil` if there was no archive.
    package func install(_ bytes: [UInt8]) throws(IOError) -> String? {
        var generation: String?
        if try folder.status(of: Layout.archive) != nil {
            generation = try NumberedFolder(.history, in: folder)
                .take(Layout.archive, because: Self.reason).path
        }
        try folder.replace(Layout.archive, with: bytes, temporary: Layout.temporary)
        return generation
    }
}

extension ApplicationArchive {
    /// Name of the archive in the directory of its application.
    package static let fileName = Layout.archive
    /// Suffix of the name of an application's directory, after the bundle identifier.
    package static let folderSuffix = Layout.folderSuffix
}
