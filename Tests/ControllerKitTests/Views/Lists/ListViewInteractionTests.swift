import FoundationEssentials
import StateRestoration
import Testing

@testable import ControllerKit

@Suite struct ListViewInteractionTests {
    private let log = ListLog()

    private func list(_ model: ListModel, several: Bool = true) -> TableView {
        let list = TableView.showing(model, several: several)
        list.delegate = log
        return list
    }

    @Test func `choosing elements replaces the selection and opens nothing`() throws {
        let model = ListModel(["a", "b"], ["c", "d"])
        let list = list(model)
        try list.select([3, 1, 1])
        #expect(model.selected(in: list) == ["b", "d"])
        #expect(log.take() == ["+0.1", "+1.1"])
        try list.select([0, 1])
        #expect(model.selected(in: list) == ["a", "b"])
        #expect(log.take() == ["-1.1", "+0.0"])
        try list.select([])
        #expect(model.selected(in: list).isEmpty)
        #expect(log.take() == ["-0.0", "-0.1"])
    }

    @Test func `an invalid choice changes nothing`() throws {
        let model = ListModel(["a", "b"])
        let list = list(model, several: false)
        try list.select([1, 1])
        _ = log.take()
        #expect(throws: OperationError.tooManyElements(given: 2, maximum: 1)) {
            try list.select([0, 1])
        }
        for index in [2, -1, .max, .min] {
            #expect(throws: OperationError.noSuchElement(index: index, count: 2)) {
                try list.select([index])
            }
        }
        #expect(throws: OperationError.self) { try list.select(modelIdentifiers: ["a"]) }
        #expect(model.selected(in: list) == ["b"])
        #expect(log.take().isEmpty)
    }

    @Test func `choosing by model identifier selects no more elements than the list allows`() throws
    {
        let model = NamedListModel(["a", "b"])
        let list = list(model, several: false)
        try list.select(modelIdentifiers: ["b", "b"])
        #expect(model.selected(in: list) == ["b"])
        #expect(throws: OperationError.tooManyElements(given: 2, maximum: 1)) {
            try list.select(modelIdentifiers: ["a", "b"])
        }
        #expect(throws: OperationError.noSuchModelIdentifier("c")) {
            try list.select(modelIdentifiers: ["c"])
        }
        #expect(model.selected(in: list) == ["b"])
    }

    @Test func `elements are chosen by model identifier, and unknown identifiers are rejected`()
        throws
    {
        let model = NamedListModel(["a", "b"], ["c"])
        let list = list(model)
        try list.select(modelIdentifiers: ["c", "a"])
        #expect(model.selected(in: list) == ["a", "c"])
        #expect(throws: OperationError.noSuchModelIdentifier("x")) {
            try list.select(modelIdentifiers: ["b", "x"])
        }
        #expect(model.selected(in: list) == ["a", "c"])
    }

    @Test(arguments: [false, true])
    func `a tap selects one element and opens it`(several: Bool) throws {
        let model = ListModel(["a", "b", "c"])
        let list = list(model, several: several)
        try list.select(several ? [0, 1] : [0])
        _ = log.take()
        try list.tapElement(at: 2)
        #expect(model.selected(in: list) == ["c"])
        #expect(log.take() == (several ? ["-0.0", "-0.1"] : ["-0.0"]) + ["+0.2", "open 0.2"])
        try list.tapElement(at: 2)
        #expect(model.selected(in: list) == ["c"])
        #expect(log.take() == ["+0.2", "open 0.2"])
    }

    @Test func `a tap in edit mode changes the selection and opens nothing`() throws {
        let model = ListModel(["a", "b", "c"])
        let list = list(model)
        list.isEditing = true
        try list.tapElement(at: 0)
        try list.tapElement(at: 2)
        try list.tapElement(at: 0)
        #expect(model.selected(in: list) == ["c"])
        #expect(log.take() == ["+0.0", "+0.2", "-0.0"])
        list.allowsMultipleSelection = false
        try list.tapElement(at: 1)
        #expect(model.selected(in: list) == ["b"])
        try list.tapElement(at: 1)
        #expect(model.selected(in: list).isEmpty)
        #expect(log.take() == ["-0.2", "+0.1", "-0.1"])
    }

    @Test func `an element can be moved to every position`() throws {
        let sections = [["a", "b"], [], ["c", "d", "e"]]
        for index in 0..<5 {
            for destination in 0..<5 {
                let model = ListModel()
                model.sections = sections
                let list = list(model)
                let moved = sections.flatMap(\.self)[index]
                try list.select([index])
                try list.moveElement(from: index, to: destination)
                var after = sections.flatMap(\.self)
                after.insert(after.remove(at: index), at: destination)
                #expect(model.sections.flatMap(\.self) == after)
                #expect(model.selected(in: list) == [moved])
            }
        }
    }

    @Test func `moving or deleting a fixed or missing element is rejected`() throws {
        let model = ListModel(["a", "b"])
        model.allowsEditing = false
        let list = list(model)
        #expect(throws: OperationError.notPossible("the element 0 cannot be moved")) {
            try list.moveElement(from: 0, to: 1)
        }
        #expect(throws: OperationError.notPossible("the element 0 cannot be deleted")) {
            try list.deleteElement(at: 0)
        }
        model.allowsEditing = true
        #expect(throws: OperationError.noSuchElement(index: 2, count: 2)) {
            try list.moveElement(from: 0, to: 2)
        }
        #expect(throws: OperationError.noSuchElement(index: -1, count: 2)) {
            try list.deleteElement(at: -1)
        }
        #expect(model.sections == [["a", "b"]])
    }

    @Test func `a data source that ignores a move or deletion causes an error`() throws {
        let model = NamedListModel(["a", "b"])
        model.performsEdits = false
        let list = list(model)
        try list.select([0])
        #expect(throws: OperationError.notPossible("its data source did not move the element 0")) {
            try list.moveElement(from: 0, to: 1)
        }
        #expect(throws: OperationError.notPossible("its data source did not delete the element 0"))
        {
            try list.deleteElement(at: 0)
        }
        #expect(model.selected(in: list) == ["a"])
    }

    /// The notifications that a data source can send during a change.
    enum ListNotification: CaseIterable {
        case nothing, change, reload, both

        func notify(_ list: ListView, _ change: ListModel.Edit) {
            if self == .change || self == .both {
                switch change {
                case .deleted(let place): list.deleteElements(at: [place])
                case .moved(let from, let to): list.moveElement(at: from, to: to)
                }
            }
            if self == .reload || self == .both { list.reloadData() }
        }
    }

    @Test(arguments: ListNotification.allCases, [false, true])
    func `selection and offset follow their rows regardless of the data source's notifications`(
        notification: ListNotification, isNamed: Bool
    ) throws {
        let elements = ListModel.numbered(0..<10)
        let model = isNamed ? NamedListModel(elements) : ListModel(elements)
        model.notify = notification.notify
        let list = list(model)
        try list.select([1, 3, 8])
        try list.scroll(to: Point(x: 0, y: 5))
        try list.deleteElement(at: 3)
        #expect(model.selected(in: list) == ["e1", "e8"])
        #expect(model.first(in: list) == "e5")
        try list.deleteElement(at: 0)
        try list.moveElement(from: 0, to: 7)
        #expect(model.sections == [["e2", "e4", "e5", "e6", "e7", "e8", "e9", "e1"]])
        #expect(model.selected(in: list) == ["e8", "e1"])
        #expect(model.first(in: list) == "e5")
    }

    @Test func `elements that stay selected are not looked up again`() throws {
        final class LookupCountingModel: ListModel, DataSourceModelAssociation {
            var lookupCount = 0

            func modelIdentifierForElement(at indexPath: IndexPath, in view: View) -> String? {
                lookupCount += 1
                return sections[indexPath.section][indexPath.row]
            }

            func indexPathForElement(
                withModelIdentifier identifier: String, in view: View
            ) -> IndexPath? {
                lookupCount += 1
                return sections[0].firstIndex(of: identifier).map { IndexPath(row: $0, section: 0) }
            }
        }
        let model = LookupCountingModel(ListModel.numbered(0..<200))
        let list = list(model)
        list.isEditing = true
        try list.select(Array(0..<150))
        model.lookupCount = 0
        try list.tapElement(at: 160)
        try list.tapElement(at: 3)
        #expect(model.lookupCount < 10)
        try list.deleteElement(at: 0)
        try list.moveElement(from: 5, to: 170)
        #expect(model.lookupCount < 20)
        #expect(model.selected(in: list).count == 149)
        #expect(try savedValues(of: list)["selectedModelIdentifiers"] != nil)
    }

    @Test func `setting a storyboard property does not query the data source`() throws {
        final class QueryCountingModel: ListModel {
            var queryCount = 0

            override func numberOfSections(in listView: ListView) -> Int {
                queryCount += 1
                return super.numberOfSections(in: listView)
            }
        }
        let model = QueryCountingModel(["a", "b"])
        let list = list(model)
        model.queryCount = 0
        try list.setProperty("allowsMultipleSelection", to: .bool(true))
        #expect(model.queryCount == 0)
        #expect(list.inspectedProperties["numberOfElements"] == .integer(2))
        #expect(model.queryCount > 0)
    }

    @Test func `a list adapts to a data source that deletes more than requested`() throws {
        let model = NamedListModel(["a", "b", "c", "d"])
        model.notify = { _, _ in model.sections[0].removeLast() }
        let list = list(model)
        try list.select([1, 3])
        try list.deleteElement(at: 0)
        #expect(model.selected(in: list) == ["b"])
        #expect(list.numberOfElements == 2)
    }

    @Test func `a list cannot be scrolled to a point that is not finite`() throws {
        let model = ListModel(["a", "b"])
        let list = list(model)
        #expect(throws: OperationError.self) { try list.scroll(to: Point(x: 0, y: .nan)) }
        #expect(list.contentOffset == .zero)
    }

    @Test func `deletions are undone one after another, the newest first`() throws {
        let model = ListModel(ListModel.numbered(0..<5))
        let list = TableView.showing(model)
        let noUndo = OperationError.notPossible("no deletion can be undone")
        // A model that cannot undo deletions offers no undo.
        try list.deleteElement(at: 4)
        #expect(!list.canUndoDeletion)
        #expect(throws: noUndo) { try list.undoDeletion() }
        model.undoesDeletions = true
        try list.select([3])
        try list.deleteElement(at: 1)
        try list.deleteElement(at: 0)
        #expect(model.sections == [["e2", "e3"]])
        #expect(list.canUndoDeletion)
        try list.undoDeletion()
        #expect(model.sections == [["e0", "e2", "e3"]])
        try list.undoDeletion()
        #expect(model.sections == [["e0", "e1", "e2", "e3"]])
        #expect(list.numberOfElements == 4)
        #expect(!list.canUndoDeletion)
        #expect(throws: noUndo) { try list.undoDeletion() }
    }

    @Test func `undoing a deletion fails if the data source does not restore the row`() throws {
        let model = ListModel(ListModel.numbered(0..<3))
        model.undoesDeletions = true
        let list = TableView.showing(model)
        try list.deleteElement(at: 1)
        model.performsEdits = false
        #expect(
            throws: OperationError.notPossible("its data source did not restore the element")
        ) { try list.undoDeletion() }
        #expect(list.numberOfElements == 2)
    }

    @Test func `a refused deletion and another data source leave nothing to undo`() throws {
        let model = ListModel(ListModel.numbered(0..<300))
        model.undoesDeletions = true
        let list = TableView.showing(model)
        model.performsEdits = false
        #expect(throws: OperationError.self) { try list.deleteElement(at: 0) }
        #expect(!list.canUndoDeletion)
        model.performsEdits = true
        for _ in 0..<ListView.maximumDeletionUndos + 5 { try list.deleteElement(at: 0) }
        #expect(list.deletionUndos.count == ListView.maximumDeletionUndos)
        list.dataSource = model
        #expect(list.canUndoDeletion)
        list.dataSource = nil
        #expect(!list.canUndoDeletion)
    }
}
