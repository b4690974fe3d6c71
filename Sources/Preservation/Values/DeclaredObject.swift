import StateRestoration

/// Accessor for the restorable object of a declared value. The accessor can be used from any task. Its
/// closures run on the application's actor.
struct DeclaredObject<Object: StateRestoring & SendableMetatype>: Sendable {
    /// Identifier under which the value is saved.
    let identifier: RestorationIdentifier
    private let application: Application
    /// Scene of the object, which is the first configured scene.
    private let scene: String?

    init(
        _ identifier: RestorationIdentifier, of application: Application,
        in definition: ApplicationDefinition
    ) {
        self.identifier = identifier
        self.application = application
        scene = definition.scenes.first?.text
    }

    /// Changes the object in a command, after the application was launched.
    ///
    /// - Throws: ``ApplicationError`` if the application has stopped or its launch has failed, or an error
    ///   that `body` throws.
    func perform<Result: Sendable>(
        _ body: @escaping @Sendable (Object) throws -> Result
    ) async throws -> CommandReply<Result> {
        await waitUntilReady()
        return try await application.perform(on: scene) { try body(object(in: $0)) }
    }

    /// Reads the object after the application was launched.
    ///
    /// - Throws: The same errors as ``perform(_:)``.
    func look<Result: Sendable>(
        _ body: @escaping @Sendable (Object) throws -> Result
    ) async throws -> Result {
        await waitUntilReady()
        return try await application.look(on: scene) { try body(object(in: $0)) }.result
    }

    /// Waits for the first launch. If the application already accepts commands, the method returns without a
    /// thread switch.
    private func waitUntilReady() async {
        guard application.refusesCommands else { return }
        async let _ = application.warnUnlessRun(awaiting: identifier)
        async let _ = application.endUnlessRun()
        await application.waitUntilReady()
    }

    /// An event after each turn that changed something, until the application stops for good.
    var changingTurns: AsyncStream<Void> { application.changingTurns }

    /// Error for a scene that has no such object.
    var isNotThere: ApplicationError {
        .sceneNotLaunched(application: application.bundleIdentifier, scene: scene ?? "")
    }

    private func object(in scene: Scene) throws -> Object {
        guard let object = scene.registeredObject(identifier, as: Object.self) else {
            throw isNotThere
        }
        return object
    }
}
