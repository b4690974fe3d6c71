/// A scene among those of all applications.
package struct SceneKey: Sendable, Hashable, Codable, Comparable {
    /// The application's bundle identifier.
    package var application: String
    /// The scene's name.
    package var scene: String

    /// The scene of this name.
    package init(application: String, scene: String) {
        self.application = application
        self.scene = scene
    }

    package static func < (left: SceneKey, right: SceneKey) -> Bool {
        (left.application, left.scene) < (right.application, right.scene)
    }
}
