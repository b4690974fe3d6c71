import ArgumentParser
import RepriseControl
import RepriseWeb

/// Command that prints another login link.
struct LoginCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Print a link that can be used once, within ten minutes.",
        discussion: "If root runs the command, it creates a link for reprise-web.service.")

    @OptionGroup var options: WebOptions

    @Flag(
        name: .customLong("observe"), help: "Let the session display scenes, but not change them.")
    var isObserver = false

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(
            "End the session after this time, from 1m to 720h (default: 12h).",
            valueName: "duration"),
        transform: Self.parseLifetime)
    var lifetime: Duration?

    func run() throws {
        let grant = SessionGrant(
            role: isObserver ? .observer : .user,
            lifetime: lifetime ?? SessionGrant.defaultLifetime)
        guard let grant else { throw Self.invalidLifetime }
        let store = try options.openStore()
        let address = ServerAddress(port: options.port, publicOrigin: try store.publicOrigin())
        print(try options.makeLoginLink(grant, to: address, in: store))
    }

    private static let invalidLifetime = ValidationError("write a time from 1m to 720h, such as 8h")

    private static func parseLifetime(_ argument: String) throws -> Duration {
        guard let lifetime = Duration(argument: argument) else { throw invalidLifetime }
        return lifetime
    }
}
