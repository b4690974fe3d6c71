import StateRestoration

/// Leads from anywhere to the object that stands for a declared value, on its application's actor.
struct DeclaredObject<Object: StateRestoring & SendableMetatype>: Sendable {
    /// The name under which it is saved.
    let identifier: RestorationIdentifier
    private let application: Application
    /// The scene that it belongs to: the first configured one.
    private let scene: String?

    init(
        _ identifier: RestorationIdentifier, of application: Application,
        in definition: ApplicationDefinition
    ) {
        self.identifier = identifier
        self.application = application
        scene = definition.scenes.first?.text
    }

    /// Changes the object in a command, as soon as the application was launched.
    ///
    /// - Throws: ``ApplicationError`` if the application has ended or could not be launched; what `body`
    ///   throws.
    func perform<Result: Sendable>(
        _ body: @escaping @Sendable (Object) throws -> Result
    ) async throws -> CommandReply<Result> {
        await waitUntilReady()
        return try await application.perform(on: scene) { try body(object(in: $0)) }
    }

    /// Looks at the object, as soon as the application was launched.
    ///
    /// - Throws: as ``perform(_:)``.
    func look<Result: Sendable>(
        _ body: @escaping @Sendable (Object) throws -> Result
    ) async throws -> Result {
        await waitUntilReady()
        return try await application.look(on: scene) { try body(object(in: $0)) }.result
    }

    /// Waits for the first launch. While commands are taken it is over, and no thread is changed to see it.
    private func waitUntilReady() async {
        guard application.refusesCommands else { return }
        async let _ = application.tellUnlessRun(awaiting: identifier)
        async let _ = application.endUnlessRun()
        await application.waitUntilReady()
    }

    /// Tells of each turn that changed something, until the application ends for good.
    var changingTurns: AsyncStream<Void> { application.changingTurns }

    /// The error if the scene has no such object.
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
