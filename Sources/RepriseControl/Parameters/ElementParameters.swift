/// Names what a person taps.
package struct TapParameters: ParametersOfScene {
    package var application: String?
    package var scene: String?
    package var path: String
    /// The row, counted from 0; nil: the object as a whole.
    package var row: Int?

    package init(application: String?, scene: String?, path: String, row: Int? = nil) {
        self.application = application
        self.scene = scene
        self.path = path
        self.row = row
    }
}

/// Names an object, and which of its elements are chosen: by `indexes` or by `identifiers`.
package struct SelectParameters: ParametersOfScene {
    package var application: String?
    package var scene: String?
    package var path: String
    /// The places of the elements, counted from 0.
    package var indexes: [Int]?
    /// The model's identifiers of what the elements show.
    package var identifiers: [String]?

    package init(
        application: String?, scene: String?, path: String, indexes: [Int]? = nil,
        identifiers: [String]? = nil
    ) {
        self.application = application
        self.scene = scene
        self.path = path
        self.indexes = indexes
        self.identifiers = identifiers
    }
}

/// Names what is edited, and whether its edit mode is on.
package struct EditParameters: ParametersOfScene {
    package var application: String?
    package var scene: String?
    package var path: String
    package var on: Bool

    package init(application: String?, scene: String?, path: String, on: Bool) {
        self.application = application
        self.scene = scene
        self.path = path
        self.on = on
    }
}

/// Names a row, and where it is moved to.
package struct MoveParameters: ParametersOfScene {
    package var application: String?
    package var scene: String?
    package var path: String
    /// Where it is, counted from 0.
    package var from: Int
    /// Where it is afterwards.
    package var to: Int

    package init(application: String?, scene: String?, path: String, from: Int, to: Int) {
        self.application = application
        self.scene = scene
        self.path = path
        self.from = from
        self.to = to
    }
}

/// Names a row that is deleted.
package struct DeleteParameters: ParametersOfScene {
    package var application: String?
    package var scene: String?
    package var path: String
    /// Where it is, counted from 0.
    package var row: Int

    package init(application: String?, scene: String?, path: String, row: Int) {
        self.application = application
        self.scene = scene
        self.path = path
        self.row = row
    }
}
