import ArgumentParser

/// Options for a command that changes one scene.
struct SceneChangeScopeOptions: SceneNaming {
    @OptionGroup var daemon: DaemonCallOptions
    @OptionGroup private var applicationOption: ApplicationOption
    @OptionGroup private var sceneOption: SceneOption

    @Flag(name: .customLong("wait"), help: "Wait until the change is durable.")
    var waitsForDurability = false

    var application: String? { applicationOption.application }
    var scene: String? { sceneOption.scene }
}

/// Options for a command that changes one application.
struct ApplicationChangeScopeOptions: ApplicationNaming {
    @OptionGroup var daemon: DaemonCallOptions
    @OptionGroup private var applicationOption: ApplicationOption
    @OptionGroup(visibility: .private) private var scene: SceneOption

    @Flag(name: .customLong("wait"), help: "Wait until the change is durable.")
    var waitsForDurability = false

    var application: String? { applicationOption.application }

    func validate() throws { try scene.rejectIfGiven() }
}

/// Options for a command that applies to one application, or to all applications in turn.
struct MultiApplicationScopeOptions: ApplicationNaming {
    @OptionGroup var daemon: DaemonCallOptions
    @OptionGroup private var applicationOption: ApplicationOption
    @OptionGroup(visibility: .private) private var scene: SceneOption

    @Flag(help: "Run the command for all applications, in the order in which they are configured.")
    var all = false

    var application: String? { applicationOption.application }

    func validate() throws {
        try scene.rejectIfGiven()
        if all, application != nil {
            throw ValidationError("--all and --app cannot be used together: remove one of them.")
        }
    }
}
