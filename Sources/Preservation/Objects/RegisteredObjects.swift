public import StateRestoration

/// Collection that retains a scene's registered objects while the scene is running.
public final class RegisteredObjects {
    /// Scene with which the objects are registered. Do not use it after the scene has been closed.
    public unowned let scene: Scene
    /// Model data that the application's scenes share, or `nil` if the application has no model data.
    public let model: (any ApplicationModel)?
    private var objects: [any StateRestoring] = []
    fileprivate var shouldRestore: (PassMetadata) -> Bool = { _ in true }

    init(_ scene: Scene, model: (any ApplicationModel)?) {
        self.scene = scene
        self.model = model
    }

    /// Sets the condition under which the saved state is restored (P1, L6). State that is not restored is added to the
    /// history.
    ///
    /// - Parameter shouldRestore: A closure that returns whether to restore the state. It receives information about
    ///   the program that saved the state, such as its `bundleVersion`.
    public func restore(if shouldRestore: @escaping (PassMetadata) -> Bool) {
        self.shouldRestore = shouldRestore
    }

    /// Registers an object with the scene (P12) and retains it. The scene itself references the object only weakly.
    ///
    /// - Parameters:
    ///   - object: The object to register.
    ///   - key: The identifier of the object. It must consist of 1 to 255 bytes and must not contain `/` (I5).
    ///   - aliases: Names that the object's class had in earlier versions of the program (P13).
    /// - Throws: `RestorationIdentifierError` if the identifier is not valid. `RegistrationError` if another object has
    ///   the identifier. `ClassRegistryError` if an alias is the name of another class.
    public func add<Object>(
        _ object: Object, as key: ObjectKey<Object>, aliases: [String] = []
    ) throws {
        if !aliases.isEmpty { try scene.addAliases(aliases, of: Object.self) }
        try register(object, as: key.text)
    }

    /// Registers and retains a list whose objects can be added and removed while the program is running.
    ///
    /// The objects are restored without a restoration class.
    ///
    /// ```swift
    /// try objects.list("sessions") { id in Session(id) }
    /// ```
    ///
    /// - Parameters:
    ///   - key: The identifier of the list.
    ///   - aliases: Names that the objects' class had in earlier versions of the program (P13).
    ///   - make: A closure that creates the object with a given identifier when the object is added or restored. If the
    ///     closure returns `nil` or throws an error during restoration, the object's saved state is retained for a
    ///     later launch, and the report contains the reason. If the closure throws `RestorationError.gone`, the saved
    ///     state is removed.
    /// - Returns: The list, which `Scene.list(_:)` also returns.
    /// - Throws: The same errors as ``add(_:as:aliases:)``.
    @discardableResult
    public func list<Object>(
        _ key: ObjectKey<Object>, aliases: [String] = [],
        make: @escaping (String) throws -> Object?
    ) throws -> ObjectList<Object> {
        let list = ListObject(of: Object.self, makeObject: make)
        if !aliases.isEmpty { try scene.addAliases(aliases, of: Object.self) }
        try register(list, as: key.text)
        return ObjectList(list, of: Object.self)
    }

    private func register(_ object: any StateRestoring, as text: String) throws {
        try scene.registerObject(
            forStateRestoration: object,
            restorationIdentifier: try RestorationIdentifier(validating: text))
        objects.append(object)
    }
}

/// Delegate for a scene that consists of registered objects. It opts in to saving and restoring (P1).
package final class RegisteringDelegate: RestorationDelegate {
    private let registerObjects: (RegisteredObjects) throws -> Void
    private let model: (any ApplicationModel)?
    private var registeredObjects: RegisteredObjects?

    /// Creates a delegate that registers objects.
    ///
    /// - Parameters:
    ///   - model: The model data that the application's scenes share, or `nil` if there is no model data.
    ///   - registerObjects: A closure that creates and registers the objects before any state is restored.
    package init(
        model: (any ApplicationModel)? = nil,
        _ registerObjects: @escaping (RegisteredObjects) throws -> Void
    ) {
        self.model = model
        self.registerObjects = registerObjects
    }

    package func application(_ scene: Scene, willFinishLaunchingWith reason: LaunchReason) throws {
        let registeredObjects = RegisteredObjects(scene, model: model)
        try registerObjects(registeredObjects)
        self.registeredObjects = registeredObjects
    }

    package func application(_ scene: Scene, shouldSaveApplicationState coder: StateEncoder) -> Bool
    {
        true
    }

    package func application(_ scene: Scene, shouldRestoreApplicationState coder: StateDecoder)
        -> Bool
    {
        registeredObjects?.shouldRestore(coder.passMetadata) ?? true
    }
}

extension Scene {
    /// Returns the object that is registered with an identifier, or `nil` if no object with this identifier and type
    /// exists.
    package func registeredObject<Object>(
        _ identifier: RestorationIdentifier, as type: Object.Type = Object.self
    ) -> Object? {
        for object in registeredObjects where object.restoration.identifier == identifier {
            if let object = object as? Object { return object }
        }
        return nil
    }
}
