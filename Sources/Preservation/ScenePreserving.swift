import StateRestoration

/// A scene that a saver makes passes over.
protocol ScenePreserving {
    /// The scene.
    var scene: Scene { get }

    /// Makes one pass over it; see ``StateRestoration/Scene/preserve(_:isFull:)``.
    func preserve(_ stamp: PassStamp, isFull: Bool) -> PassOutput?
}

extension Scene: ScenePreserving {
    var scene: Scene { self }
}
