import StateRestoration

/// Commands that run in one turn, and the replies to them (P14).
///
/// Each command is run, postponed or refused. A command for a scene that is saved but not running is postponed. The
/// caller launches the scene after the last command in the turn. All commands for a scene therefore run in the order
/// they were queued.
struct CommandTurn {
    /// Scene to close after the turn's pass.
    struct PendingClose {
        let scene: HostedScene
        let reply: TurnReply
        let refuse: (any Error) -> Void
        /// Whether the scene is closed because of the idle timeout.
        let isIdleTimeout: Bool
    }

    let hostedScenes: HostedScenes
    let commandInbox: CommandInbox
    /// Closure that is called once for each command that may change its scene.
    let countChange: () -> Void
    /// Commands that have been run, postponed or refused.
    var handledCommands: ArraySlice<SceneCommand> = []
    /// Replies to the commands that have run, each with the name of the command's scene.
    private(set) var replies: [(scene: RestorationIdentifier, reply: TurnReply)] = []
    /// Scene to close after the pass, or `nil` if no scene will be closed.
    private(set) var pendingClose: PendingClose?

    private var bundleIdentifier: String { commandInbox.bundleIdentifier }

    /// Whether any command may have changed its scene.
    var hasChanges: Bool { handledCommands.contains { !$0.isReadOnly } }

    /// Name of the scene that all commands address, or `nil` if the commands address different scenes.
    var commonSceneName: String? {
        let names = Set(handledCommands.map { $0.sceneName ?? hostedScenes.defaultSceneName })
        return names.count == 1 ? names.first.map { $0?.text ?? "?" } : nil
    }

    /// Runs a command, or postpones or refuses it if it cannot run now.
    mutating func run(_ command: SceneCommand) {
        if command.caller?.hasDisconnected() == true { return command.refuse(CancellationError()) }
        guard let name = command.sceneName ?? hostedScenes.defaultSceneName else {
            return command.refuse(hostedScenes.noSuchSceneError(nil, of: bundleIdentifier))
        }
        switch (hostedScenes.state(of: name), command.kind) {
        case (.launched(let scene), .perform(let body)): perform(body, command, on: scene)
        case (.launched(let scene), .close(let reply)): close(scene, reply, command)
        case (.launching, .perform), (.launching, .close): postpone(command, until: name)
        case (.launched, .open), (.launching, .open):
            command.refuse(
                ApplicationError.sceneExists(application: bundleIdentifier, scene: name.text))
        case (.saved, .perform) where !command.launchesScene:
            command.refuse(
                ApplicationError.sceneNotLaunched(application: bundleIdentifier, scene: name.text))
        case (.saved, .perform): launch(name, for: command)
        case (.saved, .open(let reply)), (.failed, .open(let reply)), (.unknown, .open(let reply)):
            // The reply is sent after the launch, like a reply to a command that runs on the scene.
            let reply = SceneCommand(
                kind: .perform { _ in TurnReply(send: reply) }, sceneName: name,
                refuse: command.refuse)
            launch(name, for: reply, isUserRequested: true)
        case (.saved, .close) where hostedScenes.isLaunchDeferred(name):
            // Otherwise, the scene would be launched later. Launching the scene now makes it possible to record that it
            // was closed.
            launch(name, for: command)
        case (.saved, .close(let reply)): replies.append((name, TurnReply(send: reply)))
        case (.failed(let reason), .perform), (.failed(let reason), .close):
            command.refuse(
                ApplicationError.sceneFailed(
                    application: bundleIdentifier, scene: name.text, reason: reason))
        case (.unknown, .perform), (.unknown, .close):
            command.refuse(hostedScenes.noSuchSceneError(name, of: bundleIdentifier))
        }
    }

    private mutating func perform(
        _ body: (Scene) -> TurnReply, _ command: SceneCommand, on scene: HostedScene
    ) {
        if !command.isReadOnly {
            scene.hasPendingMutation = true
            countChange()
        }
        hostedScenes.markDue(scene)
        replies.append((scene.name, scene.crashContext.run(at: .turnBegin) { body(scene.scene) }))
    }

    private mutating func close(
        _ scene: HostedScene, _ reply: @escaping PendingReplies.ReplySender, _ command: SceneCommand
    ) {
        if command.isIdleTimeout, scene.hasBeenUsed { return }
        scene.hasPendingMutation = true
        hostedScenes.markDue(scene)
        scene.scene.isInUse = false
        pendingClose = PendingClose(
            scene: scene, reply: TurnReply(send: reply), refuse: command.refuse,
            isIdleTimeout: command.isIdleTimeout)
    }

    /// Queues the launch of a scene, and postpones a command until the scene has been launched.
    private func launch(
        _ name: RestorationIdentifier, for command: SceneCommand, isUserRequested: Bool = false
    ) {
        postpone(command, until: name)
        hostedScenes.table.scheduleLaunch(for: name, isUserRequested: isUserRequested)
    }

    private func postpone(_ command: SceneCommand, until name: RestorationIdentifier) {
        commandInbox.withQueue { $0.postpone(command, until: name) }
    }
}

extension HostedScenes {
    /// Returns the error for a scene that does not exist.
    ///
    /// - Parameters:
    ///   - name: The name of the scene, or `nil` if the command does not specify a scene and no default scene exists.
    ///   - bundleIdentifier: The bundle identifier of the application.
    func noSuchSceneError(_ name: RestorationIdentifier?, of bundleIdentifier: String)
        -> ApplicationError
    {
        .noSuchScene(
            application: bundleIdentifier, scene: name?.text ?? "",
            scenes: names(atMost: 100).map(\.text))
    }
}
