public import Encryption
package import LinuxIO
package import SavedState

/// The folder below which applications keep their saved state, locked for this process.
///
/// The lock is held for as long as this object, or an application that was made with it, lives.
public final class ApplicationStateDirectory: Sendable {
    let directory: StateDirectory
    /// Where files are written anew of applications that nobody hosts.
    let disk = DiskQueue(label: "org.reprise.rekey")

    /// Opens and locks a folder. It is made, for its owner alone, if it is missing.
    ///
    /// - Parameters:
    ///   - path: the folder's path.
    ///   - keys: what is written is encrypted with, and what is there is read by; without any it is
    ///     written as it is.
    /// - Throws: an error whose description says which process holds the folder, which key is missing
    ///   to read what is in it, or why it can neither be read nor made. Nothing was touched then.
    public init(path: String, keys: EncryptionKeys = .none) throws {
        directory = try StateDirectory.open(path, keys: keys)
    }

    /// Whether any key is here, so that files may be encrypted otherwise than they are to be.
    public var hasKeys: Bool { directory.hasKeys }

    /// Takes over a folder that was opened.
    package init(_ directory: StateDirectory) {
        self.directory = directory
    }

    /// The folder's path.
    public var path: String { directory.path }

    /// The folder itself, for what else lies in it.
    package var folder: any Folder { directory.root }

    /// Why nothing can be saved in the folder although it can be read; nil if it can.
    public var unwritableReason: String? { directory.unwritable.map { "\($0)" } }

    /// Where an application keeps its model data.
    func documents(of bundleIdentifier: String) -> DocumentsFolder {
        DocumentsFolder(directory, bundleIdentifier: bundleIdentifier)
    }

    /// Sees to it that a crash while a scene is launched does not repeat itself (L2).
    var launchGuard: LaunchGuard { directory.launchGuard }

    /// What encrypts files anew.
    var resealing: Resealing { Resealing(directory) }

    func archive(of bundleIdentifier: String) throws -> ApplicationArchive {
        try directory.archive(of: bundleIdentifier)
    }
}
