import ControllerKit
import FoundationEssentials
import StateRestoration
import Testing

@Suite struct ListViewTests {
    private func path(_ row: Int, _ section: Int = 0) -> IndexPath {
        IndexPath(row: row, section: section)
    }

    @Test func `a list without a data source is empty`() {
        let list = TableView()
        list.selectElement(at: path(0))
        list.scrollToElement(at: path(0))
        list.reloadData()
        #expect(list.numberOfElements == 0)
        #expect(list.indexPathsForSelectedElements.isEmpty)
        #expect(list.indexPathForFirstVisibleElement == nil)
        #expect(throws: OperationError.noSuchElement(index: 0, count: 0)) {
            try list.tapElement(at: 0)
        }
        try? list.scroll(to: Point(x: 0, y: 5))
        #expect(lines(of: list) == ["     · empty ·      "])
    }

    @Test func `a list is empty after its data source is deallocated`() {
        let list = TableView()
        var model: ListModel? = ListModel(["a", "b"])
        list.dataSource = model
        list.selectElement(at: path(1))
        model = nil
        #expect(list.indexPathsForSelectedElements.isEmpty)
        #expect(list.numberOfElements == 0)
        #expect(lines(of: list) == ["     · empty ·      "])
    }

    @Test func `selecting another element replaces the selection`() {
        let model = ListModel(["a", "b", "c"])
        let list = TableView.showing(model, several: false)
        list.selectElement(at: path(0))
        list.selectElement(at: path(2))
        #expect(model.selected(in: list) == ["c"])
        list.deselectElement(at: path(0))
        #expect(model.selected(in: list) == ["c"])
        list.deselectElement(at: path(2))
        #expect(model.selected(in: list).isEmpty)
    }

    @Test func `turning off multiple selection keeps only the first selected element`() {
        let model = ListModel(["a", "b"], ["c"])
        let list = TableView.showing(model)
        for place in [path(0, 1), path(1), path(0, 1), path(7)] { list.selectElement(at: place) }
        #expect(model.selected(in: list) == ["b", "c"])
        list.allowsMultipleSelection = false
        #expect(model.selected(in: list) == ["b"])
    }

    @Test func `changing the edit mode keeps the selection`() throws {
        let model = ListModel(["a", "b", "c"])
        let list = TableView.showing(model)
        let log = ListLog()
        list.delegate = log
        try list.select([0, 2])
        _ = log.take()
        try list.changeEditing(true)
        try list.changeEditing(true)
        #expect(list.isEditing)
        #expect(model.selected(in: list) == ["a", "c"])
        try list.changeEditing(false)
        #expect(model.selected(in: list) == ["a", "c"])
        #expect(log.take() == ["editing true", "editing false"])
        list.isEditing = true
        #expect(log.take().isEmpty)
    }

    @Test func `deleting a selected element keeps the other elements selected`() {
        let model = ListModel(["a", "b", "c", "d"])
        let list = TableView.showing(model)
        for row in [1, 3] { list.selectElement(at: path(row)) }
        model.sections[0].removeSubrange(0...1)
        list.deleteElements(at: [path(0), path(1)])
        #expect(model.selected(in: list) == ["d"])
    }

    @Test func `moved and shifted elements stay selected`() {
        let model = ListModel(["a", "b", "c"], ["d"])
        let list = TableView.showing(model)
        for place in [path(0), path(2), path(0, 1)] { list.selectElement(at: place) }
        model.sections = [["b", "c"], ["d", "a"]]
        list.moveElement(at: path(0), to: path(1, 1))
        #expect(model.selected(in: list) == ["c", "d", "a"])
        model.sections = [["x", "b", "c"], ["y", "d", "a"]]
        list.insertElements(at: [path(0), path(0, 1)])
        #expect(model.selected(in: list) == ["c", "d", "a"])
    }

    @Test
    func `a reload keeps the selection by model identifier, or by index path without identifiers`()
    {
        let named = NamedListModel(["a", "b", "c"])
        let byName = TableView.showing(named)
        let plain = ListModel(["a", "b", "c"])
        let byPlace = TableView.showing(plain)
        for list in [byName, byPlace] {
            list.selectElement(at: path(0))
            list.selectElement(at: path(2))
        }
        named.sections = [["c", "x", "a"]]
        plain.sections = named.sections
        byName.reloadData()
        byPlace.reloadData()
        #expect(named.selected(in: byName) == ["c", "a"])
        #expect(plain.selected(in: byPlace) == ["c", "a"])
        named.sections = [["x", "a"]]
        plain.sections = named.sections
        byName.reloadData()
        byPlace.reloadData()
        #expect(named.selected(in: byName) == ["a"])
        #expect(plain.selected(in: byPlace) == ["x"])
    }

    @Test func `a change above the visible rows does not move them`() {
        let model = ListModel(ListModel.numbered(0..<10))
        let list = TableView.showing(model)
        list.contentOffset.y = 4.5
        model.sections[0].insert(contentsOf: ["x", "y"], at: 0)
        list.insertElements(at: [path(0), path(1)])
        #expect(list.contentOffset.y == 6.5)
        model.sections[0].removeFirst(3)
        list.deleteElements(at: [path(0), path(1), path(2)])
        #expect(list.contentOffset.y == 3.5)
        #expect(model.first(in: list) == "e4")
        model.sections[0].remove(at: 3)
        list.deleteElements(at: [path(3)])
        #expect(model.first(in: list) == "e5")
        model.sections[0].insert(model.sections[0].remove(at: 3), at: 0)
        list.moveElement(at: path(3), to: path(0))
        #expect(model.first(in: list) == "e6")
    }

    @Test
    func `a list at its top stays at the top, and a list that gets shorter limits its offset`() {
        let model = ListModel(ListModel.numbered(0..<10))
        let list = TableView.showing(model)
        model.sections[0].insert("x", at: 0)
        list.insertElements(at: [path(0)])
        #expect(model.first(in: list) == "x")
        list.contentOffset.y = 100
        #expect(list.contentOffset.y == 8)
        model.sections[0].removeLast(6)
        list.reloadData()
        #expect(list.contentOffset.y == 2)
    }

    @Test func `a change that does not match the data source is treated as a reload`() {
        let model = NamedListModel(["a", "b", "c"])
        let list = TableView.showing(model)
        list.selectElement(at: path(2))
        model.sections = [["c", "a"]]
        list.insertElements(at: [path(0)])
        #expect(model.selected(in: list) == ["c"])
        list.deleteElements(at: [IndexPath(), IndexPath(indexes: [0, 1, 2, 3, 4]), path(-1)])
        list.moveElement(at: path(9, 9), to: IndexPath())
        #expect(model.selected(in: list) == ["c"])
    }

    @Test func `a data source that changes without notifying the list does no harm`() throws {
        let model = ListModel(ListModel.numbered(0..<20))
        let list = TableView.showing(model)
        try list.select([0, 19])
        list.contentOffset.y = 15
        model.sections = [["a", "b"]]
        #expect(list.indexPathsForSelectedElements == [path(0)])
        #expect(list.indexPathForFirstVisibleElement == path(1))
        #expect(lines(of: list)[0].hasPrefix("○ b"))
        #expect(try savedValues(of: list)["selectedIndexPaths"] == .array([.indexPath([0, 0])]))
        #expect(throws: OperationError.noSuchElement(index: 2, count: 2)) {
            try list.tapElement(at: 2)
        }
        try list.scroll(to: Point(x: 0, y: 9))
        #expect(list.contentOffset.y == 0)
        model.sections = []
        #expect(list.indexPathForFirstVisibleElement == nil)
        #expect(lines(of: list) == ["     · empty ·      "])
    }

    @Test func `drawing and inspecting a list invalidates nothing`() throws {
        let model = NamedListModel(ListModel.numbered(0..<5))
        let list = TableView.showing(model)
        let application = TestApplication(page(list))
        try application.launch()
        application.save()
        let scene = try #require(application.scene)
        model.sections = [["a"]]
        _ = lines(of: list)
        _ = list.inspectedProperties
        _ = list.indexPathsForSelectedElements
        #expect(!scene.needsPass)
        list.reloadData()
        #expect(scene.needsPass)
    }
}
