/// Names what is scrolled, and what comes to its upper left corner.
package struct ScrollParameters: ParametersOfScene {
    package var application: String?
    package var scene: String?
    package var path: String
    /// In columns of a terminal.
    package var x: Double
    /// In lines of a terminal.
    package var y: Double

    package init(application: String?, scene: String?, path: String, x: Double, y: Double) {
        self.application = application
        self.scene = scene
        self.path = path
        self.x = x
        self.y = y
    }
}

/// Names what is enlarged, and how much.
package struct ZoomParameters: ParametersOfScene {
    package var application: String?
    package var scene: String?
    package var path: String
    /// 1 is the natural size; above 0.
    package var scale: Double

    package init(application: String?, scene: String?, path: String, scale: Double) {
        self.application = application
        self.scene = scene
        self.path = path
        self.scale = scale
    }
}

/// Names what shows pages, and the one that it is to show.
package struct LoadParameters: ParametersOfScene {
    package var application: String?
    package var scene: String?
    package var path: String
    package var url: String

    package init(application: String?, scene: String?, path: String, url: String) {
        self.application = application
        self.scene = scene
        self.path = path
        self.url = url
    }
}

/// Names what goes back by one.
package struct BackParameters: ParametersOfScene {
    package var application: String?
    package var scene: String?
    /// Nil: what a person sees.
    package var path: String?

    package init(application: String?, scene: String?, path: String? = nil) {
        self.application = application
        self.scene = scene
        self.path = path
    }
}
