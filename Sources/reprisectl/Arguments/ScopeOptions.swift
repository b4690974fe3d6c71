import ArgumentParser

/// Options that select the objects to which a command applies.
protocol ScopeOptions: ParsableArguments {
    /// Options for the daemon and the output.
    var daemon: DaemonCallOptions { get }
    /// Whether the command waits until its change is durable.
    var waitsForDurability: Bool { get }
}

extension ScopeOptions {
    var waitsForDurability: Bool { false }
}

/// Options that can name an application.
protocol ApplicationNaming: ScopeOptions {
    /// Bundle identifier of the application, or `nil` for the first configured application.
    var application: String? { get }
}

/// Options that can name a scene and its application.
protocol SceneNaming: ApplicationNaming {
    /// Name of the scene, or `nil` for the application's first scene.
    var scene: String? { get }
}

/// Options for a command that applies to the whole daemon.
struct DaemonScopeOptions: ScopeOptions {
    @OptionGroup var daemon: DaemonCallOptions
    @OptionGroup(visibility: .private) private var application: ApplicationOption
    @OptionGroup(visibility: .private) private var scene: SceneOption

    func validate() throws {
        try application.rejectIfGiven()
        try scene.rejectIfGiven()
    }
}

/// Options for a command that applies to one application.
struct ApplicationScopeOptions: ApplicationNaming {
    @OptionGroup var daemon: DaemonCallOptions
    @OptionGroup private var applicationOption: ApplicationOption
    @OptionGroup(visibility: .private) private var scene: SceneOption

    var application: String? { applicationOption.application }

    func validate() throws { try scene.rejectIfGiven() }
}

/// Options for a command that applies to one scene.
struct SceneScopeOptions: SceneNaming {
    @OptionGroup var daemon: DaemonCallOptions
    @OptionGroup private var applicationOption: ApplicationOption
    @OptionGroup private var sceneOption: SceneOption

    var application: String? { applicationOption.application }
    var scene: String? { sceneOption.scene }
}

/// Options for a command that reads a file and does not call the daemon.
struct FileScopeOptions: ParsableArguments {
    /// Long names of shared options that the command rejects or ignores.
    static let ignoredOptions: Set = ["--socket", "--timeout", "--host", "--follow", "--quiet"]

    @OptionGroup private var daemon: DaemonCallOptions
    @OptionGroup(visibility: .private) private var application: ApplicationOption
    @OptionGroup(visibility: .private) private var scene: SceneOption

    /// Whether to print JSON.
    var json: Bool { daemon.json }
    /// Whether long output may be shown in a pager.
    var allowsPager: Bool { daemon.allowsPager }

    func validate() throws {
        if daemon.isQuiet {
            throw ValidationError(
                "The command changes nothing and does not accept --quiet: remove the option.")
        }
        let givenOptions = [
            "socket": daemon.socket != nil, "host": daemon.host != nil,
            "timeout": daemon.timeout != nil,
        ]
        if let (name, _) = givenOptions.first(where: \.value) {
            throw ValidationError(
                "The command does not connect to a daemon and does not accept --\(name): remove the option."
            )
        }
        try application.rejectIfGiven()
        try scene.rejectIfGiven()
    }
}
