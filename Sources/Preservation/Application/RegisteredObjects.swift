public import StateRestoration

/// The registered objects of a scene that has no view controllers, kept for as long as it runs.
public final class RegisteredObjects {
    /// The scene that they are registered with. It may be used while that runs.
    public unowned let scene: Scene
    private var objects: [any StateRestoring] = []

    init(_ scene: Scene) {
        self.scene = scene
    }

    /// Registers an object with the scene (P12), and keeps it: the scene alone would not.
    ///
    /// - Throws: `RegistrationError` if another object has that identifier already.
    public func add(
        _ object: any StateRestoring, as identifier: RestorationIdentifier
    ) throws(RegistrationError) {
        try scene.registerObject(forStateRestoration: object, restorationIdentifier: identifier)
        objects.append(object)
    }
}

/// The delegate of a scene that has registered objects and nothing else. It opts in to saving and
/// restoring (P1).
final class RegisteringDelegate: RestorationDelegate {
    private let register: (RegisteredObjects) throws -> Void
    private var objects: RegisteredObjects?

    /// - Parameter register: makes and registers the objects, before anything is restored.
    init(_ register: @escaping (RegisteredObjects) throws -> Void) {
        self.register = register
    }

    func application(_ scene: Scene, willFinishLaunchingWith reason: LaunchReason) throws {
        let objects = RegisteredObjects(scene)
        try register(objects)
        self.objects = objects
    }

    func application(_ scene: Scene, shouldSaveApplicationState coder: StateEncoder) -> Bool {
        true
    }

    func application(_ scene: Scene, shouldRestoreApplicationState coder: StateDecoder) -> Bool {
        true
    }
}

extension Scene {
    /// The object that is registered under an identifier; nil if none is, or one of another type.
    public func registeredObject<Object>(
        _ identifier: RestorationIdentifier, as type: Object.Type = Object.self
    ) -> Object? {
        for object in registeredObjects where object.restoration.identifier == identifier {
            if let object = object as? Object { return object }
        }
        return nil
    }
}
