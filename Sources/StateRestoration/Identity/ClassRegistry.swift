/// The stable names under which an application's classes are recorded (P13).
///
/// A class that is not registered is recorded under its unqualified type name. Registering gives it
/// a name of its own, old names as aliases, and a way to make it from a storyboard.
public struct ClassRegistry {
    private struct Entry {
        let type: ObjectIdentifier
        let token: String
        let accepts: (any StateRestoring) -> Bool
        let make: (() -> any StateRestoring)?
    }

    private var entries: [String: Entry] = [:]
    private var tokens: [ObjectIdentifier: String] = [:]
    private var conflicts: [String] = []

    /// An empty registry.
    public init() {}

    /// Registers a class.
    ///
    /// - Parameters:
    ///   - type: the class.
    ///   - token: the name it is recorded under; by default its unqualified type name.
    ///   - aliases: names under which earlier versions recorded it.
    ///   - make: makes an instance for a storyboard; nil if storyboards cannot.
    public mutating func register<Object: StateRestoring>(
        _ type: Object.Type, as token: String? = nil, aliases: [String] = [],
        make: (() -> Object)? = nil
    ) {
        let token = token ?? Self.defaultToken(for: type)
        let entry = Entry(
            type: ObjectIdentifier(type), token: token, accepts: { $0 is Object }, make: make)
        tokens[entry.type] = token
        for name in [token] + aliases {
            if let other = entries[name], other.type != entry.type {
                conflicts.append(name)
            }
            entries[name] = entry
        }
    }

    /// Checks that no name was claimed by two classes.
    ///
    /// - Throws: ``ClassRegistryError`` naming the claimed names; the application is not launched.
    package func validate() throws(ClassRegistryError) {
        if !conflicts.isEmpty { throw ClassRegistryError(tokens: conflicts) }
    }

    /// The name under which instances of a class are recorded.
    package func token(for type: any StateRestoring.Type) -> String {
        tokens[ObjectIdentifier(type)] ?? Self.defaultToken(for: type)
    }

    /// The name under which a restoration class is recorded.
    package func token(forRestorationClass type: any ObjectRestoration.Type) -> String {
        tokens[ObjectIdentifier(type)] ?? _typeName(type, qualified: false)
    }

    /// The unqualified type name. Describing a type gives the same, by way of many casts: it took
    /// an eighth of the daemon's start.
    private static func defaultToken(for type: any StateRestoring.Type) -> String {
        _typeName(type, qualified: false)
    }

    /// Whether an object is of the recorded class or a subclass of it (R4). A recorded name that
    /// nobody registered is compared with the object's own.
    package func accepts(_ object: any StateRestoring, as token: String) -> Bool {
        guard let entry = entries[token] else { return self.token(for: type(of: object)) == token }
        return entry.accepts(object)
    }

    /// A new instance of the class of this name; nil if the name is unknown or not to be made.
    package func makeObject(_ token: String) -> (any StateRestoring)? {
        entries[token]?.make?()
    }

    /// The names of all classes that can be made, sorted; for error sentences.
    package var constructibleTokens: [String] {
        entries.filter { $0.value.make != nil }.map(\.key).sorted()
    }
}

/// Two classes that claim one name.
public struct ClassRegistryError: Error, CustomStringConvertible {
    /// The names that more than one class claims.
    public let tokens: [String]

    /// One sentence naming the names.
    public var description: String {
        "two classes claim the class name \(tokens.map { "\"\($0)\"" }.joined(separator: ", ")): "
            + "register one of them under another name"
    }
}
