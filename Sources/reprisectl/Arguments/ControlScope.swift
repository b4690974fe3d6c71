import ArgumentParser

/// What a command is about, and by which options that is named.
protocol ControlScope: ParsableArguments {
    /// What is said of the daemon and of the output.
    var daemon: DaemonOptions { get }
    /// Whether the command ends only once its change is durable.
    var isAwaited: Bool { get }
}

extension ControlScope {
    var isAwaited: Bool { false }
}

/// What may name an application.
protocol ApplicationNaming: ControlScope {
    /// The bundle identifier; nil means the first configured application.
    var application: String? { get }
}

/// What may name a scene, and its application.
protocol SceneNaming: ApplicationNaming {
    /// The scene's name; nil means the application's first one.
    var scene: String? { get }
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
struct ApplicationScope: ApplicationNaming {
    @OptionGroup var daemon: DaemonOptions
    @OptionGroup private var named: ApplicationOption
    @OptionGroup(visibility: .private) private var scene: SceneOption

    var application: String? { named.application }

    func validate() throws { try scene.refuse() }
}

/// One scene of an application.
struct SceneScope: SceneNaming {
    @OptionGroup var daemon: DaemonOptions
    @OptionGroup private var named: ApplicationOption
    @OptionGroup private var namedScene: SceneOption

    var application: String? { named.application }
    var scene: String? { namedScene.scene }
}

/// A file, for which no daemon is asked.
struct FileScope: ParsableArguments {
    /// The long names of options of other commands that are an error here or have no effect.
    static let ignoredOptions: Set = ["--socket", "--timeout", "--host", "--follow", "--quiet"]

    @OptionGroup private var daemon: DaemonOptions
    @OptionGroup(visibility: .private) private var application: ApplicationOption
    @OptionGroup(visibility: .private) private var scene: SceneOption

    /// Whether to print JSON.
    var json: Bool { daemon.json }
    /// Whether what is long may go through a pager.
    var isPaged: Bool { daemon.isPaged }

    func validate() throws {
        if daemon.isQuiet {
            throw ValidationError("The command changes nothing and takes no --quiet: leave it out.")
        }
        let named = [
            "socket": daemon.socket != nil, "host": daemon.host != nil,
            "timeout": daemon.timeout != nil,
        ]
        if let (name, _) = named.first(where: \.value) {
            throw ValidationError(
                "The command asks no daemon and takes no --\(name): leave it out.")
        }
        try application.refuse()
        try scene.refuse()
    }
}
