import ExactText

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
    /// The type that has a name, as its own or as an alias.
    private(set) var claims: [ExactString: ObjectIdentifier] = [:]
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

    /// Registers a restoration class that is no class of objects itself (R3, R7), under names as in
    /// ``register(_:as:aliases:make:)``.
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
                .claimedTwice(token: token, first: name(of: other.type), second: name(of: type)))
        }
        claims[token] = key
    }

    /// How the class of a found object stands to the recorded one (R4, R5).
    package enum Match: Sendable {
        /// The recorded class.
        case same
        /// A subclass of the recorded class, which is accepted in its place.
        case subclass
        /// It is another one.
        case mismatch
        /// Nobody claims the recorded name.
        case missing
    }

    /// The name under which a class of objects, or a restoration class, is recorded. A restoration
    /// class that is not registered is not found again by it.
    package func token(for type: Any.Type) -> String {
        entries[ObjectIdentifier(type)]?.token ?? Self.defaultToken(for: type)
    }

    /// Whether a restoration class is registered, so that its name leads to it (R3).
    package func isRegistered(_ type: any ObjectRestoration.Type) -> Bool {
        entries[ObjectIdentifier(type)] != nil
    }

    /// The restoration class of this name or alias; nil if nobody claims it (R5).
    package func restorationClass(_ token: String) -> (any ObjectRestoration.Type)? {
        claims[token].flatMap { entries[$0] }?.type as? any ObjectRestoration.Type
    }

    /// Compares the class of a found object with a recorded name. A name that nobody registered is
    /// that of the class which is called so.
    package func match(_ type: any StateRestoring.Type, to token: String) -> Match {
        let wanted = claims[token]
        var current: AnyClass? = type
        while let candidate = current {
            let found = candidate == type ? Match.same : .subclass
            if let wanted {
                if ObjectIdentifier(candidate) == wanted { return found }
            } else if Self.defaultToken(for: candidate) == token {
                return found
            }
            current = _getSuperclass(candidate)
        }
        return wanted == nil ? .missing : .mismatch
    }

    /// A new instance of the class of this name; nil if the name is unknown or not to be made.
    package func makeObject(_ token: String) -> (any StateRestoring)? {
        claims[token].flatMap { entries[$0] }?.make?()
    }

    /// The names of all classes that can be made, sorted; for error sentences.
    package var constructibleTokens: [String] {
        claims.filter { entries[$0.value]?.make != nil }.map(\.key.text).sorted()
    }

    /// The unqualified type name. Describing a type gives the same, by way of many casts: it took
    /// an eighth of the daemon's start.
    static func defaultToken(for type: Any.Type) -> String {
        _typeName(type, qualified: false)
    }
}

/// Class names that cannot be recorded, or that would lead to more than one class (P13).
public struct ClassRegistryError: Error, Equatable, CustomStringConvertible {
    /// A problem with one name. Types are told by their qualified names.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Problem: Sendable, Equatable {
        /// Two types claim the name, as their own or as an alias.
        case claimedTwice(token: String, first: String, second: String)
        /// The name has no bytes.
        case emptyToken(type: String)
        /// The name has more than ``ClassRegistryError/maximumTokenBytes``.
        case tokenTooLong(token: String, type: String, bytes: Int)
        /// The name has a `/` or a control character.
        case forbiddenCharacter(token: String, type: String)
    }

    /// The most bytes that a class name has.
    public static let maximumTokenBytes = 255

    /// Everything that is wrong.
    public let problems: [Problem]

    /// A sentence for each problem, naming the types and saying what to do.
    public var description: String {
        problems.map(\.description).joined(separator: "; ")
    }
}

extension ClassRegistryError.Problem: CustomStringConvertible {
    /// The problem with a name by itself; nil if there is none.
    init?(token: String, of type: @autoclosure () -> String) {
        if token.isEmpty {
            self = .emptyToken(type: type())
        } else if token.utf8.count > ClassRegistryError.maximumTokenBytes {
            self = .tokenTooLong(token: token, type: type(), bytes: token.utf8.count)
        } else if token.unicodeScalars.contains(where: {
            $0 == "/" || $0.properties.generalCategory == .control
        }) {
            self = .forbiddenCharacter(token: token, type: type())
        } else {
            return nil
        }
    }

    /// One sentence.
    public var description: String {
        switch self {
        case .claimedTwice(let token, let first, let second):
            "\(first) and \(second) both claim the class name \"\(shown(token))\": "
                + "register one of them under another name"
        case .emptyToken(let type):
            "\(type) is registered under an empty class name: leave it out, or write 1 to "
                + "\(ClassRegistryError.maximumTokenBytes) bytes"
        case .tokenTooLong(let token, let type, let bytes):
            "\(type) is registered under a class name of \(bytes) bytes "
                + "(\"\(shown(token).prefix(32))…\"): at most "
                + "\(ClassRegistryError.maximumTokenBytes) are allowed"
        case .forbiddenCharacter(let token, let type):
            "\(type) is registered under the class name \"\(shown(token))\": "
                + "write it without / and control characters"
        }
    }

    private func shown(_ token: String) -> String {
        token.unicodeScalars.map { $0.escaped(asASCII: false) }.joined()
    }
}
