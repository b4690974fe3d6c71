import StateRestoration

/// The delegate of a scene that has registered objects and nothing else. It opts in to saving and
/// restoring, and keeps the objects, which the scene itself does not (P1, P12).
final class RegisteringDelegate: RestorationDelegate {
    private let register: (Scene) throws -> Void
    private var objects: [any StateRestoring] = []

    /// - Parameter register: registers the objects, before anything is restored.
    init(_ register: @escaping (Scene) throws -> Void) {
        self.register = register
    }

    func application(_ scene: Scene, willFinishLaunchingWith reason: LaunchReason) throws {
        try register(scene)
        objects = scene.registeredObjects
    }

    func application(_ scene: Scene, shouldSaveApplicationState coder: StateEncoder) -> Bool {
        true
    }

    func application(_ scene: Scene, shouldRestoreApplicationState coder: StateDecoder) -> Bool {
        true
    }
}
