import FoundationEssentials
import StateRestoration
import Testing

@testable import ControllerKit

/// Tests drawings whose lines are filled by the views with scrollable content.
@Suite struct FilledDrawingTests {
    private static func table(_ count: Int) -> (TableView, ListModel) {
        let model = ListModel(ListModel.numbered(0..<count))
        return (TableView.showing(model, several: false), model)
    }

    private static func textView(lineCount: Int) -> TextView {
        let view = TextView()
        view.visibleSize = Size(width: 10, height: 3)
        view.text = (0..<lineCount).map { "\($0)" }.joined(separator: "\n")
        return view
    }

    private static func page(_ views: View...) -> ViewController {
        let page = ViewController.named("page")
        for view in views { page.view.addSubview(view) }
        return page
    }

    /// Returns the lines that a view draws on a canvas with a height.
    private static func lines(of view: View, width: Int = 20, height: Int?) -> [String] {
        var canvas = TextCanvas(width: width, height: height)
        canvas.draw(view)
        return canvas.lines.map { line in
            var line = line[...]
            while line.last == " " { line.removeLast() }
            return String(line)
        }
    }

    private static func label(_ text: String) -> Label {
        let label = Label()
        label.text = text
        return label
    }

    @Test func `a list fills the lines that the other views leave`() {
        let (table, model) = Self.table(32)
        withExtendedLifetime(model) {
            let page = Self.page(Self.label("above"), table, Self.label("below"))
            let lines = Self.lines(of: page.view, height: 10)
            #expect(lines.count == 10)
            #expect(lines[1] == "  e0" && lines[7] == "  e6")
            #expect(lines[8].contains("1–7 of 32") && lines[9] == "below")
            // Without a height, each view has its own size.
            #expect(Self.lines(of: page.view, height: nil).count == 6)
            #expect(Self.lines(of: page.view, height: 40).count == 34)
        }
    }

    @Test func `a list is not smaller than its own size and has no empty lines at its end`() throws
    {
        let (table, model) = Self.table(32)
        try withExtendedLifetime(model) {
            #expect(Self.lines(of: table, height: 1).count == 4)
            try table.scroll(to: Point(x: 0, y: 29))
            let lines = Self.lines(of: table, height: 12)
            #expect(lines.first == "  e21" && lines[10] == "  e31" && lines.count == 12)
            #expect(Self.lines(of: table, height: 32).first == "  e0")
            #expect(Self.lines(of: table, height: 32).count == 32)
        }
    }

    @Test func `a drawing does not change the state`() throws {
        let (table, model) = Self.table(32)
        let text = Self.textView(lineCount: 30)
        try withExtendedLifetime(model) {
            let page = Self.page(table, text)
            try table.scroll(to: Point(x: 0, y: 29))
            let properties = [table.inspectedProperties, text.inspectedProperties]
            let ownDrawing = Self.lines(of: page.view, height: nil)
            for height in [1, 5, 24, 50, 4096] {
                for width in [1, 80, 200] {
                    _ = Self.lines(of: page.view, width: width, height: height)
                }
            }
            #expect([table.inspectedProperties, text.inspectedProperties] == properties)
            #expect(Self.lines(of: page.view, height: nil) == ownDrawing)
        }
    }

    @Test func `several views share the lines, and a view with little content leaves lines`() {
        let (long, longModel) = Self.table(32)
        let (short, shortModel) = Self.table(4)
        withExtendedLifetime((longModel, shortModel)) {
            let page = Self.page(long, short)
            let lines = Self.lines(of: page.view, height: 20)
            #expect(lines.count == 20)
            #expect(lines[14] == "  e14" && lines[15].contains("1–15 of 32") && lines[16] == "  e0")
            let equal = Self.lines(
                of: Self.page(long, Self.textView(lineCount: 40)).view, height: 20)
            #expect(equal.count == 20)
            #expect(equal[9].contains("1–9 of 32") && equal[10].hasPrefix("┌"))
        }
    }

    @Test func `bars and boxes are within the height`() {
        let (table, model) = Self.table(32)
        withExtendedLifetime(model) {
            let tabs = TabBarController()
            let navigation = NavigationController(rootViewController: Self.page(table))
            tabs.setViewControllers([navigation])
            let lines = Self.lines(of: tabs.view, height: 24)
            #expect(lines.count == 24)
            #expect(lines[2] == "  e0" && lines[20] == "  e18" && lines[21].contains("1–19 of 32"))
        }
        let pages = PageViewController()
        pages.setPages([Self.page(Self.textView(lineCount: 40)), ViewController()])
        let lines = Self.lines(of: pages.view, height: 12)
        #expect(lines.count == 12)
        #expect(lines[9].contains("of 40"))
        #expect(lines[10].hasPrefix("└") && lines[11].contains("●"))
    }

    @Test func `columns fill the height next to each other`() {
        let (first, firstModel) = Self.table(32)
        let (second, secondModel) = Self.table(20)
        withExtendedLifetime((firstModel, secondModel)) {
            let split = SplitViewController()
            split.setViewController(Self.page(first), for: .primary)
            split.setViewController(Self.page(second), for: .secondary)
            let lines = Self.lines(of: split.view, width: 60, height: 21)
            #expect(lines.count == 21)
            #expect(lines[19].contains("e19") && lines[20].contains("1–20 of 32"))
            #expect(lines[19].split(separator: "│").count == 2)
        }
    }

    // MARK: Text

