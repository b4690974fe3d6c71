import ArgumentParser
import FoundationEssentials
import RepriseWeb
import TerminalText

/// Options that all commands share.
struct WebOptions: ParsableArguments {
    @Option(help: "The port of 127.0.0.1 on which the server listens.")
    var port = 8075

    func validate() throws {
        guard (1...65535).contains(port) else {
            throw ValidationError("\(port) is not a port: write a number from 1 to 65535.")
        }
    }

    /// Opens this server's store, creating it if it does not exist.
    func openServerStore() throws -> SessionStore {
        let directory = SessionDirectory { ProcessInfo.processInfo.environment[$0] }
        guard let directory else { throw Self.missingDirectory }
        return try directory.store(ofPort: port)
    }

    /// Opens the store of a running server. A root process continues as the server's user.
    func openStore() throws -> SessionStore {
        let directory = SessionDirectory(ofServerOnPort: port) {
            ProcessInfo.processInfo.environment[$0]
        }
        guard let directory else { throw Self.missingDirectory }
        try directory.becomeOwner()
        guard let store = try directory.existingStore(ofPort: port) else {
            throw CommandFailure(
                """
                No server on port \(port) has stored sessions in \(directory.path.printable): start it with \
                `reprise-web serve`, or run this command as root if reprise-web.service runs.
                """)
        }
        return store
    }

    private static let missingDirectory = ValidationError(
        """
        there is no directory for the login links and sessions: log in with a user session that sets \
        XDG_RUNTIME_DIR, or set STATE_DIRECTORY to a directory that only you can read.
        """)

    /// Returns a new login link to the page at an address.
    func makeLoginLink(
        _ grant: SessionGrant, to address: ServerAddress, in store: SessionStore
    ) throws -> String {
        guard let secret = try store.makeLink(grant) else {
            throw CommandFailure(
                "There are too many unused links: wait ten minutes, or run `reprise-web sessions revoke --all`."
            )
        }
        return address.loginLink(secret)
    }
}

/// Reason why a command failed.
struct CommandFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
