import FoundationEssentials
import StateRestoration
import Testing

@testable import ControllerKit

/// Tests lists whose model changes while or after the list is restored.
@Suite struct ListViewSearchTests {
    /// A table that performs an action before it finishes its restoration.
    private final class ActingTable: TableView {
        var action: (ActingTable) -> Void = { _ in }

        override func applicationFinishedRestoringState() {
            action(self)
            super.applicationFinishedRestoringState()
        }
    }

    /// Returns a table that was restored with saved model identifiers.
    ///
    /// - Parameters:
    ///   - model: The model that the table shows.
    ///   - identifiers: The model identifiers of the saved selection.
    ///   - offset: The saved scroll offset.
    ///   - action: A closure that runs before the table finishes its restoration.
    private func restored(
        _ model: ListModel, selecting identifiers: [String], at offset: Double = 0,
        beforeFinishing action: @escaping (ActingTable) -> Void = { _ in }
    ) throws -> ActingTable {
        let table = ActingTable.showing(model)
        table.action = action
        try restore(table) { coder in
            coder.encode(identifiers, forKey: "selectedModelIdentifiers")
            coder.encode(Point(x: 0, y: offset), forKey: "contentOffset")
        }
        return table
    }

    @Test(arguments: [false, true])
    func `V3: a saved row that appears after a list with rows was restored is not selected`(
        isLoadedLate: Bool
    ) throws {
        let rows = ["a", "b"]
        let model = NamedListModel(isLoadedLate ? [] : rows)
        let list = try restored(model, selecting: ["b", "late"]) { _ in model.sections = [rows] }
        #expect(model.selected(in: list) == ["b"])
        model.sections = [["late", "a", "b"]]
        list.reloadData()
        #expect(model.selected(in: list) == ["b"])
    }

    @Test(arguments: [false, true])
    func `V3: an empty list finds its saved rows once the model announces them`(
        isReloaded: Bool
    ) throws {
        let model = NamedListModel([])
        let list = try restored(model, selecting: ["b"])
        list.reloadData()
        #expect(list.indexPathsForSelectedElements == [])
        model.sections = [["a", "b"]]
        if isReloaded {
            list.reloadData()
        } else {
            list.insertElements(at: (0..<2).map { IndexPath(row: $0, section: 0) })
        }
        #expect(model.selected(in: list) == ["b"])
    }

    @Test func `V3: a list that waited for its rows does not select rows that are added later`()
        throws
    {
        let model = NamedListModel([])
        let list = try restored(model, selecting: ["b", "late"])
        model.sections = [["a", "b"]]
        list.reloadData()
        model.sections = [["late", "a", "b"]]
        list.reloadData()
        #expect(model.selected(in: list) == ["b"])
    }

    /// A delegate that reloads a list when its selection changes.
    private final class ReloadingDelegate: ListViewDelegate {
        func listViewDidChangeSelection(_ listView: ListView) { listView.reloadData() }
    }

    @Test func `V3: a list stops waiting for its rows when it is restored again`()
        throws
    {
        let model = NamedListModel([])
        let list = try restored(model, selecting: [])
        let delegate = ReloadingDelegate()
        list.delegate = delegate
        model.sections = [["a", "b"]]
        list.action = { _ in model.sections[0].append("late") }
        try restore(list) { $0.encode(["b", "late"], forKey: "selectedModelIdentifiers") }
        #expect(model.selected(in: list) == ["b", "late"])
        withExtendedLifetime(delegate) {}
    }

    @Test func `V2: a selection made in code during restoration survives a reload`() throws {
        let model = NamedListModel(["a", "b"])
        let delegate = ReloadingDelegate()
        let list = try restored(model, selecting: ["b"]) { list in
            list.delegate = delegate
            list.selectElement(at: IndexPath(row: 0, section: 0))
        }
        #expect(model.selected(in: list) == ["a", "b"])
    }

    @Test
    func `V3: a list that is reloaded during its restoration finds rows that are added later`()
        throws
    {
        let model = NamedListModel(["a", "b"])
        let list = try restored(model, selecting: ["b", "late"]) { list in
            list.reloadData()
            model.sections[0].append("late")
        }
        #expect(model.selected(in: list) == ["b", "late"])
    }

    @Test func `V3: a list that becomes empty during its restoration finds its rows later`() throws
    {
        let rows = ListModel.numbered(0..<10)
        let model = NamedListModel(rows)
        let list = try restored(model, selecting: ["e8"], at: 7) { _ in model.sections = [[]] }
        #expect(list.numberOfElements == 0)
        model.sections = [rows]
        list.reloadData()
        #expect(model.selected(in: list) == ["e8"])
        #expect(model.first(in: list) == "e7")
    }

    @Test func `V3: an empty list does not wait for rows that were saved by index path`() throws {
        let model = ListModel([])
        let list = TableView.showing(model)
        try restore(list) {
            $0.encode([IndexPath(row: 1, section: 0)], forKey: "selectedIndexPaths")
        }
        model.sections = [["a", "b"]]
        list.reloadData()
        #expect(list.indexPathsForSelectedElements == [])
    }

    @Test func `V2: an offset set in code during restoration replaces the saved offset`() throws {
        let model = NamedListModel(ListModel.numbered(0..<9))
        let list: TableView = try relaunched(
            {
                $0.visibleSize.height = 3
                $0.dataSource = model
            },
            change: { try $0.scroll(to: Point(x: 0, y: 1)) },
            finished: { $0.contentOffset.y = 4 })
        #expect(model.first(in: list) == "e4")
    }
}
