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
