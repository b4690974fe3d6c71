/// Why the daemon has no place for its state or its socket.
package enum LocationError: Error, Sendable, Equatable {
    /// Neither an option nor the environment names a state directory.
    case noStateDirectory
    /// Neither an option, the configuration nor the environment names a control socket.
    case noControlSocket
    /// An option was given an empty value or one with a zero byte; the option's name.
    case emptyOption(String)
    /// The path is longer than ``DaemonLocations/longestSocketPath``.
    case socketPathTooLong(String)
}

extension LocationError: CustomStringConvertible {
    /// One sentence: what is missing, where it was looked for, what to do.
    package var description: String {
        switch self {
        case .noStateDirectory:
            "there is no state directory (looked at --state-directory, $STATE_DIRECTORY, "
                + "$XDG_STATE_HOME and $HOME): name one with --state-directory DIR."
        case .noControlSocket:
            "there is no place for the control socket (looked at --socket, control.socket of the "
                + "configuration, $RUNTIME_DIRECTORY and $XDG_RUNTIME_DIR): "
                + "name one with --socket PATH."
        case .emptyOption(let option):
            "\(option) has no value: write a path after it."
        case .socketPathTooLong(let path):
            "the path of the control socket \(path) has \(path.utf8.count) bytes and may have "
                + "\(DaemonLocations.longestSocketPath): name a shorter one with --socket PATH."
        }
    }
}
