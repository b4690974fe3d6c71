import ArgumentParser

/// Options that select the objects to which a command applies.
protocol ControlScope: ParsableArguments {
    /// Options for the daemon and the output.
    var daemon: DaemonOptions { get }
    /// Whether the command waits until its change is durable.
    var isAwaited: Bool { get }
}

extension ControlScope {
    var isAwaited: Bool { false }
}

/// Options that may name an application.
protocol ApplicationNaming: ControlScope {
    /// Bundle identifier of the application, or `nil` for the first configured application.
    var application: String? { get }
}

/// Options that may name a scene and its application.
protocol SceneNaming: ApplicationNaming {
    /// Name of the scene, or `nil` for the first scene of the application.
    var scene: String? { get }
}

/// Options of a command that applies to the whole daemon.
struct DaemonScope: ControlScope {
    @OptionGroup var daemon: DaemonOptions
    @OptionGroup(visibility: .private) private var application: ApplicationOption
    @OptionGroup(visibility: .private) private var scene: SceneOption

    func validate() throws {
        try application.refuse()
        try scene.refuse()
    }
}

/// Options of a command that applies to one application.
struct ApplicationScope: ApplicationNaming {
    @OptionGroup var daemon: DaemonOptions
    @OptionGroup private var named: ApplicationOption
    @OptionGroup(visibility: .private) private var scene: SceneOption

    var application: String? { named.application }

    func validate() throws { try scene.refuse() }
}

/// Options of a command that applies to one scene.
struct SceneScope: SceneNaming {
    @OptionGroup var daemon: DaemonOptions
    @OptionGroup private var named: ApplicationOption
    @OptionGroup private var namedScene: SceneOption

    var application: String? { named.application }
    var scene: String? { namedScene.scene }
}

/// Options of a command that reads a file and does not call the daemon.
struct FileScope: ParsableArguments {
    /// Long names of shared options that the command rejects or ignores.
    static let ignoredOptions: Set = ["--socket", "--timeout", "--host", "--follow", "--quiet"]

    @OptionGroup private var daemon: DaemonOptions
    @OptionGroup(visibility: .private) private var application: ApplicationOption
    @OptionGroup(visibility: .private) private var scene: SceneOption

    /// Whether to print JSON.
    var json: Bool { daemon.json }
    /// Whether long output may be shown in a pager.
    var isPaged: Bool { daemon.isPaged }

    func validate() throws {
        if daemon.isQuiet {
            throw ValidationError(
                "The command changes nothing and does not accept --quiet: remove the option.")
        }
        let named = [
            "socket": daemon.socket != nil, "host": daemon.host != nil,
            "timeout": daemon.timeout != nil,
        ]
        if let (name, _) = named.first(where: \.value) {
            throw ValidationError(
                "The command does not connect to a daemon and does not accept --\(name): remove the option."
            )
        }
        try application.refuse()
        try scene.refuse()
    }
}
