import ExactText
import Logging
import SavedState
public import StateRestoration

// Commands, the turns that run them, and how what they changed becomes durable (P14).

extension Application {
    /// Runs a command on a scene, in a turn of the application (P14): the answer comes after what
    /// the command changed was saved.
    ///
    /// A scene that is saved and not launched is launched first (S3). While the application or the
    /// scene is being launched the command waits.
    ///
    /// - Parameters:
    ///   - scene: the scene's name; nil: the first configured one.
    ///   - body: the command. It runs on the application's actor.
    /// - Throws: ``ApplicationError``, or what the command threw.
    @discardableResult
    public nonisolated func perform<Result: Sendable>(
        on scene: String? = nil, _ body: @escaping @Sendable (Scene) throws -> Result
    ) async throws -> CommandReply<Result> {
        try await run(body, on: scene, isLook: false)
    }

    /// Asks something of a scene, like ``perform(on:_:)``; the body changes nothing. The reply tells
    /// how safe what the scene recorded is.
    ///
    /// - Parameter launches: whether a scene that is saved and not launched is launched for it.
    package nonisolated func look<Result: Sendable>(
        on scene: String? = nil, launches: Bool = true,
        _ body: @escaping @Sendable (Scene) throws -> Result
    ) async throws -> CommandReply<Result> {
        try await run(body, on: scene, isLook: true, launches: launches)
    }

    /// Tells of each turn that may have changed what a person would see of a scene, until the
    /// application ends for good. Turns that follow each other while nobody looks are told once.
    package nonisolated var changingTurns: AsyncStream<Void> { turnsMade.subscribe() }

    private nonisolated func run<Result: Sendable>(
        _ body: @escaping @Sendable (Scene) throws -> Result, on scene: String?,
        isLook: Bool, launches: Bool = true
    ) async throws -> CommandReply<Result> {
        let name = scene.map(RestorationIdentifier.init(recorded:))
        return try await queued(name, isLook: isLook, launches: launches) { continuation in
            .perform { scene in
                do {
                    let result = try body(scene)
                    return CommandAnswer(
                        verdict: isLook ? { _ in nil } : CommandAnswer.judgesByLosses
                    ) {
                        continuation.resume(returning: CommandReply(result: result, saved: $0))
                    }
                } catch {
                    return CommandAnswer { _ in continuation.resume(throwing: error) }
                }
            }
        }
    }

    /// Runs a command on a scene, like ``perform(on:_:)``, and judges by what it changed how safe
    /// that is (P21).
    ///
    /// - Parameters:
    ///   - scene: the scene's name; nil: the first configured one.
    ///   - body: the command, which gives its result, and what judges over its change after the pass.
    package nonisolated func change<Result: Sendable>(
        on scene: String? = nil,
        _ body: @escaping @Sendable (Scene) throws -> (Result, ChangeVerdict)
    ) async throws -> CommandReply<Result> {
        try await queued(scene.map(RestorationIdentifier.init(recorded:))) { continuation in
            .perform { scene in
                do {
                    let (result, verdict) = try body(scene)
                    return CommandAnswer(verdict: verdict) {
                        continuation.resume(returning: CommandReply(result: result, saved: $0))
                    }
                } catch {
                    return CommandAnswer { _ in continuation.resume(throwing: error) }
                }
            }
        }
    }

    /// Makes a scene, or launches one that is saved (S3), and returns when it is launched and
    /// saved. An application that could not be launched is launched for it.
    ///
    /// - Parameter scene: the scene's name.
    /// - Returns: how safe it is that the scene comes back at the next start.
    /// - Throws: ``ApplicationError``: `sceneExists` if it is running (S2), `invalidSceneName` if
    ///   no scene can have that name (I5), `sceneFailed` if it could not be launched.
    @discardableResult
    public nonisolated func open(scene: String) async throws -> Saved {
        let name: RestorationIdentifier
        do {
            name = try RestorationIdentifier(validating: scene)
        } catch {
            throw ApplicationError.invalidSceneName(
                application: bundleIdentifier, scene: scene, reason: "\(error)")
        }
        if case .failed = turns.refusal, let saved = try await launch(for: name) { return saved }
        return try await queued(name) { continuation in
            .open { continuation.resume(returning: $0) }
        }
    }

    /// Launches the application for a scene.
    ///
    /// - Returns: how safe the scene is, if it was launched with the application.
    private func launch(for name: RestorationIdentifier) async throws -> Saved? {
        if case .failed = phase { try await launch() }
        guard case .launched = hosted?.state(of: name) else { return nil }
        return saver.omission(in: name, { _ in nil }).map(Saved.notSaved) ?? saver.written
    }

