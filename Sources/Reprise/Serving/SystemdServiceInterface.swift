import ExactText
import Logging
import RepriseControl
import Varlink

/// Implementation of `io.systemd.service`, the interface for general requests that systemd's own services offer.
struct SystemdServiceInterface: Sendable {
    let reloadRequests: ReloadRequestQueue
    let level: LiveLogLevel
    /// Environment variables.
    let environment: [String: String]

    /// Name of the interface.
    static let name = "io.systemd.service"

    /// Definition of the interface.
    static let definition = """
        # Calls that any service can offer.
        interface \(name)

        # Replies as soon as the service can.
        method Ping() -> ()

        # Reads the configuration and the storyboards again and applies changes, as Reload of
        # org.reprise.Control does, which reports more.
        method Reload() -> ()

        # Sets the level of the log, a level of syslog(3) from 0 to 7, until log.level changes in the
        # configuration or the service stops. Messages of this level and of more urgent levels are logged.
        # Levels 0 and 1 have the effect of level 2, the most urgent level of the service's messages.
        method SetLogLevel(level: int) -> ()

        # Returns the log level, as SetLogLevel accepts it.
        method GetLogLevel() -> (level: int)

        # Returns the environment variables that the service was started with, each as NAME=VALUE.
        method GetEnvironment() -> (environment: ?[]string)

        # The environment is not valid.
        error InconsistentEnvironment ()

        # Not everything was applied; `reason` has a line for each error.
        error ReloadFailed (reason: string)

        # An internal error of the service. Its log has details.
        error InternalError (message: string)
        """

    /// Log levels, indexed by the level numbers in syslog(3).
    private static let syslogLevels: [Logger.Level] = [
        .critical, .critical, .critical, .error, .warning, .notice, .info, .debug,
    ]

    private struct LevelParameters: Codable, Sendable {
        var level: Int
    }

    /// Returns the interface with an implementation of each method.
    ///
    /// - Throws: A registration error if a method does not match the definition, which would be a bug in the program.
    func makeInterface() throws -> InterfaceImplementation {
        var interface = InterfaceImplementation(try InterfaceDefinition(parsing: Self.definition))
        try interface.on("Ping", isReadOnly: true) { (_: Empty, _) in Empty() }
        try interface.on("Reload") { (_: Empty, _) in
            do {
                _ = try await reloadRequests.reload()
            } catch let error as ControlError {
                throw try VarlinkError(
                    name: "\(Self.name).ReloadFailed", encoding: ["reason": error.description])
            }
            return Empty()
        }
        try interface.on("SetLogLevel") { (parameters: LevelParameters, _) in
            guard Self.syslogLevels.indices.contains(parameters.level) else {
                throw VarlinkError.invalidParameter("level")
            }
            level.level = Self.syslogLevels[parameters.level]
            return Empty()
        }
        try interface.on("GetLogLevel", isReadOnly: true) { (_: Empty, _) in
            // Of the numbers for `critical`, the least urgent is returned. `trace` has the same number as `debug`.
            LevelParameters(level: Self.syslogLevels.lastIndex { $0 >= level.level } ?? 2)
        }
        try interface.on("GetEnvironment") { (_: Empty, _) in
            ["environment": environment.map { "\($0)=\($1)" }.sorted()]
        }
        return interface
    }
}
