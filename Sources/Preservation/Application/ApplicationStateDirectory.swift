public import Encryption
package import LinuxIO
package import SavedState

/// Directory below which applications store their saved state, locked by this process.
///
/// The lock is held until this object and all applications that use it are deallocated.
public final class ApplicationStateDirectory: Sendable {
    let directory: StateDirectory
    /// Queue on which files are re-encrypted for applications that this process does not host.
    let disk = DiskQueue(label: "org.reprise.rekey")

    /// Opens and locks a directory.
    ///
    /// If the directory is missing, it is created with access for its owner only.
    ///
    /// - Parameters:
    ///   - path: Path of the directory.
    ///   - keys: Keys that encrypt new files and decrypt existing files. Without keys, new files are not
    ///     encrypted.
    /// - Throws: An error that names the process that holds the directory, the missing key for its files, or
    ///   the reason why it can be neither read nor created. In these cases, the directory is unchanged.
    public init(path: String, keys: EncryptionKeys = .none) throws {
        directory = try StateDirectory.open(path, keys: keys)
    }

    /// Whether there are keys, which means that existing files may be encrypted differently than new files.
    public var hasKeys: Bool { directory.hasKeys }

    /// Wraps an open state directory.
    package init(_ directory: StateDirectory) {
        self.directory = directory
    }

    /// Path of the directory.
    public var path: String { directory.path }

    /// The directory, for access to its other files.
    package var folder: any Folder { directory.root }

    /// Reason why the directory cannot be written although it can be read, or `nil` if it can be written.
    public var unwritableReason: String? { directory.unwritable.map { "\($0)" } }

    /// Returns the directory for an application's model data.
    func documents(of bundleIdentifier: String) -> DocumentsFolder {
        DocumentsFolder(directory, bundleIdentifier: bundleIdentifier)
    }

    /// Guard that prevents repeated crashes during the launch of a scene (L2).
    var launchGuard: LaunchGuard { directory.launchGuard }

    /// Object that re-encrypts files.
    var resealing: Resealing { Resealing(directory) }

    func archive(of bundleIdentifier: String) throws -> ApplicationArchive {
        try directory.archive(of: bundleIdentifier)
    }
}