    /// Ends a scene: a last full pass, then its objects are gone. What is saved of it stays, and
    /// comes back when it is opened again; the next start leaves it closed (S3).
    ///
    /// Does nothing if the scene is saved and not launched. A scene whose delegate does not save
    /// (P1) ends without a pass, so that the next start does not know that it was closed.
    ///
    /// - Parameter scene: the scene's name.
    /// - Returns: how safe its last state is.
    /// - Throws: ``ApplicationError``: `noSuchScene`, or `sceneNotSaved` if its last state could
    ///   not be saved; it stays open then.
    @discardableResult
    public nonisolated func close(scene: String) async throws -> Saved {
        try await queued(RestorationIdentifier(recorded: scene)) { continuation in
            .close { continuation.resume(returning: $0) }
        }
    }

    /// Makes a full pass of every scene, and returns when everything is durable, or cannot be made
    /// so; with ``PreservationSettings/Durability/replicated``, when it is replicated, too. Waits for a
    /// launch that is going on.
    ///
    /// - Throws: ``ApplicationError`` if the application is not running.
    public func preserve() async throws -> Saved {
        try refuseWithinLaunch()
        await waitForLaunch()
        _ = try runningScenes()
        checkDocuments()
        runTurn(.demand)
        let saved = await waitUntilDurable()
        guard saved == .durable, settings.durability == .replicated, let tenancy else {
            return saved
        }
        return await withCheckedContinuation { continuation in
            answerWhenReplicated([{ continuation.resume(returning: $0) }], by: tenancy.replica)
        }
    }

    /// Whether commands that come now are refused: it was not launched yet, or takes none any more.
    nonisolated var refusesCommands: Bool { turns.refusal != nil }

    /// Lets a command wait for its turn, and gives its answer.
    private nonisolated func queued<Answer: Sendable>(
        _ scene: RestorationIdentifier?, isLook: Bool = false, launches: Bool = true,
        _ kind: (CheckedContinuation<Answer, any Error>) -> SceneCommand.Kind
    ) async throws -> Answer {
        if AwaitedLaunch.unfinished != nil { try await refuseCommand(on: scene) }
        return try await withCheckedThrowingContinuation { continuation in
            let isTaken = turns.append(
                SceneCommand(
                    kind: kind(continuation), isLook: isLook, launches: launches, scene: scene,
                    caller: CommandCaller.current,
                    refuse: { continuation.resume(throwing: $0) }))
            if isTaken { serveCommands() }
        }
    }

    // MARK: Turns

    /// Runs a turn: the commands that wait, one pass of each scene, one write, and the answers
    /// (P14). While the application is being launched nothing is run and nothing saved.
    ///
    /// - Returns: how safe the state is then.
    @discardableResult
    func runTurn(_ reason: TurnReason) -> Saved {
        let elapsed = settings.clock.stopwatch()
        let toldBefore = toldTime
        defer { noteStepEnded() }
        advanceLaunches()
        startTasks()
        if isLaunching, reason != .stop { return saver.saved }
        if isTenancyOver, reason != .stop {
            refuseElsewhere()
            return saver.saved
        }
        if external.isLookNeeded { lookAtArchive() }
        if reason == .commands, isIdle { return saver.saved }
        external.turnBegan()
        if reason == .interval { launches.sceneGuard.noteTime() }
        launches.reach(.turnBegin)
        var commands: [(scene: RestorationIdentifier, answer: CommandAnswer)] = []
        var closing: Closing?
        let waiting = turns.withQueue { $0.takeTurn(endsTurn: \.endsTurn) }
        var taken = waiting[..<0]
        hosted?.areCommandsRunning = true
        for command in waiting {
            run(command, &commands, &closing)
            taken = waiting[...taken.endIndex]
            if elapsed() > TurnSchedule.Queue.turnTime { break }
        }
        hosted?.areCommandsRunning = false
        if taken.count < waiting.count {
            turns.withQueue { $0.putBack(waiting[taken.endIndex...]) }
        }
        let isAnyRun = taken.contains { !$0.isLook }
        if isAnyRun || reason == .interval && tasks.isAnyRunning { hosted?.noteCodeRan() }
        launches.reach(.turnCommands)
        let neededPass = hosted?.needsPass == true
        if let hosted { save(hosted, reason, closing: closing?.scene) } else { saveAgain() }
        // What a delegate does not want saved stays marked.
        let isPassMade = neededPass && hosted?.needsPass != true
        if isAnyRun || isPassMade || reason != .commands { turnsMade.send() }
        noticeExternalChange(isAgain: reason != .commands)
        launches.reach(.turnWritten)
        var answers = commands.map { judged($0.answer, in: $0.scene) }
        if let closing { answers += end(closing) }
        tellIncidents()
        if external.isWithholding { self.answers.withhold(answers) } else { answer(answers) }
        if reason != .commands {
            requestSync()
            keepUnkept()
            saver.generations.makeOverdue()
        }
        if reason == .interval {
            saver.noteInterval()
            saver.tellInterval()
        }
        if reason == .history, hosted != nil { saver.keepChanges(because: .interval) }
        if let job = saver.archive.beginCompaction() { signals.compaction.send(job) }
        tellIfSlow(
            elapsed() - (toldTime - toldBefore), "a turn of \(taken.count) commands",
            scene: onlyScene(of: taken))
        return saver.saved
    }

