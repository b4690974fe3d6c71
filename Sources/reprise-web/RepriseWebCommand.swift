import ArgumentParser

/// Program that displays the scenes of a daemon in a browser.
@main
struct RepriseWebCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reprise-web",
        abstract: "Display the scenes of a daemon in a browser.",
        discussion: """
            The program connects to the daemon's control socket, and serves a page on this host. It prints a link that \
            can be used once, unless its output is the journal. `reprise-web login` prints another link. If \
            reprise-web.service runs, root can use `login` and `sessions`.
            """,
        subcommands: [ServeCommand.self, LoginCommand.self, SessionsCommand.self],
        defaultSubcommand: ServeCommand.self)
}
