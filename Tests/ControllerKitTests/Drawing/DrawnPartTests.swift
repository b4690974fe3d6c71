import FoundationEssentials
import Testing

@testable import ControllerKit

/// Tests the positions of the parts of a drawing that the user can point at.
@Suite struct DrawnPartTests {
    private final class Rows: ListViewDataSource {
        func numberOfSections(in listView: ListView) -> Int { 1 }
        func listView(_ listView: ListView, numberOfElementsInSection section: Int) -> Int { 3 }
        func listView(_ listView: ListView, elementAt indexPath: IndexPath) -> ListElement {
            ListElement(text: "row \(indexPath.row)")
        }
    }

    /// Returns the position of the part with a role, as `lines/columns`.
    private func place(_ role: DrawnPart.Role, of owner: AnyObject? = nil, on canvas: TextCanvas)
        -> String?
    {
        canvas.parts.first { part in
            part.role == role && (owner == nil || part.owner == owner.map(ObjectIdentifier.init))
        }.map { "\($0.lines)/\($0.columns)" }
    }

    @Test func `a caret's position matches its drawing in boxes, columns and scrolled content`() {
        let field = TextField()
        field.text = "日本"
        field.select(1..<1)
        var canvas = TextCanvas(width: 20)
        canvas.draw(field)
        #expect(place(.caret, on: canvas) == "1..<2/4..<5")
        #expect(place(.view, of: field, on: canvas) == "0..<3/0..<20")

        var whole = TextCanvas(width: 43)
        whole.line("above")
        var columns = whole.columns(2)
        columns[1].draw(field)
        whole.sideBySide(columns)
        #expect(place(.caret, on: whole) == "2..<3/27..<28")

        #expect(place(.caret, on: whole.part(columns: 20..<43, lines: 2..<4)) == "0..<1/7..<8")
        #expect(place(.caret, on: whole.part(columns: 20..<43, lines: -1..<4)) == "3..<4/7..<8")
        #expect(place(.caret, on: whole.part(columns: 0..<20, lines: 0..<4)) == nil)
        #expect(whole.part(columns: 20..<43, lines: 0..<1).parts.isEmpty)
    }

    @Test func `a selection covers the lines that it spans`() {
        let view = TextView()
        view.visibleSize = Size(width: 10, height: 4)
        view.text = "abcd\nefgh"
        view.select(2..<7)
        var canvas = TextCanvas(width: 20)
        canvas.draw(view)
        let selected = canvas.parts.filter { $0.role == .selection }
        #expect(selected.map(\.lines) == [1..<2, 2..<3])
        #expect(selected.map(\.columns) == [4..<7, 2..<5])
    }

    @Test func `rows, items, segments and bar buttons are located where they are drawn`() {
        let rows = Rows()
        let table = TableView()
        table.visibleSize = Size(width: 20, height: 2)
        table.dataSource = rows
        table.reloadData()
        var canvas = TextCanvas(width: 30)
        canvas.draw(table)
        #expect(place(.element(1, isSelected: false), of: table, on: canvas) == "1..<2/0..<30")
        #expect(place(.visibleRange, on: canvas) == "2..<3/0..<30")

        let segments = SegmentedControl()
        segments.segments = ["One", "Two"]
        segments.selectedSegmentIndex = 1
        canvas = TextCanvas(width: 30)
        canvas.draw(segments)
        #expect(place(.element(1, isSelected: true), of: segments, on: canvas) == "0..<1/8..<15")

        let collection = CollectionView()
        collection.dataSource = rows
        canvas = TextCanvas(width: 21)
        canvas.draw(collection)
        for (index, position) in ["0..<1/0..<10", "0..<1/11..<21", "1..<2/0..<10"].enumerated() {
            let role = DrawnPart.Role.element(index, isSelected: false)
            #expect(place(role, of: collection, on: canvas) == position)
        }

        let (below, top) = (ViewController(), ViewController())
        (below.title, top.title) = ("Below", "Top")
        let item = BarButtonItem(title: "Add")
        top.navigationItem.rightBarButtonItem = item
        let navigation = NavigationController(rootViewController: below)
        navigation.pushViewController(top)
        canvas = TextCanvas(width: 30)
        canvas.draw(navigation.view)
        #expect(place(.backButton, of: navigation, on: canvas) == "0..<1/0..<7")
        #expect(place(.view, of: item, on: canvas) == "0..<1/25..<30")
        #expect(place(.bar, on: canvas) == "0..<1/0..<30")
    }

