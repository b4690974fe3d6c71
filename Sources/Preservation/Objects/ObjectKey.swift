import ExactText
public import StateRestoration

/// The identifier of a registered object, or of a list of objects, with its class: it leads to the object
/// without a cast.
///
/// ```swift
/// extension ObjectKey<Worker> {
///     static var worker: Self { "worker" }
/// }
/// ```
public struct ObjectKey<Object: StateRestoring & SendableMetatype>: Sendable, Hashable,
    ExpressibleByStringLiteral
{
    /// The identifier's text. Whether it can be one (I5) is looked at where an object is added.
    public let text: String

    /// The key of an identifier.
    public init(_ text: String) {
        self.text = text
    }

    /// The key of an identifier that is written in source code.
    public init(stringLiteral text: String) {
        self.text = text
    }
}

extension Scene {
    /// The object that was added under a key; nil if there is none, or one of another class.
    public subscript<Object>(key: ObjectKey<Object>) -> Object? {
        registeredObject(RestorationIdentifier(recorded: key.text))
    }

    /// The list that was made under a key; nil if there is none, or one of other objects.
    public func list<Object>(_ key: ObjectKey<Object>) -> ObjectList<Object>? {
        let list: ListObject? = registeredObject(RestorationIdentifier(recorded: key.text))
        return list.flatMap { ObjectList($0) }
    }
}

extension Application {
    /// Runs a command on the object that was added under a key, like ``perform(on:_:)``.
    ///
    /// - Parameters:
    ///   - key: the object's key.
    ///   - scene: the scene's name; nil: the first configured one.
    ///   - body: the command. It runs on the application's actor.
    /// - Throws: ``ApplicationError``: `noSuchObject` if there is none; what the command threw.
    @discardableResult
    public nonisolated func perform<Object, Result: Sendable>(
        with key: ObjectKey<Object>, on scene: String? = nil,
        _ body: @escaping @Sendable (Object) throws -> Result
    ) async throws -> CommandReply<Result> {
        try await perform(on: scene) { [bundleIdentifier] scene in
            guard let object = scene[key] else {
                throw ApplicationError.noSuchObject(
                    application: bundleIdentifier, scene: scene.name.text, object: key.text,
                    type: "\(Object.self)")
            }
            return try body(object)
        }
    }
}
