import Glibc

/// Location of the daemon's control socket, determined from the environment.
package struct SocketLocation {
    /// Paths at which daemons listen by default, with the path of the user's own daemon first.
    package let defaultPaths: [String]
    /// Path in `$REPRISE_SOCKET` or a default path, or `nil` if no default path is in an existing directory.
    ///
    /// Among the default paths, the first path with a socket is preferred. If none has a socket, the daemon may be
    /// restarting, so the first path whose directory exists is used.
    package let path: String?

    /// Determines the location of the socket.
    ///
    /// - Parameter environment: A closure that returns the value of an environment variable. An empty value counts as
    ///   unset.
    package init(_ environment: (String) -> String?) {
        func variable(_ name: String) -> String? {
            environment(name).flatMap { $0.isEmpty ? nil : $0 }
        }
        let directories = [variable("XDG_RUNTIME_DIR"), "/run"].compactMap {
            $0.map { "\($0)/reprise" }
        }
        defaultPaths = directories.map { "\($0)/control" }
        path =
            variable("REPRISE_SOCKET") ?? defaultPaths.first { access($0, F_OK) == 0 }
            ?? directories.first { access($0, F_OK) == 0 }.map { "\($0)/control" }
    }
}
