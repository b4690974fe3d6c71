import LinuxIO

extension StateDirectory {
    /// Returns the path of the state directory according to environment variables, or `nil` if none of them is set.
    ///
    /// The path is `$STATE_DIRECTORY`, otherwise a directory in `$XDG_STATE_HOME`, otherwise a directory in
    /// `~/.local/state`.
    ///
    /// - Parameters:
    ///   - environment: Environment variables.
    ///   - name: Name of the program's directory.
    package static func path(
        in environment: [String: String], named name: String = "reprise"
    ) -> String? {
        func first(_ variable: String) -> String? {
            directories(in: variable, of: environment).first
        }
        return first("STATE_DIRECTORY")
            ?? first("XDG_STATE_HOME")?.appendingPath(name)
            ?? first("HOME")?.appendingPath(".local/state/\(name)")
    }

    /// Returns the absolute paths that a variable lists, separated by colons, without trailing slashes.
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