    /// Name of the scene that all commands are for, or `nil` if they are for several scenes, or there are none.
    private func onlyScene(of commands: some Sequence<SceneCommand>) -> String? {
        let names = Set(commands.map { $0.scene ?? hosted?.firstName })
        return names.count == 1 ? names.first.map { $0?.text ?? "?" } : nil
    }

    /// Does something outside of a turn, or in one, and tells if it kept everything else waiting that
    /// shares the event loop.
    func timing<Result, Failure: Error>(
        _ what: String, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let elapsed = settings.clock.stopwatch()
        let toldBefore = toldTime
        // What was told of a part of it is not told again.
        defer { tellIfSlow(elapsed() - (toldTime - toldBefore), what) }
        return try body()
    }

    /// Builds its sentence only for a turn over the limit, since every turn comes here.
    private func tellIfSlow(
        _ time: Duration, _ what: @autoclosure () -> String,
        scene: @autoclosure () -> String? = nil
    ) {
        guard time > settings.turnLimit else { return }
        toldTime += time
        let seconds = (time / .milliseconds(100)).rounded() / 10
        log.tell(
            .warning, .slow, "\(what()) took \(seconds) s, and blocked all other work",
            scene: scene())
    }

    /// The answer to a command, with what the pass made of its change (P21).
    private func judged(
        _ command: CommandAnswer, in scene: RestorationIdentifier
    ) -> PendingAnswers.Answer {
        let omission = saver.omission(in: scene, command.verdict).map(Saved.notSaved)
        return { command.answer(omission ?? $0) }
    }

    /// Whether nothing waits and nothing changed: a wake-up that an earlier turn has answered.
    private var isIdle: Bool { !isAnyWaiting && hosted?.needsPass != true }

    /// A scene that is to end after this turn.
    private struct Closing {
        var scene: HostedScene
        var answer: CommandAnswer
        var refuse: (any Error) -> Void
        var isOfIdleness: Bool
    }

    /// Tries again to save what could not be saved, without a pass.
    func saveAgain() {
        timing("saving it again") {
            switch phase {
            case .new, .stopped: saver.retry()
            case .launching, .running, .failed: saver.write(TurnRecords())
            }
        }
    }

    /// Makes a pass of each scene for which there may be something to do, and writes what they
    /// changed.
    func save(_ hosted: HostedScenes, _ reason: TurnReason, closing: HostedScene? = nil) {
        let scenes = hosted.scenes(for: reason)
        for scene in scenes where scene.isActedOn && !scene.isChangeNoted {
            scene.isChangeNoted = true
            launches.sceneGuard.noteChanged(scene.name)
        }
        saver.save(scenes, reason, closing: closing?.scene, stamp: stamp)
        for scene in scenes { scene.isActedOn = false }
        hosted.endTurn(reason, scenes, except: saver.isUnwilling)
        for scene in reason.isOfAllScenes ? hosted.table.live : scenes {
            let count = scene.takeSuperfluousCompletions()
            guard count > 0 else { continue }
            log.tell(
                .warning, .extensionMisused,
                "its restoration was completed \(count) times without having been extended",
                scene: scene.name.text)
        }
    }

