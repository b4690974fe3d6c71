import ExactText

/// Call for a scene as a terminal client draws it. With `more`, further replies have the changes.
package struct AttachCall: SceneCall {
    package static var isLooking: Bool { true }

    package var application: String?
    package var scene: String?
    /// Width of the drawing, in columns.
    package var columns = 0
    /// Whether the client only observes: no saved scene is launched, and `Clients` shows it.
    package var observing: Bool?

    package init() {}

    /// Drawing, or its changes since the previous reply.
    package struct Reply: ControlMessage, Equatable {
        package var application: String?
        package var scene: String?
        package var launchReason: String?
        package var height = 0
        package var lines: [DrawnLine] = []
        package var elements: [DrawnElement]?

        package init() {}
    }
}

/// Role of a part of a line.
package enum DrawnRole: String, Codable, Sendable, CaseIterable {
    case bar, caret, selection, position
}

/// Part of a line that has a role.
package struct DrawnSpan: ControlMessage, Equatable {
    package var role = DrawnRole.bar
    package var column = 0
    package var columns = 0

    package init() {}
}

/// Line of a drawing, with the parts that have a role.
package struct DrawnLine: ControlMessage, Equatable {
    package var number = 0
    package var text = ""
    package var spans: [DrawnSpan] = []

    package init() {}
}

/// Kind of an element of a drawing, by what a person can do with it.
package enum DrawnKind: String, Codable, Sendable, CaseIterable {
    case button, field, text, value, choice, row, list, back, scroll, page
}

/// Element of a drawing that a person can point at.
package struct DrawnElement: ControlMessage, Equatable {
    package var path = ""
    package var kind = DrawnKind.button
    package var enabled = true
    package var index: Int?
    package var chosen: Bool?
    package var editing: Bool?
    /// Visible part of larger content, or `nil` if the element has no such content.
    package var view: DrawnPlace?
    package var line = 0
    package var lines = 0
    package var column = 0
    package var columns = 0

    package init() {}
}

/// Visible part of larger content on a drawing, with its magnification and the distance between lines.
package struct DrawnPlace: ControlMessage, Equatable {
    package var x = 0.0
    package var y = 0.0
    package var scale = 1.0
    package var step = 1.0

    package init() {}
}

/// Call to edit a text at its caret, as a key does, with `text` or `action`.
package struct EditTextCall: SceneCall, ChangingCall {
    package var application: String?
    package var scene: String?
    package var path = ""
    package var text: String?
    package var action: TextAction?
    /// Whether an action that moves the caret moves one end of the selection.
    package var extend: Bool?

    package init() {}
}

/// Edit of a text that inserts nothing.
package enum TextAction: String, Codable, Sendable, CaseIterable {
    case deleteBackward, deleteForward, deleteWordBackward
    case deleteToBeginningOfLine, deleteToEndOfLine
    case moveLeft, moveRight, moveWordLeft, moveWordRight
    case moveToBeginningOfLine, moveToEndOfLine, moveUp, moveDown, pageUp, pageDown
    case moveToBeginningOfDocument, moveToEndOfDocument, selectAll
}
