import ArgumentParser

/// What a command is about, and by which options that is named.
protocol ControlScope: ParsableArguments {
    var daemon: DaemonOptions { get }
}

/// The daemon as a whole.
struct DaemonScope: ControlScope {
    @OptionGroup var daemon: DaemonOptions
    @OptionGroup(visibility: .private) private var application: ApplicationOption
    @OptionGroup(visibility: .private) private var scene: SceneOption

    func validate() throws {
        try application.refuse()
        try scene.refuse()
    }
}

/// One application.
struct ApplicationScope: ControlScope {
    @OptionGroup var daemon: DaemonOptions
    @OptionGroup private var named: ApplicationOption
    @OptionGroup(visibility: .private) private var scene: SceneOption

    /// The bundle identifier; nil means the first configured application.
    var application: String? { named.application }

    func validate() throws { try scene.refuse() }
}

/// One scene of an application.
struct SceneScope: ControlScope {
    @OptionGroup var daemon: DaemonOptions
    @OptionGroup private var named: ApplicationOption
    @OptionGroup private var namedScene: SceneOption

    /// The bundle identifier; nil means the first configured application.
    var application: String? { named.application }
    /// The scene's name; nil means the application's first one.
    var scene: String? { namedScene.scene }
}

/// A file, for which no daemon is asked.
struct FileScope: ParsableArguments {
    @OptionGroup private var output: OutputOptions
    @OptionGroup(visibility: .private) private var connection: SocketOption
    @OptionGroup(visibility: .private) private var application: ApplicationOption
    @OptionGroup(visibility: .private) private var scene: SceneOption

    /// Whether to print JSON.
    var json: Bool { output.json }

    func validate() throws {
        if connection.socket != nil {
            throw ValidationError("The command asks no daemon and takes no --socket: leave it out.")
        }
        try application.refuse()
        try scene.refuse()
    }
}

/// What every command that asks the daemon can be told.
struct DaemonOptions: ParsableArguments {
    @OptionGroup private var connection: SocketOption
    @OptionGroup private var output: OutputOptions

    /// The daemon's socket; nil if the usual places are to be looked at.
    var socket: String? { connection.socket }
    /// Whether to print JSON.
    var json: Bool { output.json }
}

/// Names the daemon's socket.
struct SocketOption: ParsableArguments {
    @Option(help: "The daemon's socket.")
    var socket: String?

    func validate() throws {
        if socket?.isEmpty == true {
            throw ValidationError(
                "--socket has no path: name the daemon's socket, or leave it out.")
        }
    }
}

/// How a command prints.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON.")
    var json = false
}

/// Names an application.
struct ApplicationOption: ParsableArguments {
    @Option(name: .customLong("app"), help: "The application's bundle identifier.")
    var application: String?

    /// - Throws: a sentence, if the option was given to a command that does not take it.
    func refuse() throws {
        if application != nil { throw ValidationError("The command takes no --app: leave it out.") }
    }
}

/// Names a scene.
struct SceneOption: ParsableArguments {
    @Option(help: "The scene's name.")
    var scene: String?

    /// - Throws: a sentence, if the option was given to a command that does not take it.
    func refuse() throws {
        if scene != nil { throw ValidationError("The command takes no --scene: leave it out.") }
    }
}
