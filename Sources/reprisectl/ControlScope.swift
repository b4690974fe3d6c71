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
        if connection.timeout != nil {
            throw ValidationError(
                "The command asks no daemon and takes no --timeout: leave it out.")
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
    /// How long the daemon, or its answer, is waited for; nil: as long as is usual.
    var timeout: Duration? { connection.timeout }
    /// Whether to print JSON.
    var json: Bool { output.json }
}

/// Names the daemon's socket.
struct SocketOption: ParsableArguments {
    @Option(help: "The daemon's socket.")
    var socket: String?

    @Option(
        help:
            "How long to wait for the daemon, and for its answer: 500ms, 5s, 2m; else 5s and 60s.",
        transform: Duration.init(argument:))
    var timeout: Duration?

    func validate() throws {
        if socket?.isEmpty == true {
            throw ValidationError(
                "--socket has no path: name the daemon's socket, or leave it out.")
        }
    }
}

extension Duration {
    /// A time as the command line has it: a number, and ms, s, m or h; without these, seconds.
    fileprivate init(argument: String) throws {
        let digits = argument.prefix { $0.isASCII && $0.isNumber }
        let units: [Substring: Duration] = [
            "": .seconds(1), "s": .seconds(1), "ms": .milliseconds(1), "m": .seconds(60),
            "h": .seconds(3600),
        ]
        guard let number = Int(digits), (1...1_000_000).contains(number),
            let unit = units[argument[digits.endIndex...]]
        else { throw ValidationError("write a time above 0 such as 500ms, 5s or 2m") }
        self = unit * number
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

    func validate() throws {
        if application?.isEmpty == true {
            throw ValidationError("--app has no bundle identifier: name one, or leave it out.")
        }
    }

    /// - Throws: a sentence, if the option was given to a command that does not take it.
    func refuse() throws {
        if application != nil { throw ValidationError("The command takes no --app: leave it out.") }
    }
}

/// Names a scene.
struct SceneOption: ParsableArguments {
    @Option(help: "The scene's name.")
    var scene: String?

    func validate() throws {
        if scene?.isEmpty == true {
            throw ValidationError("--scene has no name: name a scene, or leave it out.")
        }
    }

    /// - Throws: a sentence, if the option was given to a command that does not take it.
    func refuse() throws {
        if scene != nil { throw ValidationError("The command takes no --scene: leave it out.") }
    }
}
