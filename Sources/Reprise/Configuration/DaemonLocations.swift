import ExactText
import LinuxIO
import SavedState

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
    /// - Parameters:
    ///   - option: The value of `--state-directory`; may be relative to the working folder.
    ///   - folder: the name of the program's folders.
    /// - Throws: ``LocationError`` when nothing of that is given, or the option is empty.
    package static func stateDirectory(
        option: String?, environment: [String: String], folder name: String = "reprise"
    ) throws(LocationError) -> String {
        if let option { return try checked(option, "--state-directory") }
        guard let found = StateDirectory.path(in: environment, named: name) else {
            throw .noStateDirectory
        }
        return found
    }

    /// The path of the control socket when none was passed by systemd: `--socket`, else the key
    /// `control.socket`, else `$RUNTIME_DIRECTORY/control`, else
    /// `$XDG_RUNTIME_DIR/reprise/control`.
    ///
    /// - Parameters:
    ///   - option: The value of `--socket`; may be relative to the working folder.
    ///   - configured: ``Configuration/Control/socket``.
    ///   - folder: the name of the program's folders.
    /// - Throws: ``LocationError`` when nothing of that is given, the option is empty, or the path
    ///   is longer than ``longestSocketPath``.
    package static func controlSocket(
        option: String?, configured: String?, environment: [String: String],
        folder name: String = "reprise"
    ) throws(LocationError) -> String {
        let path =
            try option.map { option throws(LocationError) in try checked(option, "--socket") }
            ?? configured
            ?? folder("RUNTIME_DIRECTORY", environment)?.appendingPath("control")
            ?? folder("XDG_RUNTIME_DIR", environment)?.appendingPath("\(name)/control")
        guard let path else { throw .noControlSocket }
        guard path.utf8.count <= longestSocketPath else {
            throw LocationError.socketPathTooLong(path)
        }
        return path
    }

    /// The absolute folders that a variable lists, without slashes at their ends.
    static func folders(_ variable: String, _ environment: [String: String]) -> [String] {
        StateDirectory.directories(in: variable, of: environment)
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

/// Where a configuration lies, and what lies beside it.
package struct ConfigurationLocation: Sendable, Equatable {
    /// The path of the file itself.
    package let file: String
    /// The name of the program.
    let program: String

    /// Makes a location from the path of the file; relative paths stay relative.
    package init(file: String, of program: String = "reprised") {
        self.file = file
        self.program = program
    }

    /// The folder of the file.
    package var folder: String { file.containingFolder }
    /// The folder of the storyboards, `storyboards` beside the file.
    package var storyboards: String { folder.appendingPath("storyboards") }
    /// The folder of the drop-ins, `reprised.d` beside the file, with the name of the program.
    package var dropIns: String { folder.appendingPath("\(program).d") }

    /// The places where a configuration is looked for, the first that has one wins: the folders of
    /// `$CONFIGURATION_DIRECTORY` (`systemd.exec(5)`; joined by colons), then `/etc/reprise`.
    ///
    /// - Parameters:
    ///   - environment: The environment of the process.
    ///   - program: what the program is called.
    static func places(
        environment: [String: String], of program: ProgramDescription
    ) -> [ConfigurationLocation] {
        let folders = DaemonLocations.folders("CONFIGURATION_DIRECTORY", environment)
        return (folders + ["/etc/\(program.folder)"]).map {
            ConfigurationLocation(
                file: $0.appendingPath("\(program.name).yaml"), of: program.name)
        }
    }
}

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
            "there is no state directory (checked --state-directory, $STATE_DIRECTORY, "
                + "$XDG_STATE_HOME and $HOME): name one with --state-directory DIR."
        case .noControlSocket:
            "there is no path for the control socket (checked --socket, control.socket of the "
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

extension String {
    /// This path's last name.
    var lastName: String { split(separator: "/").last.map(String.init) ?? self }
}
