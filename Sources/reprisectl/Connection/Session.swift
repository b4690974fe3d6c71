/// What commands are carried out with: the way to the daemon, and what holds where a command says
/// nothing else.
struct Session {
    /// The way to the daemon, for one command after the other.
    let daemon: DaemonConnection
    /// The application that is meant by a command that names none; nil: the first configured one.
    var application: String?
    /// The scene that is meant by a command that names neither scene nor application.
    var scene: String?
    /// Whether to print JSON.
    var json: Bool
    /// Whether to print nothing of a change that is saved.
    var isQuiet: Bool
    /// Whether commands are read from standard input, so that nothing else can be.
    var isInputTaken = false

    /// - Parameter options: What the command line says of the daemon and of the output.
    init(_ options: DaemonOptions) {
        daemon = DaemonConnection(
            socket: options.socket, host: options.host, timeout: options.timeout,
            followsOwner: options.followsOwner)
        json = options.json
        isQuiet = options.isQuiet
    }
}
