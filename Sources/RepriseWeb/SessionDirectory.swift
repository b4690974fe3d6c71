import Glibc
package import LinuxIO

/// Location of the login links and sessions of all servers of a user. Each server has a subdirectory that is named
/// after its port.
package struct SessionDirectory: Sendable {
    /// State directory of `reprise-web.service`.
    package static let unitPath = "/var/lib/reprise-web"

    package let path: String

    /// Finds the directory of a server: `$STATE_DIRECTORY`, which systemd sets, or a directory in `$XDG_RUNTIME_DIR`.
    /// Returns `nil` if neither variable contains an absolute path.
    package init?(_ environment: (String) -> String?) {
        func path(_ name: String) -> String? {
            environment(name).flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        // Root must not follow paths that another user controls.
        let runtimeDirectory = path("XDG_RUNTIME_DIR").flatMap { Self.isTrusted($0) ? $0 : nil }
        // A unit can have several state directories, separated by colons.
        let stateDirectory = path("STATE_DIRECTORY")?.split(separator: ":").first.map(String.init)
        guard
            let path = stateDirectory ?? runtimeDirectory.map({ "\($0)/reprise-web" })
        else { return nil }
        self.init(path: path)
    }

    private init(path: String) { self.path = path }

    /// Finds the directory of a server that is already running: the unit's directory if the unit has used the port and
    /// this user may access the directory, or otherwise the directory that ``init(_:)`` finds.
    ///
    /// - Parameter unitPath: The state directory of the unit. Only tests change it.
    package init?(
        ofServerOnPort port: Int, _ environment: (String) -> String?,
        unitPath: String = Self.unitPath
    ) {
        if environment("STATE_DIRECTORY")?.hasPrefix("/") != true,
            access("\(unitPath)/\(port)", R_OK | W_OK | X_OK) == 0
        {
            self.init(path: unitPath)
        } else {
            self.init(environment)
        }
    }

    /// Opens the store of the server on a port, creating it if it does not exist.
    package func store(ofPort port: Int) throws(IOError) -> SessionStore {
        try SessionStore(path: "\(path)/\(port)")
    }

    /// Opens the store of the server on a port, or returns `nil` if no server has used the port.
    package func existingStore(ofPort port: Int) throws(IOError) -> SessionStore? {
        try SessionStore(existingPath: "\(path)/\(port)")
    }

    private static func isTrusted(_ path: String) -> Bool {
        var status = stat()
        return geteuid() != 0 || stat(path, &status) != 0 || status.st_uid == 0
    }

    /// If this process runs as root, changes its user to the owner of the directory. A server that runs as that user
    /// can then read the files that this process creates.
    package func becomeOwner() throws(IOError) {
        guard let owner = try DirectoryOwner(of: path) else { return }
        guard setgroups(0, nil) == 0, setgid(owner.groupID) == 0, setuid(owner.userID) == 0 else {
            throw IOError(.becomeOwner, path: path, code: errno)
        }
    }
}
