import FoundationEssentials
import StateRestoration
import Testing

@testable import ControllerKit

/// The meaning of lists and their elements, for clients that present a scene by roles.
@Suite struct ListAccessibilityTests {
    /// A model in which only some rows can be edited or moved, and only the first row has a detail.
    private final class Rows: ListViewDataSource {
        let count: Int
        var editableRows: Set<Int> = []
        var movableRows: Set<Int> = []

        init(_ count: Int) {
            self.count = count
        }

        func listView(_ listView: ListView, numberOfElementsInSection section: Int) -> Int { count }

        func listView(_ listView: ListView, elementAt indexPath: IndexPath) -> ListElement {
            ListElement(
                text: "Row \(indexPath.row)", detail: indexPath.row == 0 ? "the first" : "")
        }

        func listView(_ listView: ListView, canEditElementAt indexPath: IndexPath) -> Bool {
            editableRows.contains(indexPath.row)
        }

        func listView(_ listView: ListView, canMoveElementAt indexPath: IndexPath) -> Bool {
            movableRows.contains(indexPath.row)
        }
    }

    /// Returns the element of a list, which contains at most ten rows.
    private func element(_ list: ListView) throws -> AccessibilityElement {
        try #require(list.accessibilityElements(maximumRows: 10).first)
    }

    @Test(
        arguments: [
            (0, []), (9, []), (10, []), (11, [.scroll]),
        ] as [(Int, [AccessibilityAction])])
    func `only a table with more rows than its element contains can be scrolled`(
        count: Int, actions: [AccessibilityAction]
    ) throws {
        let rows = Rows(count)
        let table = TableView()
        table.dataSource = rows
        let list = try element(table)
        #expect(list.actions == actions)
        #expect(list.list == AccessibilityList(count: count, firstIndex: 0, isEditing: false))
        #expect(list.children.map(\.index) == Array(0..<min(count, 10)))
        // A line of a collection has several items, so the user cannot scroll to a certain item.
        let collection = CollectionView()
        collection.dataSource = rows
        #expect(try element(collection).actions == [])
    }

    @Test func `a list can be edited if its edit mode is on or if any of its rows can be changed`()
        throws
    {
        let rows = Rows(3)
        let table = TableView()
        table.dataSource = rows
        #expect(try element(table).actions == [])
        rows.editableRows = [2]
        #expect(try element(table).actions == [.edit])
        rows.editableRows = []
        rows.movableRows = [2]
        #expect(try element(table).actions == [.edit])
        rows.movableRows = []
        table.isEditing = true
        #expect(try element(table).actions == [.edit])
    }

    @Test func `a list has the undo action only while a deletion can be undone`() throws {
        let model = ListModel(["a", "b"])
        model.undoesDeletions = true
        let table = TableView.showing(model)
        #expect(try element(table).actions == [.edit])
        try table.deleteElement(at: 0)
        #expect(try element(table).actions == [.undoDelete, .edit])
        try table.undoDeletion()
        #expect(try element(table).actions == [.edit])
    }

    @Test func `a row has its detail, and each selected row is marked`() throws {
        let rows = Rows(4)
        let table = TableView()
        table.allowsMultipleSelection = true
        table.dataSource = rows
        try table.select([1, 2])
        let list = try element(table)
        #expect(list.children.map(\.value) == ["the first", nil, nil, nil])
        #expect(list.children.map(\.isSelected) == [false, true, true, false])
    }
}
