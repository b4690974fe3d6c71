/// Names what a person types into, what, and what is selected then: `text` or `select`, or both.
package struct TypeParameters: ParametersOfScene {
    package var application: String?
    package var scene: String?
    package var path: String
    /// What is typed; nil: nothing.
    package var text: String?
    /// Whether it is written behind the text; else it replaces it.
    package var append: Bool?
    /// What is selected then.
    package var select: TextRange?

    package init(
        application: String?, scene: String?, path: String, text: String? = nil,
        append: Bool? = nil, select: TextRange? = nil
    ) {
        self.application = application
        self.scene = scene
        self.path = path
        self.text = text
        self.append = append
        self.select = select
    }
}

/// Characters (grapheme clusters), counted from 0; an empty range is the place of the caret.
package struct TextRange: Codable, Sendable, Equatable {
    /// The first character.
    package var lowerBound: Int
    /// The first character behind it.
    package var upperBound: Int

    package init(lowerBound: Int, upperBound: Int) {
        self.lowerBound = lowerBound
        self.upperBound = upperBound
    }

    /// The range; nil if it would end before it begins.
    package var range: Range<Int>? {
        lowerBound <= upperBound ? lowerBound..<upperBound : nil
    }
}
