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
