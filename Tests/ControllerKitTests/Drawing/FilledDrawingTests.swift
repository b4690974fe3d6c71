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

    @Test func `if the lines cannot be shared equally, the last view gets one more line`() {
        let (first, firstModel) = Self.table(32)
        let (second, secondModel) = Self.table(32)
        withExtendedLifetime((firstModel, secondModel)) {
            let lines = Self.lines(of: Self.page(first, second).view, height: 21)
            #expect(lines.count == 21)
            #expect(lines[9].contains("1–9 of 32") && lines[10] == "  e0")
            #expect(lines[20].contains("1–10 of 32"))
        }
    }

    @Test func `a container fills the lines only if it contains a visible view that fills them`() {
        let (table, model) = Self.table(32)
        let (hidden, hiddenModel) = Self.table(32)
        hidden.isHidden = true
        withExtendedLifetime((model, hiddenModel)) {
            let container = View()
            container.addSubview(Self.label("above"))
            container.addSubview(hidden)
            var lines = Self.lines(of: Self.page(container, table).view, height: 10)
            #expect(lines.count == 10)
            #expect(lines[0] == "above" && lines[9].contains("1–8 of 32"))
            container.addSubview(table)
            lines = Self.lines(of: Self.page(container, Self.label("below")).view, height: 10)
            #expect(lines.count == 10)
            #expect(lines[8].contains("1–7 of 32") && lines[9] == "below")
        }
    }

    @Test func `a list that a custom view draws fills the height`() {
        final class TitledList: View {
            let table = TableView()
            override func draw(on canvas: inout TextCanvas) {
                canvas.line("title")
                canvas.draw(table)
            }
        }
        let model = ListModel(ListModel.numbered(0..<32))
        let view = TitledList()
        view.table.dataSource = model
        withExtendedLifetime(model) {
            let lines = Self.lines(of: Self.page(view).view, height: 20)
            #expect(lines.count == 20)
            #expect(lines[0] == "title" && lines[19].contains("1–18 of 32"))
        }
    }

    @Test func `a view with scrollable content gets a line even if the other views need all lines`()
        throws
    {
        let view = ScrollView()
        view.visibleSize = Size(width: 4, height: 0)
        view.contentSize = Size(width: 4, height: 1)
        view.addSubview(Self.label("text"))
        try view.scroll(to: Point(x: 0, y: 1))
        let page = Self.page(Self.label("above"), view)
        #expect(Self.lines(of: page.view, height: 1) == ["above", "text"])
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

    @Test func `a scroll view keeps the height of content that is not wrapped at another width`()
        throws
    {
        let label = Self.label(String(repeating: "word ", count: 40))
        label.numberOfLines = 0
        let view = ScrollView()
        view.visibleSize = Size(width: 10, height: 3)
        view.contentSize = Size(width: 10, height: 30)
        view.addSubview(label)
        try view.scroll(to: Point(x: 0, y: 27))
        let lines = Self.lines(of: view, width: 10, height: 9)
        #expect(lines.last?.contains("23–30") == true)
    }

    @Test(arguments: [(1000, 1), (1001, 2)])
    func `content of more than a thousand lines keeps its height`(height: Int, lineCount: Int) {
        let view = ScrollView()
        view.visibleSize = Size(width: 10, height: 3)
        view.contentSize = Size(width: 10, height: Double(height))
        view.addSubview(Self.label("text"))
        let lines = Self.lines(of: view, width: 50, height: 9)
        #expect(lines.count == lineCount)
        #expect(lines.last?.contains("1–8 of 1001") == (height == 1001))
    }

    @Test func `content is wrapped at the width of the view if the drawing is narrower`() {
        let label = Self.label(String(repeating: "word ", count: 40))
        label.numberOfLines = 0
        let view = ScrollView()
        view.visibleSize = Size(width: 50, height: 3)
        view.contentSize = Size(width: 10, height: 20)
        view.addSubview(label)
        #expect(
            Self.lines(of: view, width: 20, height: 9)
                == Array(repeating: "word word word word…", count: 4))
    }

    /// Returns a scroll view that contains five lines with one letter each.
    private static func letters(contentSize: Size, visibleSize: Size) -> ScrollView {
        let view = ScrollView()
        view.contentSize = contentSize
        view.visibleSize = visibleSize
        let label = Self.label("a\nb\nc\nd\ne")
        label.numberOfLines = 0
        view.addSubview(label)
        return view
    }

    @Test func `a position is drawn within the height if some columns are not visible`() {
        let view = Self.letters(
            contentSize: Size(width: 100, height: 5), visibleSize: Size(width: 20, height: 3))
        let lines = Self.lines(of: view, width: 40, height: 5)
        #expect(lines.prefix(4) == ["a", "b", "c", "d"])
        #expect(lines.dropFirst(4).map { $0.contains("1–4 of 5 · columns 1–40 of 100") } == [true])
    }

    @Test func `a position is drawn within the height if the content is enlarged`() {
        let view = Self.letters(
            contentSize: Size(width: 10, height: 5), visibleSize: Size(width: 10, height: 2))
        view.maximumZoomScale = 4
        view.zoomScale = 2
        let lines = Self.lines(of: view, width: 20, height: 9)
        #expect(lines.prefix(4) == ["a", "b", "c", "d"])
        #expect(lines.dropFirst(4).map { $0.contains("1–4 of 5 · ×2") } == [true])
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

    @Test func `a text that fits exactly has no position`() {
        let view = Self.textView(lineCount: 3)
        view.visibleSize.height = 2
        #expect(
            Self.lines(of: view, width: 10, height: 5) == [
                "┌────────┐", "│ 0      │", "│ 1      │", "│ 2▏     │", "└────────┘",
            ])
    }

    @Test func `a text has at least its own height in a wider drawing`() {
        let view = Self.textView(lineCount: 0)
        view.text = String(repeating: "word ", count: 60)
        #expect(Self.lines(of: view, width: 84, height: 1).count == 6)
    }

    @Test func `a text view without a width keeps its horizontal offset`() throws {
        let view = Self.textView(lineCount: 1)
        view.visibleSize.width = 0
        view.contentInset.right = 8
        view.contentOffset.x = 3
        var canvas = TextCanvas(width: 20, height: 8)
        canvas.draw(view)
        #expect(try #require(canvas.parts.last?.visibleOrigin).x == 3)
    }

    @Test func `a changed text is drawn at each width`() {
        let view = Self.textView(lineCount: 1)
        for text in ["one two", "one two three"] {
            view.text = text
            #expect(Self.lines(of: view, width: 34, height: 9)[1].hasPrefix("│ \(text)▏"))
        }
    }

    @Test func `a page that is loaded after another page is drawn at each width`() throws {
        final class Pages: WebPageSource {
            func webView(_ webView: WebView, pageAt url: URL) -> WebPage? {
                WebPage(title: "T", text: url.absoluteString == "page:a" ? "one" : "one two three")
            }
        }
        let (view, pages) = (WebView(), Pages())
        view.visibleSize = Size(width: 10, height: 3)
        view.pageSource = pages
        for (address, text) in [("page:a", "one"), ("page:b", "one two three")] {
            try view.load(address)
            #expect(Self.lines(of: view, width: 50, height: 12)[2] == text)
        }
        withExtendedLifetime(pages) {}
    }

    @Test func `content is wrapped at the width of its view after a drawing at another width`() {
        let view = Self.textView(lineCount: 0)
        view.text = "one two three four"
        func contentLines() -> [String] {
            var canvas = TextCanvas(width: 10)
            view.drawContent(lines: 0..<9, on: &canvas)
            return canvas.lines
        }
        let ownLines = contentLines()
        #expect(ownLines.count == 3)
        #expect(Self.lines(of: view, width: 34, height: 9).count == 3)
        #expect(contentLines() == ownLines)
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

    /// Tests lines that are wrapped several times in the drawing.
    ///
    /// - Parameters:
    ///   - visibleHeight: The height of the view's own visible part.
    ///   - height: The height of the drawing.
    ///   - caret: The position of the caret in the view's own visible part.
    @Test(arguments: [(3, 8, 0), (3, 8, 30), (3, 8, 60), (0.5, 5, 29)] as [(Double, Int, Int)])
    func `a caret in the visible part of the view is visible in a narrower drawing`(
        visibleHeight: Double, height: Int, caret: Int
    ) {
        let view = TextView()
        view.visibleSize = Size(width: 34, height: visibleHeight)
        let longLine = Array(repeating: "word", count: 6).joined(separator: " ")
        view.text =
            (Array(repeating: longLine, count: 3) + (0..<10).map { "\($0)" })
            .joined(separator: "\n")
        view.select(caret..<caret)
        func isCaretVisible() -> Bool {
            Self.lines(of: view, width: 14, height: height).contains { $0.contains("▏") }
        }
        #expect(isCaretVisible())
        // A text that the user cannot edit is not scrolled to the caret.
        view.isEditable = false
        #expect(isCaretVisible() == (caret == 0))
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

    @Test(arguments: [(0, 1), (4, 1), (5, 1), (6, 2), (9, 5)])
    func `a page of a drawing is one line shorter than its visible text`(
        height: Int, lineCount: Int
    ) throws {
        let view = Self.textView(lineCount: 10)
        view.select(0..<0)
        try view.edit(.move(.pageDown), drawnSize: (34, height))
        // Each line consists of a digit and a line break.
        #expect(view.selectedRange == 2 * lineCount..<2 * lineCount)
    }

    @Test func `after a refused edit, the caret moves between the lines of the view`() throws {
        let view = TextView()
        view.visibleSize = Size(width: 10, height: 3)
        view.text = "one two three four five six seven eight nine ten"
        view.select(0..<0)
        view.isEditable = false
        #expect(throws: OperationError.notPossible("it is not editable")) {
            try view.edit(.insertText("x"), drawnSize: (34, 9))
        }
        try view.edit(.move(.down))
        #expect(view.selectedRange == 8..<8)
    }

    @Test(arguments: [Point(x: .greatestFiniteMagnitude, y: 0), Point(x: 0, y: .infinity)])
    func `a drawing can only be scrolled to a point that is finite in the view`(point: Point) {
        let view = TextView()
        view.visibleSize = Size(width: 34, height: 3)
        view.text = "one\ntwo"
        #expect(throws: OperationError.notPossible("both coordinates must be finite numbers")) {
            try view.scroll(to: point, drawnColumns: 14)
        }
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
