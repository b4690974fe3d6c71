import ExactText

/// Asks for a scene as a terminal client draws it, and, with `more`, for what changes of that.
package struct AttachCall: SceneCall {
    package static var isLooking: Bool { true }

    package var application: String?
    package var scene: String?
    /// The width of the drawing.
    package var columns = 0
    /// Whether who asks only looks, for those who ask who is connected.
    package var observing: Bool?

    package init() {}

    /// The drawing, or what has changed of it.
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

/// What stands on a part of a line.
package enum DrawnRole: String, Codable, Sendable, CaseIterable {
    case bar, caret, selection, position
}

/// A part of a line.
package struct DrawnSpan: ControlMessage, Equatable {
    package var role = DrawnRole.bar
    package var column = 0
    package var columns = 0

    package init() {}
}

/// A line of a drawing, and what stands on it.
package struct DrawnLine: ControlMessage, Equatable {
    package var number = 0
    package var text = ""
    package var spans: [DrawnSpan] = []

    package init() {}
}

/// What a person can do with something on a drawing.
package enum DrawnKind: String, Codable, Sendable, CaseIterable {
    case button, field, text, value, choice, row, list, back, scroll, page
}

/// Something on a drawing that a person can point at.
package struct DrawnElement: ControlMessage, Equatable {
    package var path = ""
    package var kind = DrawnKind.button
    package var enabled = true
    package var index: Int?
    package var chosen: Bool?
    package var editing: Bool?
    /// The seen part of something larger.
    package var view: DrawnPlace?
    package var line = 0
    package var lines = 0
    package var column = 0
    package var columns = 0

    package init() {}
}

/// Which part of its content is seen on a drawing, how much that is enlarged, and how far it is from a line to the
/// next.
package struct DrawnPlace: ControlMessage, Equatable {
    package var x = 0.0
    package var y = 0.0
    package var scale = 1.0
    package var step = 1.0

    package init() {}
}

/// Edits a text as a key does it: `text` or `action`.
package struct EditTextCall: SceneCall, ChangingCall {
    package var application: String?
    package var scene: String?
    package var path = ""
    package var text: String?
    package var action: TextAction?
    /// Whether the selection goes along with what moves.
    package var extend: Bool?

    package init() {}
}

/// An edit of a text that writes nothing.
package enum TextAction: String, Codable, Sendable, CaseIterable {
    case deleteBackward, deleteForward, deleteWordBackward
    case deleteToBeginningOfLine, deleteToEndOfLine
    case moveLeft, moveRight, moveWordLeft, moveWordRight
    case moveToBeginningOfLine, moveToEndOfLine, moveUp, moveDown, pageUp, pageDown
    case moveToBeginningOfDocument, moveToEndOfDocument, selectAll
}
