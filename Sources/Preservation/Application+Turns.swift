import Logging
import SavedState
import StateRestoration

extension Application {
    /// Runs a turn: the commands that wait, one pass of each scene, one write, and the answers
    /// (P14). While the application is being launched nothing is run and nothing saved.
    ///
    /// - Returns: how safe the state is then.
    @discardableResult
    func runTurn(_ reason: TurnReason) -> Saved {
        advanceLaunches()
        startTasks()
        if isLaunching, reason != .stop { return saver.saved }
        if isLookNeeded { lookAtArchive() }
        if reason == .commands, isIdle { return saver.saved }
        isRetried = false
        if reason == .interval { launches.noteTime() }
        debugExit?.reach(.turnBegin)
        var answers: [SceneCommand.Answer] = []
        var closing: Closing?
        for command in queue.takeTurn(endsTurn: \.endsTurn) {
            run(command, &answers, &closing)
        }
        debugExit?.reach(.turnCommands)
        if let hosted {
            save(hosted, reason, closing: closing?.scene)
        } else {
            saveAgain()
        }
        awaitOutsideChange(isAgain: reason != .commands)
        debugExit?.reach(.turnWritten)
        if let closing { answers += end(closing) }
        tellIncidents()
        noteDurability()
        if withholdsAnswers { withheldAnswers += answers } else { answer(answers) }
        if reason != .commands {
            requestSync()
            keepRefused()
        }
        if reason == .history, hosted != nil { saver.keepChanges(because: .interval) }
        compactIfWorthIt()
        return saver.saved
    }

    /// Whether nothing waits and nothing changed: a wake-up that an earlier turn has answered.
    private var isIdle: Bool {
        queue.isEmpty && hosted?.scenes.contains { $0.scene.needsPass } != true
    }

    /// A scene that is to end after this turn.
    private struct Closing {
        var scene: HostedScene
        var answer: SceneCommand.Answer
        var refuse: (any Error) -> Void
    }

    /// Tries again to save what could not be saved, without a pass.
    func saveAgain() {
        if case .stopped = phase { saver.retry() } else { saver.write(TurnRecords()) }
    }

    /// Makes a pass of each launched scene and writes what they changed.
    func save(_ hosted: HostedScenes, _ reason: TurnReason, closing: HostedScene? = nil) {
        saver.save(
            hosted.scenes, reason, closing: closing?.scene, stamp: stamp)
        for scene in hosted.live {
            let count = scene.takeSuperfluousCompletions()
            guard count > 0 else { continue }
            log.tell(
                .warning, .extensionMisused,
                "its restoration was completed \(count) times without having been extended",
                scene: scene.name.text)
        }
    }

    private func run(
        _ command: SceneCommand, _ answers: inout [SceneCommand.Answer],
        _ closing: inout Closing?
    ) {
        guard let hosted else {
            command.refuse(notTaking)
            return
        }
        guard let name = command.scene ?? hosted.firstName else {
            command.refuse(noSuchScene(nil, in: hosted))
            return
        }
        switch (hosted.state(of: name), command.kind) {
        case (.launched(let scene), .perform(let body)):
            answers.append(scene.place.run(at: .turnBegin) { body(scene.scene) })
        case (.launched(let scene), .close(let answer)):
            scene.scene.isInUse = false
            closing = Closing(scene: scene, answer: answer, refuse: command.refuse)
        case (.launching, .perform), (.launching, .close):
            queue.hold(command, for: name)
        case (.launched, .open), (.launching, .open):
            command.refuse(
                ApplicationError.sceneExists(
                    application: bundleIdentifier, scene: name.text))
        case (.saved, .perform):
            launch(name, of: hosted, for: command)
        case (.saved, .open(let answer)), (.failed, .open(let answer)),
            (.unknown, .open(let answer)):
            // Answered once the scene is launched, like what is to run on it.
            hosted.askFor(name)
            launch(
                name, of: hosted,
                for: SceneCommand(
                    kind: .perform { _ in answer }, scene: name, refuse: command.refuse))
        case (.saved, .close(let answer)):
            answers.append(answer)
        case (.failed(let reason), .perform), (.failed(let reason), .close):
            command.refuse(sceneFailed(name, reason))
        case (.unknown, .perform), (.unknown, .close):
            command.refuse(noSuchScene(name, in: hosted))
        }
    }

    /// Launches a scene, or lets it wait for those before it, and then runs a command on it.
    private func launch(
        _ name: RestorationIdentifier, of hosted: HostedScenes, for command: SceneCommand
    ) {
        queue.hold(command, for: name)
        hosted.wait(for: name)
        advanceLaunches()
    }

    /// Ends a scene whose last pass was made, unless that could not be saved.
    ///
    /// - Returns: what answers that it ended, if it did.
    private func end(_ closing: Closing) -> [SceneCommand.Answer] {
        let scene = closing.scene
        if let reason = saver.failure(of: scene.name) {
            scene.scene.isInUse = true
            closing.refuse(
                ApplicationError.sceneNotSaved(
                    application: bundleIdentifier, scene: scene.name.text,
                    reason: reason))
            return []
        }
        hosted?.end(scene)
        launches.note(.ended(scene: key(of: scene.name)))
        log.tell(.notice, .closed, "closed, its state stays", scene: scene.name.text)
        changeFeed.yield()
        return [closing.answer]
    }
}
