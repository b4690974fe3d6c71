import ExactText

/// A registry of the stable names under which an application's classes are recorded (P13).
///
/// A class that is not registered is recorded under its unqualified type name. A class is registered with a name and,
/// optionally, with aliases (its names in earlier versions) and a closure that creates instances for storyboards. A
/// class that is also a restoration class is registered only once and has one name for both purposes.
///
/// A restoration class must be registered, because a launch finds the class by name.
public struct ClassRegistry {
    struct Entry {
        let type: Any.Type
        var token: String
        var makeObject: (() -> any StateRestoring)?
    }

    private(set) var entries: [ObjectIdentifier: Entry] = [:]
    /// Types, keyed by name or alias.
    private(set) var typesByName: [ExactString: ObjectIdentifier] = [:]
    private var problems: [ClassRegistryError.Problem] = []

    /// Creates an empty registry.
    public init() {}

    /// Registers a class of restorable objects. It may also be a restoration class.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - token: The name under which the class is recorded. The default is its unqualified type name. It must have 1
    ///     to 255 bytes and must not contain `/` or control characters.
    ///   - aliases: The names under which earlier versions of the application recorded the class.
    ///   - make: A closure that creates an instance for a storyboard, or `nil` if storyboards cannot create instances
    ///     of the class.
    public mutating func register<Object: StateRestoring>(
        _ type: Object.Type, as token: String? = nil, aliases: [String] = [],
        make: (() -> Object)? = nil
    ) {
        add(type, as: token, aliases: aliases, makeObject: make)
    }

    /// Registers a restoration class whose instances are not restorable objects themselves (R3, R7).
    ///
    /// The names follow the same rules as in ``register(_:as:aliases:make:)``.
    public mutating func registerRestorationClass(
        _ type: any ObjectRestoration.Type, as token: String? = nil, aliases: [String] = []
    ) {
        add(type, as: token, aliases: aliases, makeObject: nil)
    }

    /// Checks every registered name.
    ///
    /// - Throws: ``ClassRegistryError`` if a name is invalid. In this case, the application is not launched (P13).
    package func validate() throws(ClassRegistryError) {
        if !problems.isEmpty { throw ClassRegistryError(problems: problems) }
    }

    private mutating func add(
        _ type: Any.Type, as token: String?, aliases: [String],
        makeObject: (() -> any StateRestoring)?
    ) {
        let typeIdentifier = ObjectIdentifier(type)
        let token = token ?? Self.defaultToken(for: type)
        for name in [token] + aliases { reserveToken(name, for: type) }
        entries[typeIdentifier] = Entry(
            type: type, token: token, makeObject: makeObject ?? entries[typeIdentifier]?.makeObject)
    }

    private mutating func reserveToken(_ token: String, for type: Any.Type) {
        let typeIdentifier = ObjectIdentifier(type)
        func name(of type: Any.Type) -> String { _typeName(type, qualified: true) }
        if let problem = ClassRegistryError.Problem(token: token, of: name(of: type)) {
            problems.append(problem)
        }
        if let ownerType = typesByName[token], ownerType != typeIdentifier,
            let otherEntry = entries[ownerType]
        {
            problems.append(
                .duplicateToken(
                    token: token, first: name(of: otherEntry.type), second: name(of: type)))
        }
        typesByName[token] = typeIdentifier
    }

    /// Relationship of a live object's class to a recorded class (R4, R5).
    package enum Match: Sendable {
        /// The object's class is the recorded class.
        case sameClass
        /// The object's class is a subclass of the recorded class. Subclasses are also accepted.
        case subclass
        /// The object's class is neither the recorded class nor a subclass of it.
        case mismatch
        /// No known class has the recorded name.
        case unknownName
    }

    /// Returns the name under which a class is recorded.
    ///
    /// If a restoration class is not registered, a launch cannot find it by this name.
    package func token(for type: Any.Type) -> String {
        if let entry = entries[ObjectIdentifier(type)] { return entry.token }
        guard let recordedClass = (type as? any RecordedAsSuperclass.Type)?.recordedClass,
            recordedClass != type
        else { return Self.defaultToken(for: type) }
        return token(for: recordedClass)
    }

