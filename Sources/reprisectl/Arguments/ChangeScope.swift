import ArgumentParser

/// Options of a command that changes one scene.
struct ChangedScene: SceneNaming {
    @OptionGroup var daemon: DaemonOptions
    @OptionGroup private var named: ApplicationOption
    @OptionGroup private var namedScene: SceneOption

    @Flag(name: .customLong("wait"), help: "Wait until the change is durable.")
    var isAwaited = false

    var application: String? { named.application }
    var scene: String? { namedScene.scene }
}

/// Options of a command that changes one application.
struct ChangedApplication: ApplicationNaming {
    @OptionGroup var daemon: DaemonOptions
    @OptionGroup private var named: ApplicationOption
    @OptionGroup(visibility: .private) private var scene: SceneOption

    @Flag(name: .customLong("wait"), help: "Wait until the change is durable.")
    var isAwaited = false

    var application: String? { named.application }

    func validate() throws { try scene.refuse() }
}

/// Options of a command that applies to one application, or to all applications in turn.
struct ApplicationsScope: ApplicationNaming {
    @OptionGroup var daemon: DaemonOptions
    @OptionGroup private var named: ApplicationOption
    @OptionGroup(visibility: .private) private var scene: SceneOption

    @Flag(help: "Run the command for all applications, in the order in which they are configured.")
    var all = false

    var application: String? { named.application }

    func validate() throws {
        try scene.refuse()
        if all, application != nil {
            throw ValidationError("--all and --app cannot be used together: remove one of them.")
        }
    }
}
