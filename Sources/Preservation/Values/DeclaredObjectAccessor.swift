import StateRestoration

/// Accessor for the restorable object that represents a declared value.
///
/// The accessor can be used from any task. The closures passed to it run on the application's actor.
struct DeclaredObjectAccessor<Object: StateRestoring & SendableMetatype>: Sendable {
    /// Identifier of the value.
    let identifier: RestorationIdentifier
    let application: Application
    /// Name of the object's scene, which is the first configured scene.
    private let sceneName: String?

    init(
        _ identifier: RestorationIdentifier, of application: Application,
        in definition: ApplicationDefinition
    ) {
        self.identifier = identifier
        self.application = application
        sceneName = definition.scenes.first?.text
    }

    /// Waits until the application has been launched, then changes the object in a command.
    ///
    /// - Returns: The result of `body`, and the durability level of the change, which may be `notSaved`.
    /// - Throws: ``ApplicationError`` if the application has stopped or its launch has failed, `CancellationError` if
    ///   the task is cancelled, or an error that `body` throws.
    func perform<Result: Sendable>(
        _ body: @escaping @Sendable (Object) throws -> Result
    ) async throws -> CommandReply<Result> {
        try await application.waitUntilReady(for: identifier)
        return try await application.change([identifier], on: sceneName) {
            try body(object(in: $0))
        }
    }

    /// Waits until the application has been launched, then reads the object.
    ///
    /// - Parameter launchesScene: Whether to launch the scene first if it is closed.
    /// - Throws: The same errors as ``perform(_:)``.
    func inspect<Result: Sendable>(
        launchesScene: Bool = true, _ body: @escaping @Sendable (Object) throws -> Result
    ) async throws -> Result {
        try await application.waitUntilReady(for: identifier)
        return try await application.inspect(on: sceneName, launchesScene: launchesScene) {
            try body(object(in: $0))
        }.result
    }

    /// Stream that delivers an event after each turn that may have changed a scene, and finishes when the application
    /// stops for good.
    var sceneUpdates: AsyncStream<Void> { application.sceneUpdates }

    /// Error for a scene that does not contain the object.
    var sceneNotLaunchedError: ApplicationError {
        .sceneNotLaunched(application: application.bundleIdentifier, scene: sceneName ?? "")
    }

    /// Returns the object for a transaction.
    ///
    /// - Throws: ``RestorableValueError`` if the value belongs to another application.
    func object(in scene: Scene, of application: Application) throws -> Object {
        guard application === self.application else {
            throw RestorableValueError(.otherApplication, identifier.text)
        }
        return try object(in: scene)
    }

    func object(in scene: Scene) throws -> Object {
        guard let object = scene.registeredObject(identifier, as: Object.self) else {
            throw sceneNotLaunchedError
        }
        return object
    }
}
