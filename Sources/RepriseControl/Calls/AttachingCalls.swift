import ExactText

/// Call that returns a scene as a terminal client displays it. With `more`, later replies contain the changes.
package struct AttachCall: SceneCall {
    package static var isLooking: Bool { true }

    package var application: String?
    package var scene: String?
    /// Width of the rendering, in columns.
    package var columns = 0
    /// Whether the client only observes. Such a client does not launch a saved scene, and `Clients` shows that it
    /// observes.
    package var observing: Bool?

    package init() {}

    /// Rendering, or its changes since the previous reply.
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

/// Role of a span in a line.
package enum DrawnRole: String, Codable, Sendable, CaseIterable {
    case bar, caret, selection, position
}

/// Span of a line that has a role.
package struct DrawnSpan: ControlMessage, Equatable {
    package var role = DrawnRole.bar
    package var column = 0
    package var columns = 0

    package init() {}
}

/// Line of a rendering, with the spans that have a role.
package struct DrawnLine: ControlMessage, Equatable {
    package var number = 0
    package var text = ""
    package var spans: [DrawnSpan] = []

    package init() {}
}

/// Kind of element in a rendering, according to what a user can do with it.
package enum DrawnKind: String, Codable, Sendable, CaseIterable {
    case button, field, text, value, choice, row, list, back, scroll, page
}

/// Element of a rendering that a user can point at.
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

/// Visible part of larger content in a rendering, with its scale and the distance between lines.
package struct DrawnPlace: ControlMessage, Equatable {
    package var x = 0.0
    package var y = 0.0
    package var scale = 1.0
    package var step = 1.0

    package init() {}
}

/// Call to edit text at its caret, as a key press does, with `text` or `action`.
package struct EditTextCall: SceneCall, ChangingCall {
    package var application: String?
    package var scene: String?
    package var path = ""
    package var text: String?
    package var action: TextAction?
    /// Whether an action that moves the caret extends the selection.
    package var extend: Bool?

    package init() {}
}

/// Edit that inserts no text.
package enum TextAction: String, Codable, Sendable, CaseIterable {
    case deleteBackward, deleteForward, deleteWordBackward
    case deleteToBeginningOfLine, deleteToEndOfLine
    case moveLeft, moveRight, moveWordLeft, moveWordRight
    case moveToBeginningOfLine, moveToEndOfLine, moveUp, moveDown, pageUp, pageDown
    case moveToBeginningOfDocument, moveToEndOfDocument, selectAll
}
