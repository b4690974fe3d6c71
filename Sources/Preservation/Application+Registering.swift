public import Logging
public import StateRestoration

extension Application {
    /// An application of plain objects, for a program without view controllers: one scene whose
    /// registered objects are saved and restored.
    ///
    /// - Parameters:
    ///   - bundleIdentifier: names the application's folder: `org.example.Agent`.
    ///   - bundleVersion: the version of the program.
    ///   - stateDirectory: where its state lies.
    ///   - settings: how often to save.
    ///   - logger: told of launches, passes and failures.
    ///   - register: makes the objects and adds each under its identifier, once for each launch,
    ///     before anything is restored. It runs on the application's actor, which keeps the
    ///     objects. What it throws keeps the application from launching.
    /// - Throws: an error that says why the bundle identifier cannot name a folder.
    public init(
        bundleIdentifier: String, bundleVersion: String,
        stateDirectory: ApplicationStateDirectory,
        settings: PreservationSettings = PreservationSettings(), logger: Logger,
        register: @escaping @Sendable (RegisteredObjects) throws -> Void
    ) throws {
        try self.init(
            definition: ApplicationDefinition(
                bundleIdentifier: bundleIdentifier, bundleVersion: bundleVersion,
                makeClasses: { ClassRegistry() },
                makeScene: { _ in SceneParts(delegate: RegisteringDelegate(register)) }),
            stateDirectory: stateDirectory, settings: settings, logger: logger)
    }
}

extension Scene {
    /// The object that is registered under an identifier; nil if none is, or one of another type.
    public func registeredObject<Object>(
        _ identifier: RestorationIdentifier, as type: Object.Type = Object.self
    ) -> Object? {
        for object in registeredObjects where object.restoration.identifier == identifier {
            if let object = object as? Object { return object }
        }
        return nil
    }
}
