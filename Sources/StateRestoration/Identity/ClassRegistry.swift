/// The stable names under which an application's classes are recorded (P13).
///
/// A class that is not registered is recorded under its unqualified type name. Registering gives it
/// a name of its own, old names as aliases, and a way to make it from a storyboard. A class of
/// objects that is a restoration class too is registered once and has one name for both.
///
/// A restoration class is found again by its name alone, so it has to be registered.
public struct ClassRegistry {
    struct Entry {
        let type: Any.Type
        var token: String
        var make: (() -> any StateRestoring)?
    }

    private(set) var entries: [ObjectIdentifier: Entry] = [:]
    /// Who has a name, as its own or as an alias.
    private(set) var claims: [String: ObjectIdentifier] = [:]
    private var problems: [ClassRegistryError.Problem] = []

    /// An empty registry.
    public init() {}

    /// Registers a class of objects; also as a restoration class, if it is one.
    ///
    /// - Parameters:
    ///   - type: the class.
    ///   - token: the name it is recorded under; by default its unqualified type name. 1 to 255
    ///     bytes without `/` or control characters.
    ///   - aliases: names under which earlier versions recorded it.
    ///   - make: makes an instance for a storyboard; nil if storyboards cannot.
    public mutating func register<Object: StateRestoring>(
        _ type: Object.Type, as token: String? = nil, aliases: [String] = [],
        make: (() -> Object)? = nil
    ) {
        enter(type, as: token, aliases: aliases, make: make)
    }

    /// Registers a restoration class that is no class of objects itself (R3, R7).
    ///
    /// - Parameters:
    ///   - type: the class.
    ///   - token: the name it is recorded under; by default its unqualified type name. 1 to 255
    ///     bytes without `/` or control characters.
    ///   - aliases: names under which earlier versions recorded it.
    public mutating func registerRestorationClass(
        _ type: any ObjectRestoration.Type, as token: String? = nil, aliases: [String] = []
    ) {
        enter(type, as: token, aliases: aliases, make: nil)
    }

    /// Checks every name that was registered.
    ///
    /// - Throws: ``ClassRegistryError``; the application is not launched (P13).
    package func validate() throws(ClassRegistryError) {
        if !problems.isEmpty { throw ClassRegistryError(problems: problems) }
    }

    private mutating func enter(
        _ type: Any.Type, as token: String?, aliases: [String],
        make: (() -> any StateRestoring)?
    ) {
        let key = ObjectIdentifier(type)
        let token = token ?? Self.defaultToken(for: type)
        for name in [token] + aliases { claim(name, for: type) }
        entries[key] = Entry(type: type, token: token, make: make ?? entries[key]?.make)
    }

    private mutating func claim(_ token: String, for type: Any.Type) {
        let key = ObjectIdentifier(type)
        func name(of type: Any.Type) -> String { _typeName(type, qualified: true) }
        if let problem = ClassRegistryError.Problem(token: token, of: name(of: type)) {
            problems.append(problem)
        }
        if let holder = claims[token], holder != key, let other = entries[holder] {
            problems.append(
                .claimedTwice(
                    token: token, first: name(of: other.type), second: name(of: type)))
        }
        claims[token] = key
    }
}
