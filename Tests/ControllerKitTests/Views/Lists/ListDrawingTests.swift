import ControllerKit
import FoundationEssentials
import Testing

@Suite struct ListDrawingTests {
    /// A data source with details, in which only some elements can be edited.
    private final class Detailed: ListViewDataSource {
        let elements: [ListElement]

        init(_ elements: [ListElement]) {
            self.elements = elements
        }

        func listView(_ listView: ListView, numberOfElementsInSection section: Int) -> Int {
            elements.count
        }

        func listView(_ listView: ListView, elementAt indexPath: IndexPath) -> ListElement {
            elements[indexPath.row]
        }

        func listView(_ listView: ListView, canEditElementAt indexPath: IndexPath) -> Bool {
            indexPath.row == 0
        }

        func listView(_ listView: ListView, canMoveElementAt indexPath: IndexPath) -> Bool {
            indexPath.row == 1
        }
    }

    @Test func `rows show their text, detail and selection`() throws {
        let model = Detailed([
            ListElement(text: "Milk", detail: "2"), ListElement(text: "日本"),
            ListElement(text: "a\nb"),
        ])
        let table = TableView()
        table.dataSource = model
        try table.select([1])
        #expect(
            lines(of: table, width: 16) == [
                "  Milk         2", "› 日本          ", "  a␤b           ",
            ])
        table.allowsMultipleSelection = true
        #expect(
            lines(of: table, width: 16) == [
                "○ Milk         2", "● 日本          ", "○ a␤b           ",
            ])
        try table.select([1, 2])
        #expect(
            lines(of: table, width: 16) == [
                "○ Milk         2", "● 日本          ", "● a␤b           ",
            ])
    }

    @Test func `the edit mode shows which rows can be deleted and moved`() throws {
        let model = Detailed([ListElement(text: "Milk", detail: "2"), ListElement(text: "Bread")])
        let table = TableView()
        table.dataSource = model
        table.isEditing = true
        try table.select([0])
        #expect(lines(of: table, width: 16) == ["⊖ ● Milk     2  ", "  ○ Bread      ≡"])
    }

    @Test func `long rows are truncated, and their text stays visible`() {
        let long = String(repeating: "x", count: 50)
        let model = Detailed([
            ListElement(text: long, detail: "2"), ListElement(text: "Milk", detail: long),
        ])
        let table = TableView()
        table.dataSource = model
        #expect(lines(of: table, width: 16) == ["  xxxxxxxxxxx… 2", "  Milk  xxxxxxx…"])
    }

    @Test func `the position shows which rows are visible`() throws {
        let model = ListModel(ListModel.numbered(0..<6), ListModel.numbered(6..<10))
        let table = TableView.showing(model, several: false)
        #expect(
            lines(of: table) == [
                "  e0                ", "  e1                ", "  e2                ",
                "   · 1–3 of 10 ·    ",
            ])
        try table.scroll(to: Point(x: 3, y: 5.5))
        #expect(lines(of: table).map { $0.trimmed } == ["e5", "e6", "e7", "· 6–8 of 10 ·"])
        table.visibleSize.height = 0
        #expect(lines(of: table).map { $0.trimmed } == ["e5", "· 6 of 10 ·"])
        table.visibleSize.height = 10
        #expect(lines(of: table).count == 10)
    }

    @Test func `items flow through lines and sections`() throws {
        let model = ListModel(["a", "b"], ["c", "d", "e"])
        let collection = CollectionView.showing(model)
        try collection.select([2])
        #expect(
            lines(of: collection) == [
                "○ a        ○ b      ", "● c        ○ d      ", "○ e                 ",
            ])
        collection.columns = 3
        collection.visibleSize.height = 1
        try collection.scroll(to: Point(x: 0, y: 1))
        #expect(lines(of: collection).map { $0.trimmed } == ["○ d    ○ e", "· 4–5 of 5 ·"])
    }

    @Test func `subviews of a list are drawn below it`() {
        let model = ListModel(["a"])
        let table = TableView.showing(model)
        table.addSubview(Button(title: "More"))
        table.addSubview(Button(title: "Less"))
        #expect(lines(of: table).map { $0.trimmed } == ["○ a", "‹More›", "‹Less›"])
    }
}

extension String {
    /// The text without leading and trailing spaces.
    fileprivate var trimmed: String {
        let start = drop { $0 == " " }
        return String(start.prefix(start.count - start.reversed().prefix { $0 == " " }.count))
    }
}
