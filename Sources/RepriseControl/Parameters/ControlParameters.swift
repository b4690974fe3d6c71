/// The parameters of a method that is about one scene.
package protocol ParametersOfScene: Codable, Sendable {
    /// The application's bundle identifier; nil: the first configured one.
    var application: String? { get }
    /// The scene's name; nil: the application's first one.
    var scene: String? { get }
}

/// Names an application.
package struct ApplicationParameters: Codable, Sendable {
    package var application: String?

    package init(application: String?) {
        self.application = application
    }
}

/// Names a scene.
package struct SceneParameters: ParametersOfScene {
    package var application: String?
    package var scene: String?

    package init(application: String?, scene: String?) {
        self.application = application
        self.scene = scene
    }
}

/// Names an object, and perhaps one of its values.
package struct GetParameters: ParametersOfScene {
    package var application: String?
    package var scene: String?
    package var path: String
    package var key: String?

    package init(application: String?, scene: String?, path: String, key: String?) {
        self.application = application
        self.scene = scene
        self.path = path
        self.key = key
    }
}

/// Names an object.
package struct ObjectParameters: ParametersOfScene {
    package var application: String?
    package var scene: String?
    package var path: String

    package init(application: String?, scene: String?, path: String) {
        self.application = application
        self.scene = scene
        self.path = path
    }
}

/// Names a scene that is to begin or to end, or something in quarantine.
package struct NameParameters: Codable, Sendable {
    package var application: String?
    package var name: String

    package init(application: String?, name: String) {
        self.application = application
        self.name = name
    }
}

/// Names an application, and how it ends.
package struct QuitParameters: Codable, Sendable {
    package var application: String?
    package var force: Bool?

    package init(application: String?, force: Bool?) {
        self.application = application
        self.force = force
    }
}
