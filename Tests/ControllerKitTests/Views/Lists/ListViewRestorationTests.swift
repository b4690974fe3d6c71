import ControllerKit
import FoundationEssentials
import StateRestoration
import Testing

@Suite struct ListViewRestorationTests {
    private func path(_ row: Int, _ section: Int = 0) -> IndexPath {
        IndexPath(row: row, section: section)
    }

    /// A table that encodes forged state.
    final class ForgedTable: TableView {
        var forge: ((StateEncoder) -> Void)?

        override func encodeRestorableState(with coder: StateEncoder) throws {
            if let forge { forge(coder) } else { try super.encodeRestorableState(with: coder) }
        }
    }

    private func forged(_ forge: @escaping (StateEncoder) -> Void) -> ForgedTable {
        let table = ForgedTable()
        table.forge = forge
        return table
    }

    @Test func `V2: selection, first visible row and edit mode are preserved`() throws {
        for kind in [TableView.self, CollectionView.self] as [ListView.Type] {
            let model = ListModel(ListModel.numbered(0..<9), ListModel.numbered(9..<20))
            let list = kind.showing(model)
            try list.select([0, 12, 19])
            try list.scroll(to: Point(x: 0, y: 5))
            list.isEditing = true
            let found = kind.showing(model)
            try restore(list, into: found)
            #expect(model.selected(in: found) == ["e0", "e12", "e19"])
            #expect(model.first(in: found) == model.first(in: list))
            #expect(found.contentOffset == list.contentOffset)
            #expect(found.isEditing)
        }
    }

    @Test func `V2: an empty selection and an inactive edit mode are preserved`() throws {
        let model = NamedListModel(["a", "b"])
        let list = TableView.showing(model)
        let found = TableView.showing(model)
        found.selectElement(at: path(1))
        found.isEditing = true
        try restore(list, into: found)
        #expect(model.selected(in: found).isEmpty)
        #expect(!found.isEditing)
    }

    @Test func `V3: rows are found by model identifier after any reordering`() throws {
        let elements = ListModel.numbered(0..<8)
        for shift in 0..<8 {
            let model = NamedListModel(elements)
            let list = TableView.showing(model)
            try list.select([1, 6])
            try list.scroll(to: Point(x: 0, y: 2.25))
            let order = elements[shift...] + elements[..<shift]
            let other = NamedListModel(
                ["new"] + order.reversed(), elements.map { $0 + "x" })
            let found = TableView.showing(other)
            try restore(list, into: found)
            #expect(Set(other.selected(in: found)) == ["e1", "e6"])
            #expect(other.first(in: found) == "e2")
            #expect(found.contentOffset.y.truncatingRemainder(dividingBy: 1) == 0.25)
        }
    }

    @Test func `V3: a row that no longer exists is skipped`() throws {
        let model = NamedListModel(["a", "b", "c", "d", "e", "f"])
        let list = TableView.showing(model)
        try list.select([1, 4])
        try list.scroll(to: Point(x: 0, y: 1))
        let other = NamedListModel(["e", "c", "d", "f"])
        let found = TableView.showing(other)
        try restore(list, into: found)
        #expect(other.selected(in: found) == ["e"])
        // Only the scroll offset can be restored.
        #expect(found.contentOffset.y == 1)
    }

    @Test func `V3: without model identifiers, rows are saved by index path and marked positional`()
        throws
    {
        let model = ListModel(["a", "b", "c", "d", "e"])
        let list = TableView.showing(model)
        try list.select([1])
        try list.scroll(to: Point(x: 0, y: 2))
        let other = ListModel(["e", "d", "c", "b", "a"])
        let found = TableView.showing(other)
        try restore(list, into: found)
        #expect(other.selected(in: found) == ["d"])
        #expect(other.first(in: found) == "c")
        let values = try savedValues(of: list)
        #expect(values["positional"] == .bool(true))
        #expect(values["selectedIndexPaths"] == .array([.indexPath([0, 1])]))
        #expect(values["firstVisibleIndexPath"] == .indexPath([0, 2]))
        #expect(values["selectedModelIdentifiers"] == nil)
    }

