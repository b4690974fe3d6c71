/// Context in which commands run: the connection to the daemon, and defaults for omitted options.
struct CommandContext {
    /// Connection to the daemon, shared by successive commands.
    let daemon: DaemonConnection
    /// Bundle identifier for commands that name no application, or `nil` for the first configured application.
    var application: String?
    /// Scene name for commands that name neither a scene nor an application, or `nil` for the application's first
    /// scene.
    var scene: String?
    /// Whether to print JSON.
    var printsJSON: Bool
    /// Whether to print nothing for a change that has been saved.
    var isQuiet: Bool
    /// Whether commands are read from standard input. If so, standard input cannot provide text for an argument.
    var readsCommandsFromStandardInput = false

    /// Creates a context from a command's options.
    ///
    /// - Parameter options: Options for the daemon and the output.
    init(_ options: DaemonCallOptions) {
        daemon = DaemonConnection(
            socket: options.socket, host: options.host, timeout: options.timeout,
            followsOwner: options.followsOwner)
        printsJSON = options.json
        isQuiet = options.isQuiet
    }
}
