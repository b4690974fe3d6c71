public import StateRestoration

/// The registered objects of a scene that has no view controllers, kept for as long as it runs.
public final class RegisteredObjects {
    /// The scene that they are registered with. It may be used while that runs.
    public unowned let scene: Scene
    /// The model data that the application's scenes share; nil if it makes none.
    public let model: (any ApplicationModel)?
    private var objects: [any StateRestoring] = []
    fileprivate var isFit: (PassStamp) -> Bool = { _ in true }

    init(_ scene: Scene, model: (any ApplicationModel)?) {
        self.scene = scene
        self.model = model
    }

    /// Restores what was saved only if a condition holds (P1, L6). What is refused stays in the history.
    ///
    /// - Parameter isFit: gets what is known of the program that saved it, such as its `bundleVersion`.
    public func restore(if isFit: @escaping (PassStamp) -> Bool) { self.isFit = isFit }

    /// Registers an object with the scene (P12), and keeps it: the scene alone would not.
    ///
    /// - Parameters:
    ///   - object: the object.
    ///   - key: its identifier, 1 to 255 bytes without `/` (I5).
    ///   - aliases: the names that its class had in earlier versions of the program (P13).
    /// - Throws: `RestorationIdentifierError` if it cannot be an identifier, `RegistrationError` if another
    ///   object has it, `ClassRegistryError` if an alias is the name of another class.
    public func add<Object>(
        _ object: Object, as key: ObjectKey<Object>, aliases: [String] = []
    ) throws {
        if !aliases.isEmpty { try scene.addAliases(aliases, of: Object.self) }
        try keep(object, as: key.text)
    }

    /// Registers a list of objects that come and go while the program runs, and keeps it. What is saved of
    /// them is restored without a restoration class.
    ///
    /// ```swift
    /// try objects.list("sessions") { id in Session(id) }
    /// ```
    ///
    /// - Parameters:
    ///   - key: its identifier.
    ///   - aliases: the names that the objects' class had in earlier versions of the program (P13).
    ///   - make: makes the object of an identifier, when one is added and when one is restored. Where it
    ///     gives none, or throws, what is saved of the object waits for a later launch, and the report tells
    ///     why; after `RestorationError.gone` it goes.
    /// - Returns: the list; `Scene.list(_:)` leads to it later.
    /// - Throws: as ``add(_:as:aliases:)``.
    @discardableResult
    public func list<Object>(
        _ key: ObjectKey<Object>, aliases: [String] = [],
        make: @escaping (String) throws -> Object?
    ) throws -> ObjectList<Object> {
        let list = ListObject(of: Object.self, make: make)
        if !aliases.isEmpty { try scene.addAliases(aliases, of: Object.self) }
        try keep(list, as: key.text)
        return ObjectList(list, of: Object.self)
    }

    private func keep(_ object: any StateRestoring, as text: String) throws {
        try scene.registerObject(
            forStateRestoration: object,
            restorationIdentifier: try RestorationIdentifier(validating: text))
        objects.append(object)
    }
}

/// The delegate of a scene that has registered objects and nothing else. It opts in to saving and
/// restoring (P1).
package final class RegisteringDelegate: RestorationDelegate {
    private let register: (RegisteredObjects) throws -> Void
    private let model: (any ApplicationModel)?
    private var objects: RegisteredObjects?

    /// - Parameters:
    ///   - model: the model data that the application's scenes share.
    ///   - register: makes and registers the objects, before anything is restored.
    package init(
        model: (any ApplicationModel)? = nil,
        _ register: @escaping (RegisteredObjects) throws -> Void
    ) {
        self.model = model
        self.register = register
    }

    package func application(_ scene: Scene, willFinishLaunchingWith reason: LaunchReason) throws {
        let objects = RegisteredObjects(scene, model: model)
        try register(objects)
        self.objects = objects
    }

    package func application(_ scene: Scene, shouldSaveApplicationState coder: StateEncoder) -> Bool
    {
        true
    }

    package func application(_ scene: Scene, shouldRestoreApplicationState coder: StateDecoder)
        -> Bool
    {
        objects?.isFit(coder.stamp) ?? true
    }
}

extension Scene {
    /// The object that is registered under an identifier; nil if none is, or one of another type.
    package func registeredObject<Object>(
        _ identifier: RestorationIdentifier, as type: Object.Type = Object.self
    ) -> Object? {
        for object in registeredObjects where object.restoration.identifier == identifier {
            if let object = object as? Object { return object }
        }
        return nil
    }
}
