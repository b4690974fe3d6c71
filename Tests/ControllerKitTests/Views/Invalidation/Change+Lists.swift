import ControllerKit
import FoundationEssentials
import StateRestoration

extension Change {
    /// Changes to the selection and the visible part of a list.
    static let lists = tables + leavingTables + collections + restoredLists

    private static func path(_ row: Int) -> IndexPath { IndexPath(row: row, section: 0) }

    /// A table that holds a strong reference to its model.
    private final class ModelTable: TableView {
        var model = NamedListModel(ListModel.numbered(0..<9))

        func show() throws {
            allowsMultipleSelection = true
            visibleSize.height = 3
            dataSource = model
            try select([1, 4])
            try scroll(to: Point(x: 0, y: 3))
        }
    }

    private static func table(
        _ name: String, _ change: @escaping @Sendable (ModelTable) throws -> Void
    ) -> Change {
        view(
            name,
            shown: {
                "\($0.indexPathsForSelectedElements) \($0.isEditing) \($0.contentOffset)"
            }, { try $0.show() }, change: change)
    }

    private static let tables: [Change] = [
        table("choose(_:)") { try $0.select([2]) },
        table("choose(modelIdentifiers:)") { try $0.select(modelIdentifiers: ["e7"]) },
        table("tapElement(at:)") { try $0.tapElement(at: 5) },
        table("selectElement(at:)") { $0.selectElement(at: path(2)) },
        table("deselectElement(at:)") { $0.deselectElement(at: path(4)) },
        table("allowsMultipleSelection") { $0.allowsMultipleSelection = false },
        table("isEditing") { $0.isEditing = true },
        table("changeEditing(_:)") { try $0.changeEditing(true) },
        table("scroll(to:)") { try $0.scroll(to: Point(x: 0, y: 5)) },
        table("scrollToElement(at:)") { $0.scrollToElement(at: path(1)) },
        table("visibleSize") { $0.visibleSize.height = 8 },
        table("moveElement(from:to:)") { try $0.moveElement(from: 1, to: 8) },
        table("deleteElement(at:)") { try $0.deleteElement(at: 4) },
        table("reloadData()") {
            $0.model.sections[0].reverse()
            $0.reloadData()
        },
        table("insertElements(at:)") {
            $0.model.sections[0].insert("new", at: 0)
            $0.insertElements(at: [path(0)])
        },
        table("deleteElements(at:)") {
            $0.model.sections[0].remove(at: 1)
            $0.deleteElements(at: [path(1)])
        },
        table("moveElement(at:to:)") {
            $0.model.sections[0].swapAt(3, 4)
            $0.moveElement(at: path(3), to: path(4))
        },
        table("dataSource") {
            $0.model = NamedListModel(["other"])
            $0.dataSource = $0.model
        },
        // From now on, elements are saved by their model identifiers, even if no element is
        // selected or visible.
        view("dataSource of an empty list", shown: { (_: ModelTable) in "" }) {
            $0.model.sections = []
            $0.dataSource = $0.model
        },
    ]

    /// A table that leaves its superview when its selection changes.
    private final class LeavingTable: TableView, ListViewDelegate {
        let model = ListModel(ListModel.numbered(0..<9))

        func listViewDidChangeSelection(_ listView: ListView) { removeFromSuperview() }
    }

    private static let leavingTables: [Change] = [
        view(
            "choose(_:) that removes the table",
            shown: { (view: LeavingTable) in "\(view.indexPathsForSelectedElements)" }
        ) {
            $0.dataSource = $0.model
            $0.delegate = $0
        } change: {
            try $0.select([2])
        }
    ]

    /// A collection view that holds a strong reference to its model.
    private final class ModelCollection: CollectionView {
        let model = ListModel(ListModel.numbered(0..<40))
    }

    private static let collections: [Change] = [
        view("columns", shown: { (view: ModelCollection) in "\(view.contentOffset)" }) {
            $0.visibleSize.height = 3
            $0.dataSource = $0.model
            try $0.scroll(to: Point(x: 0, y: 4))
        } change: {
            $0.columns = 5
        }
    ]

    /// Creates a change to a restored list that has no elements yet.
    private static func restoredList(
        _ name: String, _ change: @escaping @Sendable (ModelTable) throws -> Void
    ) -> Change {
        Change("restored ModelTable.\(name)") { () -> (TestApplication, () throws -> Void) in
            let table = ModelTable()
            try table.show()
            let found = ModelTable()
            found.model.sections = []
            found.dataSource = found.model
            found.allowsMultipleSelection = true
            let application = TestApplication(page(found))
            try application.launch(restoring: saved(page(table)))
            return (application, { try change(found) })
        }
    }

    private static let restoredLists: [Change] = [
        restoredList("choose(_:)") { try $0.select([]) },
        restoredList("deselectElement(at:)") { $0.deselectElement(at: path(0)) },
        restoredList("reloadData()") {
            $0.model.sections = [["e1", "x"]]
            $0.reloadData()
        },
        restoredList("reloadData() of others") {
            $0.model.sections = [["x"]]
            $0.reloadData()
        },
    ]
}