    @Test func `V3: with model identifiers, no row is saved by index path`() throws {
        let model = NamedListModel(["a", "b", "c", "d", "e"])
        let list = TableView.showing(model)
        try list.select([1, 3])
        try list.scroll(to: Point(x: 0, y: 2))
        let values = try savedValues(of: list)
        #expect(values["selectedModelIdentifiers"] == .array([.string("b"), .string("d")]))
        #expect(values["firstVisibleModelIdentifier"] == .string("c"))
        for key in ["positional", "selectedIndexPaths", "firstVisibleIndexPath"] {
            #expect(values[key] == nil)
        }
    }

    @Test func `V3: a row without a model identifier is not saved`() throws {
        final class PartiallyIdentifiedModel: ListModel, DataSourceModelAssociation {
            func modelIdentifierForElement(at indexPath: IndexPath, in view: View) -> String? {
                indexPath.row == 0 ? nil : "\(indexPath.row)"
            }
            func indexPathForElement(
                withModelIdentifier identifier: String, in view: View
            ) -> IndexPath? {
                Int(identifier).map { IndexPath(row: $0, section: 0) }
            }
        }
        let model = PartiallyIdentifiedModel(["a", "b"])
        let list = TableView.showing(model)
        try list.select([0, 1])
        let found = TableView.showing(model)
        try restore(list, into: found)
        #expect(model.selected(in: found) == ["b"])
        #expect(try savedValues(of: list)["firstVisibleModelIdentifier"] == nil)
    }

    @Test(arguments: [
        [], [0], [0, 0, 0, 0, 0], [-1, 0], [0, -1], [0, 3], [9, 0], [Int.max, Int.max],
        [Int.min, Int.min],
    ])
    func `V3: invalid saved index paths are ignored`(indexes: [Int]) throws {
        let forged = forged { coder in
            let place = IndexPath(indexes: indexes)
            coder.encode(
                [place, IndexPath(row: 1, section: 0), place], forKey: "selectedIndexPaths")
            coder.encode(place, forKey: "firstVisibleIndexPath")
            coder.encode(Point(x: -1e300, y: 1e300), forKey: "contentOffset")
        }
        let model = ListModel(["a", "b", "c"])
        let found = ForgedTable.showing(model, several: false)
        try restore(forged, into: found)
        #expect(model.selected(in: found) == ["b"])
        #expect(found.contentOffset == .zero)
    }

