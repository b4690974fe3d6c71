import Glibc

/// A daemon with a state of its own in a folder.
package struct RunningDaemon {
    /// What its state and its socket are in.
    package let folder: String
    private let process: pid_t
    private let socket: NotifySocket

    /// Starts it, and returns when it is ready.
    ///
    /// - Parameters:
    ///   - configuration: the folder of its configuration.
    ///   - folder: an empty one, for its state and its socket.
    package init(program: String, configuration: String, folder: String) throws {
        self.folder = folder
        socket = try NotifySocket(path: folder + "/notify")
        let variables = [
            "NOTIFY_SOCKET=\(socket.path)", "CONFIGURATION_DIRECTORY=\(configuration)",
            "STATE_DIRECTORY=\(folder)/state", "RUNTIME_DIRECTORY=\(folder)",
        ]
        var words = [strdup(program), nil]
        var settings = variables.map { strdup($0) } + [nil]
        defer { (words + settings).forEach { free($0) } }
        var output: posix_spawn_file_actions_t = .init()
        posix_spawn_file_actions_init(&output)
        defer { posix_spawn_file_actions_destroy(&output) }
        posix_spawn_file_actions_addopen(&output, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        var process: pid_t = 0
        let result = posix_spawn(&process, program, &output, nil, &words, &settings)
        guard result == 0 else { throw SystemError(call: "starting \(program)", number: result) }
        self.process = process
        try socket.waitForReady()
    }

    /// The path of its control socket.
    package var control: String { folder + "/control" }

    /// The folder of the saved state of ChildViews.
    package var savedState: String {
        folder + "/state/Saved Application State/org.reprise.ChildViews.savedState"
    }

    /// Takes what it told of itself: it waits when nobody does.
    package func hearOut() { socket.drain() }

    /// Ends it in an orderly way.
    package func end() {
        kill(process, SIGTERM)
        var status: CInt = 0
        waitpid(process, &status, 0)
    }
}
