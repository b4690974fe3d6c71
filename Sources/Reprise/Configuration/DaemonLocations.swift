import ExactText
import LinuxIO
import SavedState

/// Locations of the daemon's state and control socket, as determined by options, the configuration and the environment.
///
/// The functions depend only on their arguments. An empty environment variable counts as unset. Relative paths in
/// environment variables are ignored, as the XDG Base Directory Specification requires. If a variable lists several
/// directories, separated by colons (see `systemd.exec(5)`), only the first is used.
package enum DaemonLocations {
    /// Maximum length, in bytes, of the path of a Unix socket (see `unix(7)`, where the limit of 108 includes a
    /// terminating zero).
    package static let maximumSocketPathBytes = 107

    /// Returns the path of the directory that contains `Saved Application State`.
    ///
    /// The sources, in order of precedence, are `--state-directory`, `$STATE_DIRECTORY`, `$XDG_STATE_HOME/reprise` and
    /// `~/.local/state/reprise`.
    ///
    /// - Parameters:
    ///   - option: The value of `--state-directory`, which may be relative to the working directory.
    ///   - name: The name of the program's directories.
    /// - Throws: ``LocationError`` if no source has a value, or if the option is empty.
    package static func stateDirectory(
        option: String?, environment: [String: String], directoryName name: String = "reprise"
    ) throws(LocationError) -> String {
        if let option { return try checkedPath(option, "--state-directory") }
        guard let path = StateDirectory.path(in: environment, named: name) else {
            throw .noStateDirectory
        }
        return path
    }

    /// Returns the path for a new control socket.
    ///
    /// The path is used if systemd passes no control socket.
    ///
    /// The sources, in order of precedence, are `--socket`, the `control.socket` key, `$RUNTIME_DIRECTORY/control` and
    /// `$XDG_RUNTIME_DIR/reprise/control`.
    ///
    /// - Parameters:
    ///   - option: The value of `--socket`, which may be relative to the working directory.
    ///   - configuredPath: The value of ``Configuration/Control/socketPath``.
    ///   - name: The name of the program's directories.
    /// - Throws: ``LocationError`` if no source has a value, if the option is empty, or if the path is longer than
    ///   ``maximumSocketPathBytes``.
    package static func controlSocket(
        option: String?, configuredPath: String?, environment: [String: String],
        directoryName name: String = "reprise"
    ) throws(LocationError) -> String {
        let path =
            try option.map { option throws(LocationError) in try checkedPath(option, "--socket") }
            ?? configuredPath
            ?? directory("RUNTIME_DIRECTORY", environment)?.appendingPath("control")
            ?? directory("XDG_RUNTIME_DIR", environment)?.appendingPath("\(name)/control")
        guard let path else { throw .noControlSocket }
        guard path.utf8.count <= maximumSocketPathBytes else {
            throw LocationError.socketPathTooLong(path)
        }
        return path
    }

    /// Returns the absolute directories listed in an environment variable, without trailing slashes.
    static func directories(_ variable: String, _ environment: [String: String]) -> [String] {
        StateDirectory.directories(in: variable, of: environment)
    }

    private static func directory(_ variable: String, _ environment: [String: String]) -> String? {
        directories(variable, environment).first
    }

    private static func checkedPath(
        _ value: String, _ option: String
    ) throws(LocationError) -> String {
        guard !value.isEmpty, !value.utf8.contains(0) else {
            throw LocationError.emptyOption(option)
        }
        return value
    }
}

/// Location of a configuration file, and of the files and directories beside it.
package struct ConfigurationLocation: Sendable, Equatable {
    /// Path of the configuration file.
    package let file: String
    /// Name of the program.
    let programName: String

    /// Creates a location from the path of a configuration file.
    ///
    /// A relative path remains relative.
    package init(file: String, of programName: String = "reprised") {
        self.file = file
        self.programName = programName
    }

    /// Directory that contains the file.
    package var directory: String { file.containingDirectory }
    /// Directory that contains the storyboards.
    ///
    /// The directory is beside the file, and is named `storyboards`.
    package var storyboardsDirectory: String { directory.appendingPath("storyboards") }
    /// Directory that contains the drop-ins.
    ///
    /// The directory is beside the file, and has the name of the program with the suffix `.d`, such as `reprised.d`.
    package var dropInsDirectory: String { directory.appendingPath("\(programName).d") }

    /// Returns the locations to search for a configuration, in order of precedence.
    ///
    /// The locations are the directories in `$CONFIGURATION_DIRECTORY`, separated by colons (`systemd.exec(5)`),
    /// followed by the program's directory in `/etc`, such as `/etc/reprise`.
    ///
    /// - Parameters:
    ///   - environment: The environment of the process.
    ///   - program: The program, whose name and directories determine the locations.
    static func searchLocations(
        environment: [String: String], of program: ProgramDescription
    ) -> [ConfigurationLocation] {
        let directories = DaemonLocations.directories("CONFIGURATION_DIRECTORY", environment)
        return (directories + ["/etc/\(program.directoryName)"]).map {
            ConfigurationLocation(
                file: $0.appendingPath("\(program.name).yaml"), of: program.name)
        }
    }
}

/// Error for a state directory or control socket whose location is missing or not valid.
package enum LocationError: Error, Sendable, Equatable {
    /// Neither an option nor the environment specifies a state directory.
    case noStateDirectory
    /// Neither an option nor the configuration nor the environment specifies a control socket.
    case noControlSocket
    /// The value of an option is empty or contains a zero byte.
    case emptyOption(String)
    /// The path of the control socket is longer than ``DaemonLocations/maximumSocketPathBytes``.
    case socketPathTooLong(String)
}

extension LocationError: CustomStringConvertible {
    /// Sentence that says what is wrong, which sources were checked, and what to do.
    package var description: String {
        switch self {
        case .noStateDirectory:
            "there is no state directory (checked --state-directory, $STATE_DIRECTORY, "
                + "$XDG_STATE_HOME and $HOME): specify one with --state-directory DIR."
        case .noControlSocket:
            "there is no path for the control socket (checked --socket, control.socket of the "
                + "configuration, $RUNTIME_DIRECTORY and $XDG_RUNTIME_DIR): "
                + "specify one with --socket PATH."
        case .emptyOption(let option):
            "\(option) has no value: add a path."
        case .socketPathTooLong(let path):
            "the path of the control socket \(path) has \(path.utf8.count) bytes, but the maximum is "
                + "\(DaemonLocations.maximumSocketPathBytes): specify a shorter path with --socket PATH."
        }
    }
}

extension String {
    /// Last component of this path.
    var lastPathComponent: String { split(separator: "/").last.map(String.init) ?? self }
}
