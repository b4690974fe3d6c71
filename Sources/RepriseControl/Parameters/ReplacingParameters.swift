/// Names a generation to go back to.
package struct RollbackParameters: ParametersOfScene {
    package var application: String?
    /// Nil: all scenes go back.
    package var scene: String?
    package var generation: String

    package init(application: String?, scene: String?, generation: String) {
        self.application = application
        self.scene = scene
        self.generation = generation
    }
}

/// Names what is to be reset.
package struct ResetParameters: ParametersOfScene {
    package var application: String?
    /// Nil: all scenes are reset.
    package var scene: String?
    /// Whether the scenes are launched from what is saved; nil: no.
    package var toSaved: Bool?

    package init(application: String?, scene: String?, toSaved: Bool?) {
        self.application = application
        self.scene = scene
        self.toSaved = toSaved
    }
}
