import ExactText

/// Call to type text, to select characters, or to do both, with `text` and `select`.
package struct TypeCall: SceneCall, ChangingCall {
    package var application: String?
    package var scene: String?
    package var path = ""
    package var text: String?
    /// Whether the text is appended to the existing text instead of replacing it.
    package var append: Bool?
    package var select: TextRange?

    package init() {}
}

/// Zero-based range of characters (grapheme clusters). An empty range is the position of the caret.
package struct TextRange: Codable, Sendable, Equatable {
    package var lowerBound: Int
    package var upperBound: Int
}

extension TextRange {
    /// Creates a range of characters.
    package init(_ range: Range<Int>) {
        self.init(lowerBound: range.lowerBound, upperBound: range.upperBound)
    }

    /// The Swift range, or `nil` if the upper bound is less than the lower bound.
    package var range: Range<Int>? {
        lowerBound <= upperBound ? lowerBound..<upperBound : nil
    }
}

/// Call to select elements, by zero-based `indexes` or by `identifiers` in the model.
package struct SelectCall: SceneCall, ChangingCall {
    package var application: String?
    package var scene: String?
    package var path = ""
    package var indexes: [Int]?
    package var identifiers: [String]?

    package init() {}
}

/// Call to tap an object or one of its rows. The row index is zero-based.
package struct TapCall: SceneCall, ChangingCall {
    package var application: String?
    package var scene: String?
    package var path = ""
    package var row: Int?

    package init() {}
}

/// Call to turn editing mode on or off.
package struct EditCall: SceneCall, ChangingCall {
    package var application: String?
    package var scene: String?
    package var path = ""
    package var on = false

    package init() {}
}

/// Call to move a row. `to` is the zero-based index after the move.
package struct MoveCall: SceneCall, ChangingCall {
    package var application: String?
    package var scene: String?
    package var path = ""
    package var from = 0
    package var to = 0

    package init() {}
}

/// Call to delete a row. The row index is zero-based.
package struct DeleteCall: SceneCall, ChangingCall {
    package var application: String?
    package var scene: String?
    package var path = ""
    package var row = 0

    package init() {}
}

/// Call to scroll, so that column `x` and line `y` of the content are in the upper left corner.
package struct ScrollCall: SceneCall, ChangingCall {
    package var application: String?
    package var scene: String?
    package var path = ""
    package var x = 0.0
    package var y = 0.0

    package init() {}
}

/// Call to zoom. A `scale` of 1 is the natural size.
package struct ZoomCall: SceneCall, ChangingCall {
    package var application: String?
    package var scene: String?
    package var path = ""
    package var scale = 1.0

    package init() {}
}

/// Call to load a page into a web view.
package struct LoadCall: SceneCall, ChangingCall {
    package var application: String?
    package var scene: String?
    package var path = ""
    package var url = ""

    package init() {}
}

/// Call to go back one step. Without a path, it applies to the visible navigation stack.
package struct BackCall: SceneCall, ChangingCall {
    package var application: String?
    package var scene: String?
    package var path: String?
    /// Whether the daemon refuses the call if it would discard unsaved changes.
    package var keepChanges: Bool?

    package init() {}
}

/// Call to go forward one step.
package struct ForwardCall: SceneCall, ChangingCall {
    package var application: String?
    package var scene: String?
    package var path = ""

    package init() {}
}

/// Call to dismiss the topmost presented controller.
package struct DismissCall: SceneCall, ChangingCall {
    package var application: String?
    package var scene: String?
    /// Whether the daemon refuses the call if it would discard unsaved changes.
    package var keepChanges: Bool?

    package init() {}
}