    @Test func `text is wrapped at the width of the drawing`() {
        let view = TextView()
        view.visibleSize = Size(width: 10, height: 3)
        view.text = "one two three four five six seven eight nine ten"
        view.select(0..<0)
        #expect(
            Self.lines(of: view, width: 34, height: 9).dropFirst().dropLast() == [
                "│ ▏one two three four five six   │", "│ seven eight nine ten           │",
            ])
        #expect(
            Self.lines(of: view, width: 34, height: nil)[1] == "│ ▏one two                       │")
    }

    @Test func `a label in a scroll view is wrapped at the width of a wider drawing`() throws {
        let label = Self.label(String(repeating: "word ", count: 40))
        label.numberOfLines = 0
        let view = ScrollView()
        view.visibleSize = Size(width: 10, height: 3)
        view.contentSize = Size(width: 10, height: 20)
        view.addSubview(label)
        try view.scroll(to: Point(x: 0, y: 17))
        let lines = Self.lines(of: view, width: 50, height: 9)
        #expect(lines == Array(repeating: lines[0], count: 4))
        #expect(lines[0].split(separator: " ").count == 10)
        let low = Self.lines(of: view, width: 50, height: 2)
        #expect(low.count == 4 && low[3].contains("2–4 of 4"))
        // At the width of the content, the content has its own height.
        #expect(Self.lines(of: view, width: 10, height: 9)[8].contains("13–20"))
        #expect(view.contentOffset.y == 17)
    }

    @Test func `a web page is wrapped at the width of the drawing`() throws {
        final class Pages: WebPageSource {
            func webView(_ webView: WebView, pageAt url: URL) -> WebPage? {
                WebPage(title: "T", text: String(repeating: "word ", count: 40))
            }
        }
        let (view, pages) = (WebView(), Pages())
        view.visibleSize = Size(width: 10, height: 3)
        view.pageSource = pages
        try view.load("https://example.org/")
        let lines = Self.lines(of: view, width: 50, height: 12)
        #expect(lines.count == 6)
        #expect(lines[2] == Array(repeating: "word", count: 10).joined(separator: " "))
        withExtendedLifetime(pages) {}
    }

    /// Returns the first line of text that a text view shows.
    private static func firstLine(_ view: TextView, width: Int, height: Int) -> String {
        lines(of: view, width: width, height: height)[1]
    }

    @Test(arguments: [9, 14, 40, 90], [2, 6])
    func `a user reaches each line of a text by scrolling one line at a time`(
        _ width: Int, _ height: Int
    ) throws {
        let view = TextView()
        view.visibleSize = Size(width: 10, height: 3)
        view.text = (0..<60).map { "word\($0)" }.joined(separator: " ")
        view.isEditable = false
        let all = Self.lines(of: view, width: width, height: 4096).dropFirst().dropLast()
        var shown: [String] = []
        var (origin, previousOrigin) = (0.0, -1.0)
        while origin > previousOrigin {
            var canvas = TextCanvas(width: width, height: height)
            try view.scroll(to: Point(x: 0, y: origin), drawnColumns: width)
            canvas.draw(view)
            let drawn = Self.lines(of: view, width: width, height: height)
            let position = try #require(drawn.firstIndex { $0.contains("· ") })
            previousOrigin = origin - 1
            let visibleOrigin = try #require(canvas.parts.last?.visibleOrigin)
            if visibleOrigin.y == origin {
                shown = Array(shown.prefix(Int(origin))) + drawn[1..<position]
                origin += 1
            } else {
                #expect(visibleOrigin.y == origin - 1)
                previousOrigin = origin
            }
        }
        #expect(shown == Array(all))
    }

    @Test(arguments: [12, 14, 40, 90], [2, 6, 11])
    func `the caret is visible wherever the user moves it`(_ width: Int, _ height: Int) throws {
        let view = TextView()
        view.visibleSize = Size(width: 10, height: 3)
        view.text = (0..<60).map { "word\($0)" }.joined(separator: " ")
        for edit in [.move(.beginningOfDocument)]
            + Array(repeating: TextEdit.move(.down), count: 90)
            + Array(repeating: .move(.up), count: 90) + [
                .move(.endOfDocument), .insertText(" end"),
            ]
        {
            try view.edit(edit, drawnSize: (width, height))
            let lines = Self.lines(of: view, width: width, height: height)
            #expect(lines.contains { $0.contains("▏") }, "\(edit): \(lines)")
        }
    }

    @Test func `the caret moves between the lines of the drawing`() throws {
        let view = TextView()
        view.visibleSize = Size(width: 10, height: 3)
        view.text = "one two three four five six seven eight nine ten"
        view.select(0..<0)
        try view.edit(.move(.down), drawnSize: (34, 9))
        #expect(view.selectedRange == 28..<28)
        try view.edit(.move(.up))
        #expect(view.selectedRange == 19..<19)
        try view.edit(.move(.pageDown), drawnSize: (34, 5))
        #expect(view.selectedRange == 47..<47)
    }

    @Test(arguments: [0, -1, .min, .max])
    func `any height and width can be drawn`(_ number: Int) {
        let (table, model) = Self.table(4)
        withExtendedLifetime(model) {
            let page = Self.page(table, Self.textView(lineCount: 5), Self.label("end"))
            for (width, height) in [(number, 10), (10, number), (number, number)] {
                #expect(!Self.lines(of: page.view, width: width, height: height).isEmpty)
            }
        }
    }
}
