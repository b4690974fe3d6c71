import ControllerKit
import StateRestoration
import Testing

@Suite struct TextViewTests {
    /// Prepares a view that shows 3 lines with 8 columns of text.
    private static func prepare(_ view: TextView) {
        view.visibleSize = Size(width: 10, height: 3)
    }

    private func made(_ text: String) -> TextView {
        let view = TextView()
        Self.prepare(view)
        view.text = text
        return view
    }

    private func inside(_ view: TextView) -> [String] {
        lines(of: view, width: 14).dropFirst().dropLast().map {
            String($0.dropFirst(2).dropLast(2))
        }
    }

    @Test func `the content height is the number of lines`() {
        let view = made("one two three\nfour")
        #expect(view.contentSize == Size(width: 10, height: 3))
        view.text += "\n日本語日本語\n"
        #expect(view.contentSize.height == 6)
        view.visibleSize.width = 30
        #expect(view.contentSize == Size(width: 30, height: 4))
        view.visibleSize = .zero
        #expect(view.contentSize.width == 0)
        view.text = ""
        #expect(view.contentSize.height == 1)
        #expect(!lines(of: view, width: 14).isEmpty)
    }

    @Test func `typing replaces or appends text, scrolls to the caret and runs the actions`() throws
    {
        let view = made("")
        var edits = 0
        view.addEditingAction { edits += 1 }
        view.text = "set"
        #expect(edits == 0)
        try view.type("1\n2\n3\n4\n5", appending: false)
        #expect(view.selectedRange == 9..<9)
        #expect(view.contentOffset.y == 2)
        try view.scroll(to: .zero)
        try view.type("6 789 ab", appending: true)
        #expect(view.text == "1\n2\n3\n4\n56 789 ab")
        #expect(view.contentOffset.y == 3)
        try view.selectText(2..<3)
        #expect(view.contentOffset.y == 1)
        #expect(edits == 2)
    }

    @Test func `a text view that is not editable refuses typing but allows selection`() throws {
        let view = made("abc")
        view.isEditable = false
        #expect(throws: OperationError.notPossible("it is not editable")) {
            try view.type("x", appending: true)
        }
        #expect(view.text == "abc")
        try view.selectText(0..<2)
        #expect(view.selectedRange == 0..<2)
        let error = OperationError.notPossible("the range 1 to 4 is outside its text of length 3")
        #expect(throws: error) { try view.selectText(1..<4) }
        #expect(view.selectedRange == 0..<2)
    }

    @Test func `the caret and the selection are drawn in their lines`() throws {
        let view = made("one two three\n👩‍👩‍👧日本 x")
        #expect(inside(view) == ["one two   ", "three     ", "👩‍👩‍👧日本 x▏ "])
        view.select(4..<4)
        #expect(inside(view)[0] == "one ▏two  ")
        view.select(8..<8)
        #expect(inside(view) == ["one two   ", "▏three    ", "👩‍👩‍👧日本 x  "])
        view.select(13..<13)
        #expect(inside(view)[1] == "three▏    ")
        view.select(4..<16)
        #expect(inside(view) == ["one «two  ", "three     ", "👩‍👩‍👧日»本 x "])
        view.select(14..<15)
        #expect(inside(view)[2] == "«👩‍👩‍👧»日本 x")
        #expect(inside(made("12345678")) == ["12345678▏ "])
        #expect(inside(made("12345678   ")) == ["12345678▏ "])
        #expect(inside(made("")) == ["▏         "])
    }

    @Test func `part of a long text is drawn with its position`() throws {
        let view = made((0..<9).map { "\($0)" }.joined(separator: "\n"))
        try view.scroll(to: Point(x: 0, y: 3))
        #expect(
            lines(of: view, width: 20) == [
                "┌──────────────────┐", "│ 3                │", "│ 4                │",
                "│ 5                │", "│   · 4–6 of 9 ·   │", "└──────────────────┘",
            ])
    }

    @Test func `V1 and V4: offset, selection and editability are preserved`()
        throws
    {
        let text = "🇩🇪\r\n👩‍👩‍👧e\u{301}\n2\n3\n4\n5\n6"
        let view: TextView = try relaunched(
            {
                Self.prepare($0)
                $0.text = text
            },
            change: {
                $0.isEditable = false
                $0.select(1..<4)
                $0.contentOffset.y = 2
            })
        #expect(view.text == text)
        #expect(view.selectedRange == 1..<4)
        #expect(view.contentOffset.y == 2)
        #expect(!view.isEditable)
    }

    @Test func `V1 and V4: for a shorter text, the selection is dropped and the end is shown`()
        throws
    {
        let view: TextView = try relaunched(
            {
                Self.prepare($0)
                $0.text = "1\n2\n3\n4\n5\n6"
            },
            change: {
                $0.select(9..<11)
                $0.contentOffset.y = 3
            },
            reloaded: {
                Self.prepare($0)
                $0.text = "1\n2\n3\n4"
            })
        #expect(view.selectedRange == 7..<7)
        #expect(view.contentOffset.y == 1)
    }

    @Test
    func
        `V1 and V4: offset and selection are restored even if the text is set when restoration finishes`()
        throws
    {
        let text = "1\n2\n3\n4\n5\n6"
        let view: TextView = try relaunched(
            Self.prepare,
            change: {
                $0.text = text
                $0.select(9..<11)
                $0.contentOffset.y = 2
            },
            finished: { $0.text = text })
        #expect(view.selectedRange == 9..<11)
        #expect(view.contentOffset.y == 2)
    }

    @Test func `a mebibyte of text can be wrapped, edited and drawn`() throws {
        let line = "The quick brown fox 日本 jumps 🇩🇪 over the lazy dog. "
        let text = String(repeating: line, count: (1 << 20) / line.utf8.count)
        let view = made(text)
        #expect(view.contentSize.height > 80_000)
        // Each key press wraps only the last lines. Otherwise, this would take minutes.
        for _ in 0..<2000 { try view.type("x", appending: true) }
        #expect(view.selectedRange.lowerBound == text.count + 2000)
        #expect(inside(view).last?.contains("·") == true)
        let flags = made(String(repeating: "🇩🇪", count: 1 << 16))
        #expect(flags.contentSize.height == 16384)
    }

    @Test func `storyboard properties are set, and invalid properties are rejected`() throws {
        let view = TextView()
        try view.setProperty("text", to: .string("abc"))
        try view.setProperty("isEditable", to: .bool(false))
        try view.setProperty("visibleSize", to: .numbers([20, 4]))
        #expect(view.inspectedProperties["text"] == .string("abc"))
        #expect(view.inspectedProperties["isEditable"] == .bool(false))
        #expect(view.inspectedProperties["selectedRange"] == .range(3..<3))
        #expect(
            view.inspectedProperties["contentSize"]
                == .dictionary(["width": .double(20), "height": .double(1)]))
        #expect(
            throws: PropertyError.unknownProperty(
                known: [
                    "text", "preservesText", "isEditable", "contentSize", "visibleSize",
                    "contentInset",
                    "minimumZoomScale", "maximumZoomScale", "isHidden",
                ])
        ) { try view.setProperty("placeholder", to: .string("x")) }
    }
}
