extension ClassRegistry {
    /// How the class of a found object stands to the recorded one (R4, R5).
    package enum Match: Sendable {
        /// It is the recorded class, or a subclass.
        case accepted
        /// It is another one.
        case mismatch
        /// Nobody claims the recorded name.
        case missing
    }

    /// The name under which instances of a class are recorded.
    package func token(for type: any StateRestoring.Type) -> String {
        token(of: type)
    }

    /// The name under which a restoration class is recorded. One that is not registered is not
    /// found again by it.
    package func token(forRestorationClass type: any ObjectRestoration.Type) -> String {
        token(of: type)
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
            if let wanted {
                if ObjectIdentifier(candidate) == wanted { return .accepted }
            } else if Self.defaultToken(for: candidate) == token {
                return .accepted
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
        claims.filter { entries[$0.value]?.make != nil }.map(\.key).sorted()
    }

    private func token(of type: Any.Type) -> String {
        entries[ObjectIdentifier(type)]?.token ?? Self.defaultToken(for: type)
    }

    /// The unqualified type name. Describing a type gives the same, by way of many casts: it took
    /// an eighth of the daemon's start.
    static func defaultToken(for type: Any.Type) -> String {
        _typeName(type, qualified: false)
    }
}
