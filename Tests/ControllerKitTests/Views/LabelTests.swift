import ControllerKit
import StateRestoration
import Testing

@Suite struct LabelTests {
    private let text = "The quick brown 日本語 fox\njumps"

    @Test func `a label draws no more than its maximum number of lines`() {
        #expect(lines(of: Label(text: text), width: 10) == ["The quick…"])
        #expect(
            lines(of: Label(text: text, numberOfLines: 2), width: 10) == [
                "The quick ", "brown 日… ",
            ])
        #expect(
            lines(of: Label(text: text, numberOfLines: 0), width: 10)
                == ["The quick ", "brown 日本", "語 fox    ", "jumps     "])
        #expect(lines(of: Label(text: "", numberOfLines: 0), width: 10) == ["          "])
        let label = Label(text: text, numberOfLines: -1)
        #expect(label.numberOfLines == 0)
        label.numberOfLines = 3
        label.numberOfLines = -1
        #expect(label.numberOfLines == 0)
    }

    @Test func `lines follow the text alignment`() {
        let label = Label(text: "日本 x\nab", numberOfLines: 0)
        label.textAlignment = .right
        #expect(lines(of: label, width: 8) == ["  日本 x", "      ab"])
        label.textAlignment = .center
        #expect(lines(of: label, width: 8) == [" 日本 x ", "   ab   "])
    }

    @Test func `storyboard properties are set, and invalid properties are rejected`() throws {
        let label = Label()
        try label.setProperty("text", to: .string("a"))
        try label.setProperty("numberOfLines", to: .integer(3))
        try label.setProperty("textAlignment", to: .string("center"))
        #expect(
            label.inspectedProperties == [
                "text": .string("a"), "numberOfLines": .integer(3),
                "textAlignment": .string("center"), "isHidden": .bool(false),
            ])
        #expect(throws: PropertyError.invalidValue("one of left, center, right is required")) {
            try label.setProperty("textAlignment", to: .string("middle"))
        }
        #expect(throws: PropertyError.self) {
            try label.setProperty("numberOfLines", to: .integer(-1))
        }
    }
}
