import ArgumentParser
import RepriseControl
import RepriseWeb
import TerminalText

/// Command that lists sessions, and contains the command that ends them.
struct SessionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions", abstract: "List or end the sessions of browsers.",
        subcommands: [SessionListCommand.self, SessionRevokeCommand.self],
        defaultSubcommand: SessionListCommand.self)
}

/// Command that lists the sessions and the unused login links.
struct SessionListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the sessions and the unused login links.",
        discussion: """
            Each line contains the identifier, the kind (session or link), the role (user or observer), and the time \
            at which the session ends or the link expires.
            """)

    @OptionGroup var options: WebOptions

    func run() throws {
        let store = try options.openStore()
        for session in try store.validSessions() {
            printLine(session.identifier, "session", session.role, session.expiration)
        }
        for link in try store.unusedLinks() {
            printLine(link.identifier, "link", link.grant.role, link.expiration)
        }
    }

    private func printLine(
        _ identifier: String, _ kind: String, _ role: Session.Role, _ expiration: Int64
    ) {
        func padded(_ text: String) -> String {
            text + String(repeating: " ", count: 8 - text.utf8.count)
        }
        let time = rfc3339String(expiration * 1_000_000)
        print("\(identifier)  \(padded(kind))  \(padded(role.rawValue))  \(time)")
    }
}

/// Command that ends sessions.
struct SessionRevokeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "End sessions and invalidate login links.",
        discussion: "An open page of the session receives no further changes.")

    @OptionGroup var options: WebOptions

    @Argument(help: "The identifiers, as listed by `reprise-web sessions`.")
    var identifiers: [String] = []

    @Flag(name: .customLong("all"), help: "End all sessions and invalidate all login links.")
    var includesAll = false

    func validate() throws {
        if includesAll == identifiers.isEmpty { return }
        throw ValidationError("specify identifiers or --all; `reprise-web sessions` lists them.")
    }

    func run() throws {
        let store = try options.openStore()
        if includesAll {
            let counts = try store.revokeAll()
            return print("ended sessions: \(counts.sessions), invalidated links: \(counts.links)")
        }
        let unknown = try identifiers.filter { try !store.revoke($0) }
        if unknown.isEmpty { return }
        let list = unknown.map(\.printable).joined(separator: ", ")
        throw CommandFailure(
            "No session or link has the identifier \(list): `reprise-web sessions` lists all identifiers."
        )
    }
}
