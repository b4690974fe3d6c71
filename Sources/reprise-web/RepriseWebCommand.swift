import ArgumentParser
import FoundationEssentials
import Glibc
import Logging
import RepriseControl
import RepriseWeb
import Systemd

/// Program that displays the scenes of a daemon in a browser.
@main
struct RepriseWebCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reprise-web",
        abstract: "Display the scenes of a daemon in a browser.",
        discussion: """
            The program connects to the daemon's control socket, and serves a page on this host. It prints a link that \
            can be used once, unless its output is the journal. `reprise-web login` prints another link.
            """,
        subcommands: [ServeCommand.self, LoginCommand.self], defaultSubcommand: ServeCommand.self)
}

/// Options that both commands share.
struct WebOptions: ParsableArguments {
    @Option(help: "Listen on this port of 127.0.0.1.")
    var port = 8075

    /// Opens a store of tokens, in `$RUNTIME_DIRECTORY` or a directory below `$XDG_RUNTIME_DIR`.
    func openTokenStore(_ name: String, lifetime: Int64) throws -> TokenStore {
        guard (1...65535).contains(port) else {
            throw ValidationError("the port must be a number from 1 to 65535.")
        }
        let environment = ProcessInfo.processInfo.environment
        let directory =
            environment["RUNTIME_DIRECTORY"]
            ?? environment["XDG_RUNTIME_DIR"].map { "\($0)/reprise-web" }
        guard let directory, directory.hasPrefix("/") else {
            throw ValidationError(
                "there is no directory for the login links: set XDG_RUNTIME_DIR to a directory that only you can read."
            )
        }
        return try TokenStore(path: "\(directory)/\(port)/\(name)", lifetime: lifetime)
    }

    /// Returns a new login link.
    func makeLoginLink() throws -> String {
        guard let token = try openTokenStore("logins", lifetime: 600).issue() else {
            throw ValidationError("there are too many login links; wait until some of them expire.")
        }
        return "http://127.0.0.1:\(port)/#\(token)"
    }
}

/// Command that serves the page.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve the page until SIGTERM or SIGINT (default).")

    @OptionGroup var options: WebOptions

    @Option(help: "Connect to the daemon at this socket (default: $REPRISE_SOCKET).")
    var socket: String?

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        let path =
            socket ?? SocketLocation { environment[$0] }.path ?? "/run/reprise/control"
        #if Web
            SystemdLogging.bootstrap()
            let server = WebServer(
                port: options.port, socket: path,
                logins: try options.openTokenStore("logins", lifetime: 600),
                sessions: try options.openTokenStore("sessions", lifetime: 12 * 3600),
                logger: Logger(label: "reprise-web"))
            // The journal would store the link, so do not print the link to the journal.
            let destination = SystemdLogging.destination(
                of: STDOUT_FILENO, journalStream: environment["JOURNAL_STREAM"])
            let link = destination == .journal ? nil : try options.makeLoginLink()
            try await server.run {
                if let link { print(link) }
                fflush(nil)
            }
        #else
            _ = path
            throw ValidationError(
                "this program contains no web server; build it with `swift build --traits Daemon,Web`."
            )
        #endif
    }
}

/// Command that prints another login link.
struct LoginCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Print a link that can be used once, within ten minutes.")

    @OptionGroup var options: WebOptions

    func run() throws { print(try options.makeLoginLink()) }
}