    @Test func `buttons at the left edge of a bar are located where they are drawn, after Back`() {
        let (below, top) = (ViewController(), ViewController())
        (below.title, top.title) = ("Home", "Detail")
        let items = ["Go", "Stay"].map { BarButtonItem(title: $0) }
        top.navigationItem.leftBarButtonItems = items
        let navigation = NavigationController(rootViewController: below)
        navigation.pushViewController(top)
        var canvas = TextCanvas(width: 40)
        canvas.draw(navigation.view)
        #expect(canvas.lines.first == "‹ Home  ‹Go›  ‹Stay›   Detail           ")
        #expect(place(.backButton, of: navigation, on: canvas) == "0..<1/0..<6")
        #expect(place(.view, of: items[0], on: canvas) == "0..<1/8..<12")
        #expect(place(.view, of: items[1], on: canvas) == "0..<1/14..<20")
    }

    @Test func `buttons at the right edge of a bar are located where they are drawn`() {
        let controller = ViewController()
        controller.title = "Home"
        let items = ["Go", "Stay"].map { BarButtonItem(title: $0) }
        controller.navigationItem.rightBarButtonItems = items
        let navigation = NavigationController(rootViewController: controller)
        var canvas = TextCanvas(width: 40)
        canvas.draw(navigation.view)
        #expect(canvas.lines.first?.hasSuffix("  ‹Stay›  ‹Go›") == true)
        #expect(place(.backButton, on: canvas) == nil)
        #expect(place(.view, of: items[0], on: canvas) == "0..<1/36..<40")
        #expect(place(.view, of: items[1], on: canvas) == "0..<1/28..<34")
    }

    @Test func `the dots of a page controller are located where they are drawn`() {
        let pages = PageViewController()
        pages.setPages([ViewController(), ViewController(), ViewController()])
        pages.currentIndex = 1
        var canvas = TextCanvas(width: 21)
        canvas.draw(pages.view)
        #expect(canvas.lines == ["        ○ ● ○        "])
        for (index, position) in ["0..<1/8..<9", "0..<1/10..<11", "0..<1/12..<13"].enumerated() {
            let role = DrawnPart.Role.element(index, isSelected: index == 1)
            #expect(place(role, of: pages, on: canvas) == position)
        }
    }

    @Test func `the position of a scroll view is located in its last line`() {
        let view = ScrollView()
        view.visibleSize = Size(width: 10, height: 3)
        view.contentSize = Size(width: 10, height: 9)
        view.addSubview(Label(text: "1\n2\n3\n4\n5\n6\n7\n8\n9", numberOfLines: 0))
        var canvas = TextCanvas(width: 30)
        canvas.draw(view)
        #expect(place(.visibleRange, on: canvas) == "3..<4/0..<30")
    }

    /// A view that draws a scroll view in a box, and a label below the box.
    private final class FramingView: View {
        let scrollView = ScrollView()
        let label = Label(text: "below")

        override func draw(on canvas: inout TextCanvas) {
            var boxCanvas = canvas.boxed
            scrollView.draw(on: &boxCanvas)
            canvas.box(boxCanvas)
            canvas.draw(label)
        }
    }

    @Test func `only the part that a scroll view draws has a visible origin`() throws {
        func origin(_ view: View, on canvas: TextCanvas) throws -> Point? {
            let owner = ObjectIdentifier(view)
            return try #require(canvas.parts.first { $0.owner == owner }).visibleOrigin
        }
        let framingView = FramingView()
        var canvas = TextCanvas(width: 20, height: 9)
        canvas.draw(framingView)
        #expect(try origin(framingView.label, on: canvas) == nil)

        let (page, scrollView) = (View(), ScrollView())
        scrollView.addSubview(Label(text: "content"))
        scrollView.contentSize = Size(width: 10, height: 1)
        page.addSubview(scrollView)
        canvas = TextCanvas(width: 20, height: 9)
        canvas.draw(page)
        #expect(try origin(scrollView, on: canvas) == Point.zero)
        #expect(try origin(page, on: canvas) == nil)
    }

    @Test func `a canvas without lines has no parts`() {
        var canvas = TextCanvas(width: 5)
        canvas.addPart(.visibleRange)
        #expect(canvas.parts.isEmpty)
        canvas.line("a")
        canvas.addPart(.visibleRange)
        #expect(canvas.parts.map(\.lines) == [0..<1])
        canvas.addPart(.visibleRange, columns: 7..<9)
        #expect(canvas.parts.count == 1)
    }
}