    private func run(
        _ command: SceneCommand,
        _ answers: inout [(scene: RestorationIdentifier, answer: CommandAnswer)],
        _ closing: inout Closing?
    ) {
        guard let hosted else { return command.refuse(notTaking) }
        if command.caller?.hasGone() == true { return command.refuse(CancellationError()) }
        guard let name = command.scene ?? hosted.firstName else {
            return command.refuse(noSuchScene(nil, in: hosted))
        }
        switch (hosted.state(of: name), command.kind) {
        case (.launched(let scene), .perform(let body)):
            if !command.isLook {
                scene.isActedOn = true
                log.metrics.noteChange()
            }
            hosted.noteDue(scene)
            answers.append((name, scene.place.run(at: .turnBegin) { body(scene.scene) }))
        case (.launched(let scene), .close) where command.isOfIdleness && scene.isUsed: break
        case (.launched(let scene), .close(let answer)):
            scene.isActedOn = true
            hosted.noteDue(scene)
            scene.scene.isInUse = false
            closing = Closing(
                scene: scene, answer: CommandAnswer(answer: answer), refuse: command.refuse,
                isOfIdleness: command.isOfIdleness)
        case (.launching, .perform), (.launching, .close):
            turns.withQueue { $0.postpone(command, until: name) }
        case (.launched, .open), (.launching, .open):
            command.refuse(
                ApplicationError.sceneExists(application: bundleIdentifier, scene: name.text))
        case (.saved, .perform) where !command.launches:
            command.refuse(
                ApplicationError.sceneNotLaunched(
                    application: bundleIdentifier, scene: name.text))
        case (.saved, .perform):
            launch(name, of: hosted, for: command, isAsked: false)
        case (.saved, .open(let answer)), (.failed, .open(let answer)),
            (.unknown, .open(let answer)):
            // Answered once the scene is launched, like what is to run on it.
            launch(
                name, of: hosted,
                for: SceneCommand(
                    kind: .perform { _ in CommandAnswer(answer: answer) }, scene: name,
                    refuse: command.refuse),
                isAsked: true)
        case (.saved, .close) where hosted.isToLaunch(name):
            // It would be launched yet, now or at the next start: its record is to say otherwise.
            launch(name, of: hosted, for: command, isAsked: false)
        case (.saved, .close(let answer)):
            answers.append((name, CommandAnswer(answer: answer)))
        case (.failed(let reason), .perform), (.failed(let reason), .close):
            command.refuse(sceneFailed(name, reason))
        case (.unknown, .perform), (.unknown, .close):
            command.refuse(noSuchScene(name, in: hosted))
        }
    }

    /// Launches a scene, or lets it wait for those before it, and then runs a command on it.
    private func launch(
        _ name: RestorationIdentifier, of hosted: HostedScenes, for command: SceneCommand,
        isAsked: Bool
    ) {
        turns.withQueue { $0.postpone(command, until: name) }
        hosted.table.wait(for: name, isAsked: isAsked)
        advanceLaunches()
    }

    /// Ends a scene whose last pass was made, unless that could not be saved.
    ///
    /// - Returns: what answers that it ended, if it did.
    private func end(_ closing: Closing) -> [PendingAnswers.Answer] {
        let scene = closing.scene
        if let reason = saver.failure(of: scene.name) {
            scene.scene.isInUse = true
            closing.refuse(
                ApplicationError.sceneNotSaved(
                    application: bundleIdentifier, scene: scene.name.text, reason: reason))
            return []
        }
        scene.terminate()
        hosted?.table.noteEnded(scene.name)
        launches.sceneGuard.note(LaunchEvent.ended, of: [scene.name])
        let reason = closing.isOfIdleness ? "idle" : nil
        log.tell(
            .notice, .closed,
            reason == nil
                ? "closed; its state stays saved"
                : "closed because it was idle; its state stays saved",
            scene: scene.name.text, reason: reason)
        signals.changed.send()
        return [judged(closing.answer, in: scene.name)]
    }

    // MARK: Durability

    /// Asks for everything that was written to be made durable, on a thread of its own, for all
    /// scenes and commands at once.
    private func requestSync() {
        if !saver.archive.isDurable { signals.sync.send() }
    }

    /// Makes durable what was written so far, and answers who waits for it.
    ///
    /// If that fails a whole new file is written at once, from what is in memory.
    func synchronize() async {
        let job = saver.archive.beginSync()
        if let job {
            let began = settings.moment()
            let result = await disk.sync.run { job.run() }
            do throws(SaveError) {
                try saver.archive.endSync(job, result)
                saver.noteSynced(since: began)
            } catch {
                saver.noteFailure(error)
                saveAgain()
            }
        } else if !saver.archive.isDurable, saver.failure == nil {
            // After a failure the interval brings the next attempt: without that pause slow attempts would
            // leave no time to clients.
            saveAgain()
        }
        noticeExternalChange()
        tellIncidents()
        answerDurable()
        // Without a sync that was of use, another one would not be.
        if job == nil { answerUntilDurable() }
        if answers.isDurabilityAwaited { signals.sync.send() }
        saver.tellInterval()
        noteStepEnded()
    }

