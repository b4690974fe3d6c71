import LinuxIO

extension StateDirectory {
    /// Returns the path of the state directory, as specified by environment variables, or `nil` if no variable
    /// specifies one.
    ///
    /// The path is `$STATE_DIRECTORY` if this variable is set. Otherwise, it is a directory in `$XDG_STATE_HOME` or, if
    /// that variable is not set either, in `~/.local/state`.
    ///
    /// - Parameters:
    ///   - environment: Environment variables.
    ///   - name: Name of the program's directory in `$XDG_STATE_HOME` or `~/.local/state`.
    package static func path(
        in environment: [String: String], named name: String = "reprise"
    ) -> String? {
        func firstPath(in variable: String) -> String? {
            directories(in: variable, of: environment).first
        }
        return firstPath(in: "STATE_DIRECTORY")
            ?? firstPath(in: "XDG_STATE_HOME")?.appendingPath(name)
            ?? firstPath(in: "HOME")?.appendingPath(".local/state/\(name)")
    }

    /// Returns the absolute paths in a variable that contains a colon-separated list. Trailing slashes are removed.
    package static func directories(
        in variable: String, of environment: [String: String]
    ) -> [String] {
        environment[variable, default: ""].split(separator: ":")
            .filter { $0.hasPrefix("/") }
            .map { path in
                let end = path.lastIndex { $0 != "/" } ?? path.startIndex
                return String(path[...end])
            }
    }
}
