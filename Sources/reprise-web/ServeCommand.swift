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

    @Option(help: "Connect to the daemon at this socket (default: $REPRISE_SOCKET).")
    var socket: String?

    func run() async throws {
        #if Web
            SystemdLogging.bootstrap()
            let logger = Logger(label: "reprise-web")
            let environment = ProcessInfo.processInfo.environment
            let store = try options.openServerStore()
            let server = WebServer(
                port: options.port,
                socket: socket ?? SocketLocation { environment[$0] }.path
                    ?? "/run/reprise/control",
                sessions: store, logger: logger)
            // The journal would store the link, so do not print the link to the journal.
            let destination = SystemdLogging.destination(
                of: STDOUT_FILENO, journalStream: environment["JOURNAL_STREAM"])
            let link =
                destination == .journal
                ? nil : try options.makeLoginLink(.ordinary, in: store)
            try await serve(server, link: link, logger)
        #else
            throw CommandFailure(
                "This program contains no web server: build it with `swift build --traits Daemon,Web`."
            )
        #endif
    }

    #if Web
        /// Runs the server, and notifies the service manager of its state.
        private func serve(_ server: WebServer, link: String?, _ logger: Logger) async throws {
            let notifications = ServiceNotificationQueue { failure in
                logger.warning("systemd could not be notified: \(failure)")
            }
            defer { notifications.flush(within: .seconds(1)) }
            let address = "http://127.0.0.1:\(options.port)"
            do {
                try await server.run {
                    if let link { print(link) }
                    fflush(nil)
                    notifications.send(.ready, .status("Serving scenes at \(address)."))
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
