import Testing

@testable import reprisectl

/// In what two pictures differ that stand beside each other.
@Suite struct TextDifferenceTests {
    @Test func `of lines beside each other only what differs is marked`() {
        let marks = TextDifference(["same", "[ one ]", "gone"], ["same", "[ other ]"])
        #expect(marks.first == [1: 3..<5, 2: 0..<4])
        #expect(marks.second == [1: 3..<7])
    }

    @Test func `columns are counted, and equal lines that moved are not marked`() {
        let wide = TextDifference(["日本x"], ["日本y"])
        #expect(wide.first == [0: 4..<5])
        let moved = TextDifference(["a", "b"], ["new", "a", "b"])
        #expect(moved.first.isEmpty)
        #expect(moved.second == [0: 0..<3])
        #expect(TextDifference([], []).first.isEmpty)
    }

    @Test func `a chosen entry is always among those that are seen`() {
        var choice = PanelChoice(index: 0, count: 30)
        #expect(choice.seen(5) == 0..<5)
        let isMoved = choice.press(.end)
        #expect(isMoved)
        #expect(choice.seen(5) == 25..<30)
        let isMovedOn = choice.press(.down)
        #expect(!isMovedOn)
        #expect(PanelChoice(index: 0, count: 0).seen(5) == 0..<0)
    }
}
