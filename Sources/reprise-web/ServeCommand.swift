import ArgumentParser
import FoundationEssentials
import Glibc
import Logging
import RepriseControl
import RepriseWeb
import Systemd

/// Command that serves the page.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve the page until SIGTERM or SIGINT.")

    @OptionGroup var options: WebOptions

    @Option(
        help: """
            Connect to the daemon at this socket (default: $REPRISE_SOCKET). To display the applications of a cluster, \
            repeat the option for each host.
            """)
    var socket: [String] = []

    @Option(
        help: """
            Accept requests from a reverse proxy on this host that serves the page at this origin, such as \
            https://panel.example.org.
            """,
        transform: { try PublicOrigin($0) })
    var origin: PublicOrigin?

    func run() async throws {
        #if Web
            SystemdLogging.bootstrap()
            let logger = Logger(label: "reprise-web")
            let environment = ProcessInfo.processInfo.environment
            let store = try options.openServerStore()
            let address = ServerAddress(port: options.port, publicOrigin: origin)
            let server = WebServer(
                address: address,
                sockets: DaemonSockets(
                    socket.isEmpty
                        ? [SocketLocation { environment[$0] }.path ?? "/run/reprise/control"]
                        : socket),
                sessions: store, logger: logger)
            // The journal would store the link, so do not print the link to the journal.
            let destination = SystemdLogging.destination(
                of: STDOUT_FILENO, journalStream: environment["JOURNAL_STREAM"])
            let link =
                destination == .journal
                ? nil : try options.makeLoginLink(.ordinary, to: address, in: store)
            try await serve(server, at: address, link: link, store, logger)
        #else
            throw CommandFailure(
                "This program contains no web server: build it with `swift build --traits Daemon,Web`."
            )
        #endif
    }

    #if Web
        /// Runs the server, and notifies the service manager of its state.
        private func serve(
            _ server: WebServer, at address: ServerAddress, link: String?, _ store: SessionStore,
            _ logger: Logger
        ) async throws {
            let notifications = ServiceNotificationQueue { failure in
                logger.warning("systemd could not be notified: \(failure)")
            }
            defer { notifications.flush(within: .seconds(1)) }
            do {
                try await server.run {
                    // The origin is recorded only now, so that a server that already uses the port keeps its recorded
                    // origin.
                    do {
                        try store.record(address.publicOrigin)
                    } catch {
                        logger.error(
                            "The links of `reprise-web login` may have a wrong address: \(error)")
                    }
                    if let link { print(link) }
                    fflush(nil)
                    notifications.send(.ready, .status("Serving scenes at \(address.url)."))
                } onStopping: {
                    notifications.send(.stopping)
                }
            } catch let failure as ListenFailure {
                notifications.send(.status("\(failure)"), .errno(failure.code))
                throw failure
            }
        }
    #endif
}
