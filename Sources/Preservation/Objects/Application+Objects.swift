import StateRestoration

extension Application {
    /// Runs a command like ``perform(on:_:)``, but on the object that was added with a key.
    ///
    /// - Parameters:
    ///   - key: The key of the object.
    ///   - scene: The name of the scene, or `nil` for the first configured scene.
    ///   - body: The command, which runs on the application's actor.
    /// - Throws: ``ApplicationError``: `noSuchObject` if the scene does not have the object, or an error thrown by
    ///   ``perform(on:_:)``.
    @discardableResult
    public nonisolated func perform<Object, Result: Sendable>(
        with key: ObjectKey<Object>, on scene: String? = nil,
        _ body: @escaping @Sendable (Object) throws -> Result
    ) async throws -> CommandReply<Result> {
        try await perform(on: scene) { try body(self.object(key, in: $0)) }
    }

    /// Runs a command like ``performEvenIfUnsaved(on:_:)``, but on the object that was added with a key.
    ///
    /// - Throws: ``ApplicationError``: `noSuchObject` if the scene does not have the object, or an error thrown by
    ///   ``performEvenIfUnsaved(on:_:)``.
    public nonisolated func performEvenIfUnsaved<Object, Result: Sendable>(
        with key: ObjectKey<Object>, on scene: String? = nil,
        _ body: @escaping @Sendable (Object) throws -> Result
    ) async throws -> CommandReply<Result> {
        try await performEvenIfUnsaved(on: scene) { try body(self.object(key, in: $0)) }
    }

    /// Reads the object that was added with a key, in the same way as ``read(on:_:)``.
    ///
    /// - Throws: ``ApplicationError``: `noSuchObject` if the scene does not have the object, or an error thrown by
    ///   ``read(on:_:)``.
    public nonisolated func read<Object, Result: Sendable>(
        with key: ObjectKey<Object>, on scene: String? = nil,
        _ body: @escaping @Sendable (Object) throws -> Result
    ) async throws -> Result {
        try await read(on: scene) { try body(self.object(key, in: $0)) }
    }

    private nonisolated func object<Object>(
        _ key: ObjectKey<Object>, in scene: Scene
    ) throws(ApplicationError) -> Object {
        guard let object = scene[key] else {
            throw .noSuchObject(
                application: bundleIdentifier, scene: scene.name.text, object: key.text,
                type: "\(Object.self)")
        }
        return object
    }
}
