import ArgumentParser

/// What a command is about, and by which options that is named.
protocol ControlScope: ParsableArguments {
    var daemon: DaemonOptions { get }
}

/// The daemon as a whole.
struct DaemonScope: ControlScope {
    @OptionGroup var daemon: DaemonOptions
    @ParentCommand private var root: ReprisectlCommand

    func validate() throws {
        try root.application.refuse()
        try root.scene.refuse()
    }
}

/// One application.
struct ApplicationScope: ControlScope {
    @OptionGroup var daemon: DaemonOptions
    @OptionGroup private var named: ApplicationOption
    @ParentCommand private var root: ReprisectlCommand

    /// The bundle identifier; nil: the first configured application is meant.
    var application: String? { named.application }

    func validate() throws { try root.scene.refuse() }
}

/// One scene of an application.
struct SceneScope: ControlScope {
    @OptionGroup var daemon: DaemonOptions
    @OptionGroup private var named: ApplicationOption
    @OptionGroup private var namedScene: SceneOption

    /// The bundle identifier; nil: the first configured application is meant.
    var application: String? { named.application }
    /// The scene's name; nil: the application's first one is meant.
    var scene: String? { namedScene.scene }
}

/// What every command can be told.
struct DaemonOptions: ParsableArguments {
    @Option(help: "The daemon's socket.")
    var socket: String?

    @OptionGroup private var output: OutputOptions

    /// Whether to print JSON.
    var json: Bool { output.json }

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
