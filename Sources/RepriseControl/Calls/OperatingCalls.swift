import ExactText

/// Types into a text, and selects: `text` or `select`, or both.
package struct TypeCall: SceneCall, ChangingCall {
    package var application: String?
    package var scene: String?
    package var path = ""
    package var text: String?
    /// Whether the text is written behind the one that is there; else it replaces it.
    package var append: Bool?
    package var select: TextRange?

    package init() {}
}

/// Characters (grapheme clusters), counted from 0; an empty range is the place of the caret.
package struct TextRange: Codable, Sendable, Equatable {
    package var lowerBound: Int
    package var upperBound: Int
}

extension TextRange {
    /// Selects the characters of a range.
    package init(_ range: Range<Int>) {
        self.init(lowerBound: range.lowerBound, upperBound: range.upperBound)
    }

    /// The range; nil if it would end before it begins.
    package var range: Range<Int>? {
        lowerBound <= upperBound ? lowerBound..<upperBound : nil
    }
}

/// Chooses elements: by `indexes`, counted from 0, or by the model's `identifiers`.
package struct SelectCall: SceneCall, ChangingCall {
    package var application: String?
    package var scene: String?
    package var path = ""
    package var indexes: [Int]?
    package var identifiers: [String]?

    package init() {}
}

/// Taps an object as a whole, or one of its rows, counted from 0.
package struct TapCall: SceneCall, ChangingCall {
    package var application: String?
    package var scene: String?
    package var path = ""
    package var row: Int?

    package init() {}
}

/// Turns an edit mode on or off.
package struct EditCall: SceneCall, ChangingCall {
    package var application: String?
    package var scene: String?
    package var path = ""
    package var on = false

    package init() {}
}

/// Moves a row, counted from 0, to the place that it has afterwards.
package struct MoveCall: SceneCall, ChangingCall {
    package var application: String?
    package var scene: String?
    package var path = ""
    package var from = 0
    package var to = 0

    package init() {}
}

/// Deletes a row, counted from 0.
package struct DeleteCall: SceneCall, ChangingCall {
    package var application: String?
    package var scene: String?
    package var path = ""
    package var row = 0

    package init() {}
}

/// Scrolls: column `x` and line `y` of the content come to the upper left corner.
package struct ScrollCall: SceneCall, ChangingCall {
    package var application: String?
    package var scene: String?
    package var path = ""
    package var x = 0.0
    package var y = 0.0

    package init() {}
}

/// Enlarges: 1 is the natural size.
package struct ZoomCall: SceneCall, ChangingCall {
    package var application: String?
    package var scene: String?
    package var path = ""
    package var scale = 1.0

    package init() {}
}

/// Shows a page.
package struct LoadCall: SceneCall, ChangingCall {
    package var application: String?
    package var scene: String?
    package var path = ""
    package var url = ""

    package init() {}
}

/// Goes back by one; without a path in the stack that a person sees.
package struct BackCall: SceneCall, ChangingCall {
    package var application: String?
    package var scene: String?
    package var path: String?
    /// Whether the call is refused if it would discard changes that are not saved.
    package var keepChanges: Bool?

    package init() {}
}

/// Goes forward by one.
package struct ForwardCall: SceneCall, ChangingCall {
    package var application: String?
    package var scene: String?
    package var path = ""

    package init() {}
}

/// Takes away what was presented last.
package struct DismissCall: SceneCall, ChangingCall {
    package var application: String?
    package var scene: String?
    /// Whether the call is refused if it would discard changes that are not saved.
    package var keepChanges: Bool?

    package init() {}
}