    /// Returns whether a restoration class is registered. A launch can find only registered classes by name (R3).
    package func isRegistered(_ type: any ObjectRestoration.Type) -> Bool {
        entries[ObjectIdentifier(type)] != nil
    }

    /// Returns the restoration class with the given name or alias, or `nil` if there is none (R5).
    package func restorationClass(_ token: String) -> (any ObjectRestoration.Type)? {
        typesByName[token].flatMap { entries[$0] }?.type as? any ObjectRestoration.Type
    }

    /// Compares the class of a live object with a recorded name.
    ///
    /// An unregistered name matches any class with this unqualified type name.
    package func match(_ type: any StateRestoring.Type, to token: String) -> Match {
        let recordedType = typesByName[token]
        var currentClass: AnyClass? = type
        while let candidate = currentClass {
            let foundMatch = candidate == type ? Match.sameClass : .subclass
            if let recordedType {
                if ObjectIdentifier(candidate) == recordedType { return foundMatch }
            } else if Self.defaultToken(for: candidate) == token {
                return foundMatch
            }
            currentClass = _getSuperclass(candidate)
        }
        return recordedType == nil ? .unknownName : .mismatch
    }

    /// Creates an instance of the class with the given name or alias.
    ///
    /// - Returns: The instance, or `nil` if there is no such class or if the class was registered without a `make`
    ///   closure.
    package func makeObject(_ token: String) -> (any StateRestoring)? {
        typesByName[token].flatMap { entries[$0] }?.makeObject?()
    }

    /// Sorted names of all classes that storyboards can instantiate, for error messages.
    package var constructibleTokens: [String] {
        entries.values.filter { $0.makeObject != nil }.map(\.token).sorted()
    }

    /// Returns the unqualified name of a type.
    ///
    /// `String(describing:)` returns the same name, but its many casts accounted for an eighth of the daemon's startup
    /// time.
    static func defaultToken(for type: Any.Type) -> String {
        _typeName(type, qualified: false)
    }
}

/// A class whose instances are recorded under the name of a superclass (P13).
///
/// For example, the name of a generic class itself would contain the names of the type arguments.
package protocol RecordedAsSuperclass: StateRestoring {
    /// The superclass.
    static var recordedClass: any StateRestoring.Type { get }
}

/// Error thrown if class names are invalid or identify more than one class (P13).
public struct ClassRegistryError: Error, Equatable, CustomStringConvertible {
    /// A problem with one name. Types are identified by their qualified names.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Problem: Sendable, Equatable {
        /// Two types use the same name, either as their own name or as an alias.
        case duplicateToken(token: String, first: String, second: String)
        /// The name is empty.
        case emptyToken(type: String)
        /// The name is longer than ``ClassRegistryError/maximumTokenBytes``.
        case tokenTooLong(token: String, type: String, bytes: Int)
        /// The name contains a `/` or a control character.
        case forbiddenCharacter(token: String, type: String)
    }

    /// Maximum length of a class name, in bytes.
    public static let maximumTokenBytes = 255

    /// All problems that were found.
    public let problems: [Problem]

    /// Sentences that describe the problems and their remedies, separated by semicolons.
    public var description: String {
        problems.map(\.description).joined(separator: "; ")
    }
}

extension ClassRegistryError.Problem: CustomStringConvertible {
    /// Creates the problem with an invalid name, or returns `nil` if the name is valid.
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

    /// Sentence that describes the problem and its remedy.
    public var description: String {
        switch self {
        case .duplicateToken(let token, let first, let second):
            "\(first) and \(second) are both registered under the class name \"\(escaped(token))\": "
                + "register one of them under another name"
        case .emptyToken(let type):
            "\(type) is registered under an empty class name: omit the name, or use 1 to "
                + "\(ClassRegistryError.maximumTokenBytes) bytes"
        case .tokenTooLong(let token, let type, let bytes):
            "\(type) is registered under a class name of \(bytes) bytes "
                + "(\"\(escaped(token).prefix(32))…\"): at most "
                + "\(ClassRegistryError.maximumTokenBytes) are allowed"
        case .forbiddenCharacter(let token, let type):
            "\(type) is registered under the class name \"\(escaped(token))\": "
                + "remove / and control characters from it"
        }
    }

    private func escaped(_ token: String) -> String {
        token.unicodeScalars.map { $0.escaped(asASCII: false) }.joined()
    }
}
