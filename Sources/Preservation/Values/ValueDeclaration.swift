import StateRestoration

/// Declaration of a value (see ``Application/value(_:default:aliases:migrations:)``).
struct ValueDeclaration: Sendable {
    let identifier: RestorationIdentifier
    /// Identifiers that the value had in earlier versions of the program.
    let aliases: [RestorationIdentifier]
    /// Whether the value is a collection whose elements can expire.
    let hasExpiringElements: Bool
    /// Closure that creates the value's storage for a launch.
    ///
    /// The closure returns a function that creates the restorable object for the identifier with a given rank. The
    /// current identifier has rank 0. The property is `nil` if the program no longer uses the value. In this case, the
    /// value's saved state is removed.
    let makeObjectFactory: (@Sendable () -> (_ identifierRank: Int) -> any StateRestoring)?

    /// Creates and registers the objects that represent the value during a launch.
    ///
    /// The caller must retain the objects.
    ///
    /// - Parameter isCollection: Whether a collection is saved under the identifier.
    /// - Returns: The object to save, or `nil` for a removed value. `aliases` contains objects that are used only for
    ///   restoration. Their state was saved under an earlier identifier, or belongs to a removed value.
    func register(
        with scene: Scene, isCollection: @autoclosure () -> Bool
    ) throws -> (object: (any StateRestoring)?, aliases: [any StateRestoring]) {
        guard let makeObject = makeObjectFactory?() else {
            let removedObject: any StateRestoring =
                isCollection()
                ? CollectionObject(RemovedElements(), identifierRank: 1)
                : ValueObject(identifierRank: 1)
            try scene.registerObject(
                forStateRestoration: removedObject, restorationIdentifier: identifier)
            return (nil, [removedObject])
        }
        let objects = try ([identifier] + aliases).enumerated().map { identifierRank, name in
            let object = makeObject(identifierRank)
            try scene.registerObject(forStateRestoration: object, restorationIdentifier: name)
            return object
        }
        return (objects[0], Array(objects.dropFirst()))
    }
}
