import ExactText
public import StateRestoration

/// Identifier of a registered object or of a list of objects, together with the class of the objects.
///
/// Because the key's type includes the class, looking up an object in a scene does not require a cast.
///
/// ```swift
/// extension ObjectKey<Worker> {
///     static var worker: Self { "worker" }
/// }
/// ```
public struct ObjectKey<Object: StateRestoring & SendableMetatype>: Sendable, Hashable,
    ExpressibleByStringLiteral
{
    /// Text of the identifier. It is validated when an object is added (I5).
    public let text: String

    /// Creates a key from the text of an identifier.
    public init(_ text: String) {
        self.text = text
    }

    /// Creates a key from a string literal.
    public init(stringLiteral text: String) {
        self.text = text
    }
}

extension Scene {
    /// The object that was added with the key, or `nil` if no object with this key and class exists.
    public subscript<Object>(key: ObjectKey<Object>) -> Object? {
        registeredObject(RestorationIdentifier(recorded: key.text))
    }

    /// Returns the list that was added with the key, or `nil` if no list with this key and class exists.
    public func list<Object>(_ key: ObjectKey<Object>) -> ObjectList<Object>? {
        let list: ListObject? = registeredObject(RestorationIdentifier(recorded: key.text))
        return list.flatMap { ObjectList($0) }
    }
}

extension Application {
    /// Runs a command on the object that was added with a key, like ``perform(on:_:)``.
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

    /// Runs a command on the object that was added with a key, like ``performEvenIfUnsaved(on:_:)``.
    ///
    /// - Throws: ``ApplicationError``: `noSuchObject` if the scene does not have the object, or an error thrown by
    ///   ``performEvenIfUnsaved(on:_:)``.
    public nonisolated func performEvenIfUnsaved<Object, Result: Sendable>(
        with key: ObjectKey<Object>, on scene: String? = nil,
        _ body: @escaping @Sendable (Object) throws -> Result
    ) async throws -> CommandReply<Result> {
        try await performEvenIfUnsaved(on: scene) { try body(self.object(key, in: $0)) }
    }

    /// Reads the object that was added with a key, like ``read(on:_:)``.
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
