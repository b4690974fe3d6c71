import SavedState
public import StateRestoration

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
    public func perform<Result: Sendable>(
        on scene: String? = nil, _ body: @escaping @Sendable (Scene) throws -> Result
    ) async throws -> Reply<Result> {
        try await queued(scene.map(RestorationIdentifier.init(recorded:))) { continuation in
            .perform { scene in
                do {
                    let result = try body(scene)
                    return { continuation.resume(returning: Reply(result: result, saved: $0)) }
                } catch {
                    return { _ in continuation.resume(throwing: error) }
                }
            }
        }
    }

    /// Makes a scene, or launches one that is saved (S3), and returns when it is launched and saved. An
    /// application that could not be launched is launched for it.
    ///
    /// - Parameter scene: the scene's name.
    /// - Returns: how safe it is that the scene comes back at the next start.
    /// - Throws: ``ApplicationError``: `sceneExists` if it is running (S2), `invalidSceneName` if no
    ///   scene can have that name (I5), `sceneFailed` if it could not be launched.
    @discardableResult
    public func open(scene: String) async throws -> Saved {
        let name: RestorationIdentifier
        do {
            name = try RestorationIdentifier(scene)
        } catch {
            throw ApplicationError.invalidSceneName(
                application: bundleIdentifier, scene: scene,
                reason: String(describing: error))
        }
        if case .failed = phase {
            try await launch()
            if case .launched = hosted?.state(of: name) { return saver.saved }
        }
        return try await queued(name) { continuation in
            .open { continuation.resume(returning: $0) }
        }
    }

    /// Ends a scene: a last full pass, then its objects are gone. What is saved of it stays, and
    /// comes back when it is opened again; the next start leaves it closed (S3).
    ///
    /// Does nothing if the scene is saved and not launched. A scene whose delegate does not save
    /// (P1) ends without a pass, so that the next start does not know that it was closed.
    ///
    /// - Parameter scene: the scene's name.
    /// - Returns: how safe its last state is.
    /// - Throws: ``ApplicationError``: `noSuchScene`, or `sceneNotSaved` if its last state could not
    ///   be saved; it stays open then.
    @discardableResult
    public func close(scene: String) async throws -> Saved {
        try await queued(RestorationIdentifier(recorded: scene)) { continuation in
            .close { continuation.resume(returning: $0) }
        }
    }

    /// Makes a full pass of every scene, and returns when everything is durable, or cannot be made
    /// so. Waits for a launch that is going on.
    ///
    /// - Throws: ``ApplicationError`` if the application is not running.
    public func preserve() async throws -> Saved {
        if isLaunching { await waitForLaunch() }
        _ = try runningScenes()
        runTurn(.demand)
        return await waitUntilDurable()
    }

    /// What an operator wants to know of each scene, launched or only saved.
    public func scenes() -> [SceneStatus] { status().scenes }

    /// What the last launch of a scene restored, and what it did not (R15).
    ///
    /// - Parameter scene: the scene's name; nil: the first configured one.
    /// - Throws: ``ApplicationError`` if the application has no such scene, or did not launch it.
    public func report(scene: String? = nil) throws -> RestorationReport {
        try launchedScene(scene).report
    }

    /// What an operator wants to know of the launch of one scene that is launched, or being launched.
    ///
    /// - Parameter scene: the scene's name; nil: the first configured one.
    /// - Throws: ``ApplicationError`` if the application has no such scene, or did not launch it.
    public func launchedScene(_ scene: String? = nil) throws -> LaunchedScene {
        guard let hosted else { throw notTaking }
        let name = scene.map(RestorationIdentifier.init(recorded:)) ?? hosted.firstName
        guard let name, let status = hosted.statuses.first(where: { $0.name == name }) else {
            throw noSuchScene(name, in: hosted)
        }
        if case .failed(let reason) = status.phase { throw sceneFailed(name, reason) }
        guard let launched = LaunchedScene(status) else {
            throw ApplicationError.sceneNotLaunched(
                application: bundleIdentifier, scene: name.text)
        }
        return launched
    }

    /// Lets a command wait for its turn, and gives its answer.
    private func queued<Answer: Sendable>(
        _ scene: RestorationIdentifier?,
        _ kind: (CheckedContinuation<Answer, any Error>) -> SceneCommand.Kind
    ) async throws -> Answer {
        if hosted == nil { throw notTaking }
        guard queue.hasRoom else {
            throw ApplicationError.tooManyCommands(
                application: bundleIdentifier,
                limit: TurnQueue<SceneCommand, RestorationIdentifier>.maximumWaiting)
        }
        return try await withCheckedThrowingContinuation { continuation in
            queue.append(
                SceneCommand(
                    kind: kind(continuation), scene: scene,
                    refuse: { continuation.resume(throwing: $0) }))
            wakeUps.continuation.yield()
        }
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
        case .stopped, .launching, .running: .notRunning(application: application)
        }
    }

    func noSuchScene(_ name: RestorationIdentifier?, in hosted: HostedScenes) -> ApplicationError {
        .noSuchScene(
            application: bundleIdentifier, scene: name?.text ?? "",
            scenes: hosted.allNames.map(\.text))
    }

    func sceneFailed(_ name: RestorationIdentifier, _ reason: String) -> ApplicationError {
        .sceneFailed(
            application: bundleIdentifier, scene: name.text, reason: reason)
    }
}
