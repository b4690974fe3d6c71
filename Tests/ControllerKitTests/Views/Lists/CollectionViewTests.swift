import ControllerKit
import FoundationEssentials
import StateRestoration
import Testing

@Suite struct CollectionViewTests {
    @Test func `V2: the first visible item is restored with a different number of columns`() throws
    {
        let model = NamedListModel(ListModel.numbered(0..<20))
        let collection = CollectionView.showing(model)
        collection.columns = 3
        #expect(collection.contentSize.height == 7)
        try collection.scroll(to: Point(x: 0, y: 2))
        #expect(model.first(in: collection) == "e6")
        let other = NamedListModel(["x", "y"] + ListModel.numbered(0..<20))
        let found = CollectionView.showing(other)
        found.columns = 4
        try restore(collection, into: found)
        // The item is now at index 8, where the third line of four items begins.
        #expect(other.first(in: found) == "e6")
        #expect(found.contentOffset.y == 2)
    }

    @Test func `changing the number of columns keeps the first visible item`() throws {
        let model = ListModel(ListModel.numbered(0..<40))
        let collection = CollectionView.showing(model)
        collection.columns = 4
        try collection.scroll(to: Point(x: 0, y: 3))
        collection.columns = 2
        #expect(model.first(in: collection) == "e12")
        #expect(collection.contentSize.height == 20)
        try collection.scroll(to: Point(x: 0, y: 8))
        model.sections[0].insert(contentsOf: ["new", "newer"], at: 0)
        collection.insertElements(at: [
            IndexPath(item: 0, section: 0), IndexPath(item: 1, section: 0),
        ])
        #expect(model.first(in: collection) == "e16")
        collection.columns = 0
        #expect(collection.columns == 1)
        collection.columns = .max
        #expect(collection.columns == CollectionView.maximumColumns)
        #expect(collection.contentOffset.y == 0)
    }

    @Test func `items are chosen, moved and deleted like rows`() throws {
        let model = ListModel(["a", "b", "c", "d"])
        let collection = CollectionView.showing(model)
        try collection.select([0, 3])
        try collection.moveElement(from: 3, to: 0)
        try collection.deleteElement(at: 1)
        #expect(model.sections == [["d", "b", "c"]])
        #expect(model.selected(in: collection) == ["d"])
    }

    @Test func `storyboard properties are set, and invalid properties are rejected`() throws {
        let collection = CollectionView()
        try collection.setProperty("columns", to: .integer(3))
        try collection.setProperty("allowsMultipleSelection", to: .bool(true))
        try collection.setProperty("isEditing", to: .bool(true))
        try collection.setProperty("visibleSize", to: .numbers([20, 4]))
        let properties = collection.inspectedProperties
        #expect(properties["columns"] == .integer(3))
        #expect(properties["allowsMultipleSelection"] == .bool(true))
        #expect(properties["isEditing"] == .bool(true))
        #expect(properties["numberOfElements"] == .integer(0))
        #expect(collection.visibleSize == Size(width: 20, height: 4))
        for value in [0, 101, -1] {
            #expect(throws: PropertyError.self) {
                try collection.setProperty("columns", to: .integer(value))
            }
        }
        do throws(PropertyError) {
            try collection.setProperty("rows", to: .integer(1))
            Issue.record("no such property")
        } catch {
            guard case .unknownProperty(let known) = error else {
                Issue.record(error)
                return
            }
            #expect(known.prefix(3) == ["columns", "allowsMultipleSelection", "isEditing"])
        }
    }

    @Test(arguments: [(0, 0..<6), (1, 3..<8), (2, 3..<8)])
    func `the inspected properties list only the items of visible lines`(
        line: Double, numbers: Range<Int>
    ) throws {
        let model = NamedListModel(ListModel.numbered(0..<8))
        let collection = CollectionView.showing(model)
        collection.columns = 3
        collection.visibleSize = Size(width: 20, height: 2)
        try collection.scroll(to: Point(x: 0, y: line))
        #expect(
            collection.inspectedProperties["visibleElements"]
                == .array(
                    numbers.map {
                        .dictionary([
                            "index": .integer(Int64($0)), "text": .string("e\($0)"),
                            "modelIdentifier": .string("e\($0)"),
                        ])
                    }))
    }
}
