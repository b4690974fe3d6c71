import ArgumentParser
import RepriseControl

/// Command for operating a scene from a terminal.
struct AttachCommand: DaemonCommand, OptionIgnoring {
    static let ignoredOptions: Set = ["--json", "--quiet", "--no-pager"]
    static let configuration = CommandConfiguration(
        commandName: "attach",
        abstract:
            "Shows a scene full-screen in the terminal and lets you operate it with the keyboard "
            + "and the mouse.",
        discussion: """
            The screen is updated whenever the scene changes, even if another client makes the \
            change. If the daemon restarts, the command reconnects and continues.
            The scene fills the terminal. Tab and the arrow keys move the focus, Enter activates \
            the focused view, Escape goes back, and Ctrl-C exits. F1 shows all keys, F2 shows other \
            scenes, and F3 shows earlier states. F4 shows the state of every object and explains \
            why the object is or is not saved.
            """)

    @OptionGroup var daemon: DaemonCallOptions
    @OptionGroup private var applicationOption: ApplicationOption
    @OptionGroup private var sceneOption: SceneOption

    @Flag(help: "Watch the scene without changing it.")
    private var observe = false

    func validate() throws {
        if daemon.json {
            throw ValidationError(
                "attach is interactive and does not accept --json: use show instead.")
        }
        if daemon.isQuiet {
            throw ValidationError("attach does not accept --quiet: remove the option.")
        }
    }

    func run(in context: CommandContext) throws {
        if Terminal.batchLineNumber != nil {
            throw Failure("attach is interactive and cannot be used in a batch.", status: .usage)
        }
        var call = AttachCall()
        call.application = applicationOption.application
        call.scene = sceneOption.scene
        (call.columns, call.lines) = TerminalSession.size.renderingSize
        if observe { call.observing = true }
        // Report a wrong name or a missing daemon before the client takes over the screen.
        let firstReply: AttachCall.Reply
        do {
            firstReply = try AttachCall.decode(context.daemon.call(call, isRepeatable: true))
        } catch let failure as Failure {
            throw failure.suggesting(from: context.daemon, for: call)
        }
        // The client uses its own connections, which begin with the host that the first call has found.
        context.daemon.disconnect()
        call.application = firstReply.application
        call.scene = firstReply.scene
        let options = daemon
        let client = try AttachClient(call, ownerHost: context.daemon.ownerHostName) {
            DaemonConnection(
                socket: options.socket, host: options.host, timeout: options.timeout,
                followsOwner: options.followsOwner)
        }
        try client.run(from: firstReply)
    }
}