    @Test func `V3: invalid index paths from the model are ignored`() throws {
        final class InvalidPathModel: ListModel, DataSourceModelAssociation {
            func modelIdentifierForElement(at indexPath: IndexPath, in view: View) -> String? {
                "\(indexPath.row)"
            }
            func indexPathForElement(
                withModelIdentifier identifier: String, in view: View
            ) -> IndexPath? {
                switch identifier {
                case "empty": IndexPath()
                case "long": IndexPath(indexes: [0, 0, 0, 0, 0])
                case "far": IndexPath(row: Int.max, section: Int.max)
                case "negative": IndexPath(row: -1, section: 0)
                default: IndexPath(row: 1, section: 0)
                }
            }
        }
        let names = ["empty", "long", "far", "negative", "x", "y", "x", "x"]
        let forged = forged { coder in
            coder.encode(names, forKey: "selectedModelIdentifiers")
            coder.encode("far", forKey: "firstVisibleModelIdentifier")
        }
        let model = InvalidPathModel(["a", "b", "c"])
        let found = ForgedTable.showing(model)
        try restore(forged, into: found)
        #expect(model.selected(in: found) == ["b"])
        for name in names.prefix(4) {
            #expect(throws: OperationError.noSuchModelIdentifier(name)) {
                try found.select(modelIdentifiers: [name])
            }
        }
        found.reloadData()
        #expect(model.selected(in: found) == ["b"])
    }

    @Test func `V3: a model identifier shared by two rows restores one of them`() throws {
        let model = NamedListModel(["a", "b", "b", "c"])
        let list = TableView.showing(model)
        try list.select([1, 2])
        let found = TableView.showing(model)
        try restore(list, into: found)
        #expect(found.indexPathsForSelectedElements == [path(1)])
        try found.select([1, 2])
        found.reloadData()
        #expect(found.indexPathsForSelectedElements == [path(1), path(2)])
        try found.moveElement(from: 1, to: 2)
        #expect(found.indexPathsForSelectedElements == [path(1), path(2)])
    }

    @Test func `V2: a single-selection list restores only the first selected row`() throws {
        let model = NamedListModel(["a", "b", "c"])
        let list = TableView.showing(model)
        try list.select([2, 1])
        let found = TableView.showing(model, several: false)
        try restore(list, into: found)
        #expect(model.selected(in: found) == ["b"])
    }

    @Test func `V2: a saved value of the wrong type is reported, and the selection is kept`() throws
    {
        for key in [0, 1, 2] {
            let forged = forged { coder in
                switch key {
                case 0: coder.encode("yes", forKey: "isEditing")
                case 1: coder.encode([1, 2], forKey: "selectedModelIdentifiers")
                default: coder.encode(7, forKey: "selectedIndexPaths")
                }
            }
            let model = ListModel(["a", "b"])
            let found = ForgedTable.showing(model)
            found.selectElement(at: path(1))
            try restore(forged, into: found, count: 1)
            #expect(model.selected(in: found) == ["b"])
        }
    }

    @Test func `V2: state without list values leaves the list unchanged`() throws {
        let model = ListModel(ListModel.numbered(0..<9))
        let found = ForgedTable.showing(model)
        found.selectElement(at: path(1))
        found.contentOffset.y = 4
        found.isEditing = true
        try restore(forged { _ in }, into: found)
        #expect(model.selected(in: found) == ["e1"])
        #expect(found.contentOffset.y == 4)
        #expect(found.isEditing)
    }

    /// A controller that loads its model at a configurable time.
    final class DeferredModelController: ViewController {
        enum LoadTime: CaseIterable { case decoding, finishing, later }

        let model: ListModel
        let list = TableView()
        var time: LoadTime?
        var selectedWhenFinished: [String] = []

        required init() {
            model = NamedListModel([])
        }

        override func viewDidLoad() {
            super.viewDidLoad()
            list.restorationIdentifier = "list"
            list.allowsMultipleSelection = true
            list.visibleSize.height = 3
            list.dataSource = model
            view.addSubview(list)
        }

        func load() {
            model.sections = [ListModel.numbered(0..<10).reversed()]
            list.reloadData()
        }

        override func decodeRestorableState(with coder: StateDecoder) throws {
            try super.decodeRestorableState(with: coder)
            if time == .decoding { load() }
        }

        override func applicationFinishedRestoringState() {
            super.applicationFinishedRestoringState()
            if time == .finishing { load() }
            selectedWhenFinished = model.selected(in: list)
        }
    }

    @Test(arguments: DeferredModelController.LoadTime.allCases)
    func `V3: saved rows are found no matter when the model is loaded`(
        time: DeferredModelController.LoadTime
    ) throws {
        let controller = DeferredModelController.named("page")
        let first = TestApplication(controller)
        try first.launch()
        controller.load()
        try controller.list.select(modelIdentifiers: ["e2", "e7"])
        try controller.list.scroll(to: Point(x: 0, y: 3))
        first.save()

        let found = DeferredModelController.named("page")
        found.time = time
        let second = TestApplication(found)
        try second.launch(restoring: first)
        if time == .later {
            // A pass preserves references to elements that do not exist yet.
            let values = try savedValues(of: found.list, in: second)
            #expect(values["selectedModelIdentifiers"] == .array([.string("e7"), .string("e2")]))
            #expect(values["firstVisibleModelIdentifier"] == .string("e6"))
            found.load()
        } else {
            #expect(found.selectedWhenFinished == ["e7", "e2"])
        }
        #expect(found.model.selected(in: found.list) == ["e7", "e2"])
        #expect(found.model.first(in: found.list) == "e6")
        // From now on, the list follows the user's actions.
        try found.list.select([])
        try found.list.scroll(to: .zero)
        found.list.reloadData()
        #expect(found.model.selected(in: found.list).isEmpty)
        #expect(found.model.first(in: found.list) == "e9")
    }

    @Test
    func `V3: without a saved selection, the first visible row is still found in a later model`()
        throws
    {
        let model = NamedListModel([])
        let found = ForgedTable.showing(model)
        try restore(
            forged { $0.encode("e6", forKey: "firstVisibleModelIdentifier") }, into: found)
        model.sections = [ListModel.numbered(0..<10)]
        found.reloadData()
        #expect(model.first(in: found) == "e6")
    }

    @Test func `V2: multiple selection can be enabled or disabled after the state is decoded`()
        throws
    {
        final class SelectionModeController: ViewController {
            let model = NamedListModel(["a", "b", "c"])
            let list = TableView()
            var allowsMultiple: Bool?
            override func viewDidLoad() {
                list.restorationIdentifier = "list"
                list.dataSource = model
                list.visibleSize.height = 1
                view.addSubview(list)
            }
            override func applicationFinishedRestoringState() {
                guard let allowsMultiple else { return }
                list.allowsMultipleSelection = allowsMultiple
                // A list with a larger visible part cannot be scrolled as far as before.
                list.visibleSize.height = 2
            }
        }
        let controller = SelectionModeController.named("page")
        let first = TestApplication(controller)
        try first.launch()
        controller.list.allowsMultipleSelection = true
        try controller.list.select([1, 2])
        try controller.list.scroll(to: Point(x: 0, y: 2))
        first.save()
        for allowsMultiple in [false, true] {
            let found = SelectionModeController.named("page")
            found.allowsMultiple = allowsMultiple
            try TestApplication(found).launch(restoring: first)
            #expect(found.model.selected(in: found.list) == (allowsMultiple ? ["b", "c"] : ["b"]))
        }
    }

    @Test func `V2: a selection made in code during restoration replaces the saved selection`()
        throws
    {
        final class PreselectingController: ViewController {
            let model = ListModel(["a", "b"])
            let list = TableView()
            var preselects = false
            override func viewDidLoad() {
                list.restorationIdentifier = "list"
                list.dataSource = model
                view.addSubview(list)
            }
            override func applicationFinishedRestoringState() {
                if preselects { list.selectElement(at: IndexPath(row: 0, section: 0)) }
            }
        }
        let controller = PreselectingController.named("page")
        let first = TestApplication(controller)
        try first.launch()
        try controller.list.select([1])
        first.save()
        for preselects in [false, true] {
            let found = PreselectingController.named("page")
            found.preselects = preselects
            try TestApplication(found).launch(restoring: first)
            #expect(found.model.selected(in: found.list) == [preselects ? "a" : "b"])
        }
    }

    @Test func `V2: each change is saved in the next pass`() throws {
        let model = NamedListModel(ListModel.numbered(0..<9))
        let list = TableView.showing(model)
        let application = TestApplication(page(list))
        try application.launch()
        application.save()
        let scene = try #require(application.scene)
        let changes: [() throws -> Void] = [
            { try list.select([1]) }, { try list.scroll(to: Point(x: 0, y: 2)) },
            { try list.changeEditing(true) }, { try list.tapElement(at: 4) },
            { try list.deleteElement(at: 1) },
            { list.deselectElement(at: IndexPath(row: 3, section: 0)) },
        ]
        for change in changes {
            #expect(!scene.needsPass)
            try change()
            #expect(scene.needsPass)
            application.save()
        }
    }

    @Test func `V3: after the launch, rows restored by index path follow later changes`() throws {
        let model = ListModel(["a", "b", "c"])
        let list = TableView.showing(model)
        try list.select([1])
        let found = TableView.showing(model)
        try restore(list, into: found)
        try found.deleteElement(at: 0)
        #expect(model.selected(in: found) == ["b"])
    }

    @Test
    func
        `V2: scrolling after the launch takes effect even if the program scrolled during the launch`()
        throws
    {
        let model = NamedListModel(ListModel.numbered(0..<9))
        let list: TableView = try relaunched(
            {
                $0.visibleSize.height = 3
                $0.dataSource = model
            },
            change: { try $0.scroll(to: Point(x: 0, y: 1)) },
            finished: { $0.contentOffset.y = 4 })
        try list.scroll(to: Point(x: 0, y: 2))
        model.sections[0].insert("new", at: 0)
        list.reloadData()
        #expect(model.first(in: list) == "e2")
    }

    @Test func `V2: deselecting an element that is not selected leaves nothing to save`() throws {
        let model = ListModel(["a", "b"])
        let list = TableView.showing(model)
        let application = TestApplication(page(list))
        try application.launch()
        try list.select([0])
        application.save()
        list.deselectElement(at: path(1))
        #expect(application.scene?.needsPass == false)
        #expect(model.selected(in: list) == ["a"])
    }
}
