import StateRestoration
import Testing

@testable import ControllerKit

/// Tests text views and text fields that save their own text, and the scrolling of text views.
@Suite struct PreservedTextTests {
    @Test func `V4: a view that preserves its text restores the text and the selection`() throws {
        let field: TextField = try relaunched(
            { $0.preservesText = true },
            change: {
                $0.text = "typed"
                $0.select(1..<3)
            })
        #expect(field.text == "typed")
        #expect(field.selectedRange == 1..<3)
        let view: TextView = try relaunched(
            { $0.preservesText = true },
            change: {
                $0.text = "one\ntwo"
                $0.select(5..<6)
            })
        #expect(view.text == "one\ntwo")
        #expect(view.selectedRange == 5..<6)
    }

    @Test(arguments: [false, true])
    func `V4: a view saves its text only if it preserves its text`(isPreserved: Bool) throws {
        let expected: StoredValue? = isPreserved ? .string("typed") : nil
        let field = TextField()
        field.text = "typed"
        field.preservesText = isPreserved
        #expect(try savedValues(of: field)["text"] == expected)
        let view = TextView()
        view.text = "typed"
        view.preservesText = isPreserved
        #expect(try savedValues(of: view)["text"] == expected)
    }

    @Test(arguments: [false, true])
    func `V4: a text view that no longer preserves its text keeps its current text`(
        isPreserved: Bool
    ) throws {
        let view = TextView()
        view.text = "of the launch"
        view.preservesText = isPreserved
        try restore(view) { $0.encode("saved", forKey: "text") }
        #expect(view.text == (isPreserved ? "saved" : "of the launch"))
    }

    @Test func `P14: turning on the preservation of text is saved, and repeating it is not`() throws
    {
        let field = TextField()
        let view = TextView()
        let changes: [(View, (Bool) -> Void)] = [
            (field, { field.preservesText = $0 }), (view, { view.preservesText = $0 }),
        ]
        for (input, setPreservesText) in changes {
            let application = TestApplication(page(input))
            try application.launch()
            application.save()
            setPreservesText(false)
            #expect(application.scene?.needsPass == false)
            setPreservesText(true)
            #expect(application.scene?.needsPass == true)
        }
    }

    @Test(arguments: [(0, 0), (1, 1), (2, 1), (3, 1), (4, 2), (5, 3)] as [(Int, Double)])
    func `a text view scrolls only as far as the caret requires`(line: Int, offset: Double) throws {
        let view = TextView()
        view.visibleSize = Size(width: 10, height: 3)
        view.text = "0\n1\n2\n3\n4\n5"
        try view.scroll(to: Point(x: 0, y: 1))
        try view.selectText(2 * line..<2 * line)
        #expect(view.contentOffset.y == offset)
    }

    @Test func `a view less than one line high shows the beginning of the caret's line`() throws {
        let view = TextView()
        view.visibleSize = Size(width: 10, height: 0.5)
        view.text = "0\n1\n2\n3\n4\n5"
        try view.selectText(6..<6)
        #expect(view.contentOffset.y == 3)
    }

    @Test func `a text view that becomes narrower and higher keeps its offset if the text fits it`()
    {
        let view = TextView()
        view.visibleSize = Size(width: 12, height: 3)
        view.text = Array(repeating: "abcdefgh", count: 6).joined(separator: "\n")
        view.contentOffset.y = 3
        // The text now has twelve lines.
        view.visibleSize = Size(width: 6, height: 6)
        #expect(view.contentSize.height == 12)
        #expect(view.contentOffset.y == 3)
    }
}
