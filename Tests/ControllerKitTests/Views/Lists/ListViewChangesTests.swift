import FoundationEssentials
import StateRestoration
import Testing

@testable import ControllerKit

/// Tests how a list follows changes to its model, and what its delegate finds when it is notified.
@Suite struct ListViewChangesTests {
    private func path(_ row: Int, _ section: Int = 0) -> IndexPath {
        IndexPath(row: row, section: section)
    }

    @Test func `the user can select and scroll to elements that were added without a notification`()
        throws
    {
        for isSelected in [false, true] {
            let model = ListModel(["a"])
            let list = TableView.showing(model)
            model.sections = [ListModel.numbered(0..<20)]
            if isSelected {
                try list.select([12])
                #expect(model.selected(in: list) == ["e12"])
            } else {
                try list.scroll(to: Point(x: 0, y: 10))
                #expect(model.first(in: list) == "e10")
            }
        }
    }

    /// A delegate that records what the list contains when the delegate is notified.
    private final class ObservingDelegate: ListViewDelegate {
        let model: ListModel
        var seen: [String] = []

        init(_ model: ListModel) {
            self.model = model
        }

        func listView(_ listView: ListView, didSelectElementAt indexPath: IndexPath) {
            seen.append("selected \(model.selected(in: listView))")
        }

        func listView(_ listView: ListView, didDeselectElementAt indexPath: IndexPath) {
            seen.append("deselected \(model.selected(in: listView))")
        }

        func listView(_ listView: ListView, didChangeEditing isEditing: Bool) {
            seen.append("editing \(listView.isEditing)")
        }
    }

    @Test func `a delegate that is notified of a user's action finds the list changed`() throws {
        let model = ListModel(["a", "b", "c"])
        let list = TableView.showing(model, several: false)
        let delegate = ObservingDelegate(model)
        list.delegate = delegate
        try list.select([1])
        try list.tapElement(at: 2)
        try list.changeEditing(true)
        #expect(
            delegate.seen == [
                #"selected ["b"]"#, #"deselected ["c"]"#, #"selected ["c"]"#, "editing true",
            ])
    }

    /// A model that moves every element to its end, wherever the user moves the element.
    private final class EndMovingModel: ListModel, DataSourceModelAssociation {
        func modelIdentifierForElement(at indexPath: IndexPath, in view: View) -> String? {
            sections[indexPath.section][indexPath.row]
        }

        func indexPathForElement(
            withModelIdentifier identifier: String, in view: View
        ) -> IndexPath? {
            sections[0].firstIndex(of: identifier).map { IndexPath(row: $0, section: 0) }
        }

        override func listView(
            _ listView: ListView, moveElementAt indexPath: IndexPath, to destination: IndexPath
        ) {
            sections[0].append(sections[0].remove(at: indexPath.row))
        }
    }

    @Test func `a data source can move an element to another place than the user's`() throws {
        let model = EndMovingModel(["a", "b", "c"])
        let list = TableView.showing(model)
        try list.select([0])
        try list.moveElement(from: 0, to: 1)
        #expect(model.sections == [["b", "c", "a"]])
        #expect(model.selected(in: list) == ["a"])
    }

    @Test func `a data source that ignores a move to the end of a later section causes an error`()
        throws
    {
        let model = NamedListModel(["a"], ["b"])
        model.performsEdits = false
        let list = TableView.showing(model)
        try list.select([0])
        #expect(throws: OperationError.notPossible("its data source did not move the element 0")) {
            try list.moveElement(from: 0, to: 1)
        }
        #expect(model.selected(in: list) == ["a"])
    }

    @Test func `a list without model identifiers does not detect that a move was ignored`() throws {
        let model = ListModel(["a"], ["b"])
        model.performsEdits = false
        let list = TableView.showing(model)
        try list.moveElement(from: 0, to: 1)
        #expect(model.sections == [["a"], ["b"]])
    }

    /// A model that claims that each element is in its sixth row.
    private final class MisleadingModel: ListModel, DataSourceModelAssociation {
        func modelIdentifierForElement(at indexPath: IndexPath, in view: View) -> String? {
            sections[indexPath.section][indexPath.row]
        }

        func indexPathForElement(
            withModelIdentifier identifier: String, in view: View
        ) -> IndexPath? {
            IndexPath(row: 5, section: 0)
        }
    }

    @Test func `an element is deselected if the data source finds it in a row that does not exist`()
        throws
    {
        let model = MisleadingModel(["a", "b"])
        let list = TableView.showing(model)
        try list.select([1])
        model.sections = [["a"]]
        list.reloadData()
        model.sections = [ListModel.numbered(0..<6)]
        #expect(list.indexPathsForSelectedElements == [])
    }

    @Test func `a data source can announce a deletion and then reload a new order`() throws {
        let model = NamedListModel(["a", "b", "c", "d"])
        model.notify = { list, edit in
            if case .deleted(let indexPath) = edit { list.deleteElements(at: [indexPath]) }
            model.sections[0].reverse()
            list.reloadData()
        }
        let list = TableView.showing(model)
        try list.select([1])
        try list.deleteElement(at: 0)
        #expect(model.sections == [["d", "c", "b"]])
        #expect(model.selected(in: list) == ["b"])
    }

    @Test func `elements keep their places if a new data source provides no model identifiers`() {
        let named = NamedListModel(["a", "b", "c"])
        let list = TableView.showing(named)
        list.selectElement(at: path(1))
        withExtendedLifetime(named) {}
        let plain = ListModel(["x", "y", "z"])
        list.dataSource = plain
        #expect(plain.selected(in: list) == ["y"])
    }

    @Test func `selected elements that turn out to be the same element are selected once`() throws {
        let model = NamedListModel(["a", "b", "b", "c"])
        let list = TableView.showing(model)
        try list.select([1, 2])
        model.sections = [["b", "a", "c", "d"]]
        list.reloadData()
        #expect(list.indexPathsForSelectedElements == [path(0)])
    }

    @Test func `the inspected properties list the numbers of all selected elements`() throws {
        let model = ListModel(["a", "b"], ["c", "d"])
        let list = TableView.showing(model)
        try list.select([3, 1])
        #expect(list.inspectedProperties["selectedElements"] == .array([.integer(1), .integer(3)]))
        withExtendedLifetime(model) {}
    }

    /// A model that claims to have a negative number of sections.
    private final class NegativeModel: ListModel {
        override func numberOfSections(in listView: ListView) -> Int { -1 }
    }

    @Test func `a list whose data source has a negative number of sections is empty`() {
        let model = NegativeModel(["a"])
        let list = TableView.showing(model)
        #expect(list.numberOfElements == 0)
        #expect(list.inspectedProperties["visibleElements"] == .array([]))
    }
}
