import StateRestoration

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
