import Logging
import RepriseControl
import Varlink

/// Carries out the methods of `io.systemd.service`, which the services of systemd have: what can be
/// asked of any service.
struct ServiceControl: Sendable {
    let reloads: ReloadRequests
    let level: LiveLogLevel

    /// The interface's definition.
    static let definition = """
        # What can be asked of any service.
        interface io.systemd.service

        # Answers as soon as the service can.
        method Ping() -> ()

        # Reads the configuration and the storyboards again, and takes over what changed, as Reload of
        # org.reprise.Control does; its errors are that one's.
        method Reload() -> ()

        # Sets what is logged, until the configuration is read again: a level of syslog(3), from 0 to 7,
        # and all that is more urgent. There is nothing beyond 2 (crit).
        method SetLogLevel(level: int) -> ()
        """

    private struct LevelParameters: Decodable, Sendable {
        var level: Int
    }

    /// The interface with a function for each of its methods.
    ///
    /// - Throws: a registration that does not fit the definition, which is a fault of the program.
    func interface() throws -> InterfaceImplementation {
        var interface = InterfaceImplementation(try InterfaceDefinition(parsing: Self.definition))
        try interface.on("Ping") { (_: Empty, _) in Empty() }
        try interface.on("Reload") { (_: Empty, _) in
            do {
                _ = try await reloads.reply()
            } catch let error as ControlError {
                throw try error.varlinkError()
            }
            return Empty()
        }
        try interface.on("SetLogLevel") { (parameters: LevelParameters, _) in
            guard let level = Logger.Level(syslog: parameters.level) else {
                throw VarlinkError.invalidParameter("level")
            }
            self.level.level = level
            return Empty()
        }
        return interface
    }
}

extension Logger.Level {
    /// The level that syslog(3) counts so; nil if it is none of its levels.
    fileprivate init?(syslog number: Int) {
        switch number {
        case 0...2: self = .critical
        case 3: self = .error
        case 4: self = .warning
        case 5: self = .notice
        case 6: self = .info
        case 7: self = .debug
        default: return nil
        }
    }
}
