/// Names an application.
package struct ApplicationParameters: Codable, Sendable {
    package var application: String?

    package init(application: String?) {
        self.application = application
    }
}

/// Names a scene.
package struct SceneParameters: Codable, Sendable {
    package var application: String?
    package var scene: String?

    package init(application: String?, scene: String?) {
        self.application = application
        self.scene = scene
    }
}

/// Names an object, and perhaps one of its values.
package struct GetParameters: Codable, Sendable {
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

/// Names a text field, and what is typed into it.
package struct TypeParameters: Codable, Sendable {
    package var application: String?
    package var scene: String?
    package var path: String
    package var text: String

    package init(application: String?, scene: String?, path: String, text: String) {
        self.application = application
        self.scene = scene
        self.path = path
        self.text = text
    }
}

/// Names an object, and which of its elements are chosen.
package struct SelectParameters: Codable, Sendable {
    package var application: String?
    package var scene: String?
    package var path: String
    package var indexes: [Int]

    package init(application: String?, scene: String?, path: String, indexes: [Int]) {
        self.application = application
        self.scene = scene
        self.path = path
        self.indexes = indexes
    }
}

/// Names an object.
package struct ObjectParameters: Codable, Sendable {
    package var application: String?
    package var scene: String?
    package var path: String

    package init(application: String?, scene: String?, path: String) {
        self.application = application
        self.scene = scene
        self.path = path
    }
}

/// Names a scene that is to begin or to end.
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

/// Names where the daemon is to exit, and with which status.
package struct DebugExitParameters: Codable, Sendable {
    package var application: String?
    package var stage: String
    package var status: Int?

    package init(application: String?, stage: String, status: Int?) {
        self.application = application
        self.stage = stage
        self.status = status
    }
}

/// Names where the daemon is to trap.
package struct DebugTrapParameters: Codable, Sendable {
    package var application: String?
    package var stage: String

    package init(application: String?, stage: String) {
        self.application = application
        self.stage = stage
    }
}
