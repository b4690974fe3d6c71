/// Where the daemon keeps its state and listens, by option, configuration and environment.
///
/// The functions look at nothing but their arguments. An empty variable counts as not set, a
/// relative path in one is passed over (as the XDG Base Directory Specification asks), and of
/// several folders joined by colons (`systemd.exec(5)`) the first is taken.
package enum DaemonLocations {
    /// The longest path of a Unix socket in bytes (`unix(7)`: 108 with the zero at its end).
    package static let longestSocketPath = 107

    /// The folder under which `Saved Application State` lies: `--state-directory`, else
    /// `$STATE_DIRECTORY`, else `$XDG_STATE_HOME/reprise`, else `~/.local/state/reprise`.
    ///
    /// - Parameter option: The value of `--state-directory`; may be relative to the working folder.
    /// - Throws: ``LocationError`` when nothing of that is given, or the option is empty.
    package static func stateDirectory(
        option: String?, environment: [String: String]
    ) throws(LocationError) -> String {
        if let option { return try checked(option, "--state-directory") }
        if let folder = folder("STATE_DIRECTORY", environment) { return folder }
        if let folder = folder("XDG_STATE_HOME", environment) {
            return folder.appendingPath("reprise")
        }
        if let home = folder("HOME", environment) {
            return home.appendingPath(".local/state/reprise")
        }
        throw LocationError.noStateDirectory
    }

    /// The path of the control socket when none was passed by systemd: `--socket`, else the key
    /// `control.socket`, else `$RUNTIME_DIRECTORY/control`, else `$XDG_RUNTIME_DIR/reprise/control`.
    ///
    /// - Parameters:
    ///   - option: The value of `--socket`; may be relative to the working folder.
    ///   - configured: ``Configuration/Control/socket``.
    /// - Throws: ``LocationError`` when nothing of that is given, the option is empty, or the path
    ///   is longer than ``longestSocketPath``.
    package static func controlSocket(
        option: String?, configured: String?, environment: [String: String]
    ) throws(LocationError) -> String {
        let path: String
        if let option {
            path = try checked(option, "--socket")
        } else if let configured {
            path = configured
        } else if let folder = folder("RUNTIME_DIRECTORY", environment) {
            path = folder.appendingPath("control")
        } else if let folder = folder("XDG_RUNTIME_DIR", environment) {
            path = folder.appendingPath("reprise/control")
        } else {
            throw LocationError.noControlSocket
        }
        guard path.utf8.count <= longestSocketPath else {
            throw LocationError.socketPathTooLong(path)
        }
        return path
    }

    /// The absolute folders that a variable lists, without slashes at their ends.
    static func folders(_ variable: String, _ environment: [String: String]) -> [String] {
        environment[variable, default: ""].split(separator: ":")
            .filter { $0.hasPrefix("/") }
            .map { folder in
                let end = folder.lastIndex { $0 != "/" } ?? folder.startIndex
                return String(folder[...end])
            }
    }

    private static func folder(_ variable: String, _ environment: [String: String]) -> String? {
        folders(variable, environment).first
    }

    private static func checked(
        _ value: String, _ option: String
    ) throws(LocationError) -> String {
        guard !value.isEmpty, !value.utf8.contains(0) else {
            throw LocationError.emptyOption(option)
        }
        return value
    }
}