    /// Answers commands: at once, or after what they changed is durable, if it is to be.
    func answer(_ list: [PendingAnswers.Answer]) {
        let saved = saver.written
        switch (settings.durability, saved) {
        case (.replicated, .written), (.replicated, .durable):
            if let tenancy { return answerWhenReplicated(list, by: tenancy.replica) }
            if saved == .written { fallthrough }
        case (.commit, .written):
            for answer in list { answerWhenDurable(answer) }
            return
        case (.written, _), (.commit, _), (.replicated, _): break
        }
        for answer in list { answer(saved) }
    }

    /// Answers when what is written now is durable, or cannot be made so.
    func answerWhenDurable(_ answer: @escaping PendingAnswers.Answer) {
        answers.append(answer, untilDurable: saver.archive.writeNumber)
        signals.sync.send()
    }

    /// Answers whose changes are durable, or cannot be saved.
    private func answerDurable() {
        if case .notSaved = saver.written { return answerUntilDurable() }
        for answer in answers.take(durableUpTo: saver.archive.durableWriteNumber) {
            answer(.durable)
        }
    }

    /// Answers every command that waits for durability, with how safe the state is now.
    private func answerUntilDurable() {
        let saved = saver.written
        for answer in answers.takeUntilDurable() { answer(saved) }
    }

    /// Answers every waiting command: the application has ended.
    func answerAll() {
        external.end()
        answerWithheld()
        tellIncidents()
        answerUntilDurable()
    }

    /// Answers commands that do not have to wait for a decision over what another program did.
    func answerWithheld() {
        if !external.isWithholding { answer(answers.takeWithheld()) }
    }

    /// Answers every waiting command that its change is not saved.
    ///
    /// - Parameter reason: a sentence.
    func answerUnsaved(_ reason: String) {
        for answer in answers.takeWithheld() + answers.takeUntilDurable() {
            answer(.notSaved(reason: reason))
        }
    }

    // MARK: The file

    /// A step of a compaction has ended.
    func endCompaction(_ job: CompactionJob, _ result: CompactionResult) {
        if let next = saver.archive.endCompaction(job, result) {
            signals.compaction.send(next)
            return
        }
        tellIncidents()
        // After a failure there may be a whole file to write.
        if saver.archive.hasUnwritten { saveAgain() }
        noticeExternalChange()
        noteStepEnded()
    }

    /// Tells what happened to the file.
    func tellIncidents() {
        let incidents = saver.archive.takeIncidents()
        if !incidents.isEmpty { pruneQuarantine() }
        for incident in incidents {
            let sentence = "\(saver.archive.path): \(incident)"
            switch incident {
            case .changedExternally, .syncFailed:
                log.tellProblem(.error, .archiveReplaced, sentence)
            case .rewritten, .otherNames: log.tell(.notice, .archiveReplaced, sentence)
            case .compacted: log.tell(.debug, .compacted, sentence)
            case .notLookedAt, .leftover:
                log.tell(.warning, .archiveReplaced, sentence)
            case .compactionFailed: log.tellProblem(.warning, .compactionFailed, sentence)
            case .compactionUnsupported: log.tell(.warning, .compactionFailed, sentence)
            }
        }
    }

    /// Lets the oldest files in quarantine go that are too many, but for those that a scene may get
    /// back.
    func pruneQuarantine() {
        saver.generations.pruneQuarantine(keeping: launches.sceneGuard.quarantined)
    }

    // MARK: Errors

    /// The scenes, if the application takes commands now.
    func runningScenes() throws(ApplicationError) -> HostedScenes {
        guard case .running(let hosted) = phase else { throw notTaking }
        return hosted
    }

    /// Why the application takes no commands.
    var notTaking: ApplicationError {
        let application = bundleIdentifier
        return switch phase {
        case .failed(let reason): .failed(application: application, reason: reason)
        case .new, .stopped, .launching, .running:
            activity == .ended
                ? .ending(application: application) : .notRunning(application: application)
        }
    }

    func noSuchScene(_ name: RestorationIdentifier?, in hosted: HostedScenes) -> ApplicationError {
        .noSuchScene(
            application: bundleIdentifier, scene: name?.text ?? "",
            scenes: hosted.names(atMost: 100).map(\.text))
    }

    func sceneFailed(_ name: RestorationIdentifier, _ reason: String) -> ApplicationError {
        .sceneFailed(application: bundleIdentifier, scene: name.text, reason: reason)
    }
}
