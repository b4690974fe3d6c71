import StateRestoration
import Testing

/// An object below a shelf.
private final class Item: StateRestoring {
    let restoration = RestorationNode()
    let restorationKind: RestorationKind
    weak var shelf: Shelf?
    private(set) var value: Int?

    init(
        _ identifier: RestorationIdentifier, _ kind: RestorationKind = .object, value: Int? = nil
    ) {
        restorationKind = kind
        self.value = value
        restoration.identifier = identifier
    }

    var restorationParent: (any StateRestoring)? { shelf }

    func encodeRestorableState(with coder: StateEncoder) { coder.encode(value, forKey: "value") }

    func decodeRestorableState(with coder: StateDecoder) throws {
        value = try coder.decode(Int.self, forKey: "value")
    }
}

/// A registered object that finds or creates its items during a launch.
private final class Shelf: StateRestoring {
    let restoration = RestorationNode()
    private(set) var items: [Item] = []
    private(set) var requestedIdentifiers: [String] = []
    var find: ((RestorationIdentifier) -> Item?)?

    init(_ items: [Item] = []) {
        for item in items { add(item) }
    }

    func add(_ item: Item) {
        item.shelf = self
        items.append(item)
        restoration.invalidateStructure()
    }

    func forEachRestorationChild(_ body: (any StateRestoring) -> Void) {
        for item in items { body(item) }
    }

    func restorationChild(
        _ identifier: RestorationIdentifier
    ) throws -> (any StateRestoring)? {
        requestedIdentifiers.append(identifier.text)
        return find?(identifier)
    }
}

/// Objects that their parent finds or creates during a launch (R7).
@Suite struct ParentLookupTests {
    /// Launches a scene in which a shelf is registered.
    private func launched(
        _ shelf: Shelf, _ archive: MemoryArchive = MemoryArchive()
    ) throws -> TestScene {
        try TestScene.launched(TestObject("nav"), archive: archive) {
            $0.launching = {
                try $0.registerObject(forStateRestoration: shelf, restorationIdentifier: "shelf")
            }
        }
    }

    /// Returns an archive that contains a shelf with items.
    private func archive(of items: [Item]) throws -> MemoryArchive {
        let shelf = Shelf(items)
        let test = try launched(shelf)
        test.save()
        withExtendedLifetime(shelf) {}
        return test.archive
    }

    @Test func `R7: an object below a registered object can be created by its parent`() throws {
        let archive = try archive(of: [Item("a", value: 1), Item("b", value: 2)])
        #expect(archive.paths == ["nav", "shelf", "shelf/a", "shelf/b"])
        let shelf = Shelf()
        shelf.find = { [unowned shelf] identifier in
            let item = Item(identifier)
            shelf.add(item)
            return item
        }
        let test = try launched(shelf, archive)
        #expect(test.unrestored == [])
        #expect(shelf.requestedIdentifiers == ["a", "b"])
        #expect(shelf.items.map(\.value) == [1, 2])
        #expect(test.save()?.isEmpty == true)
    }

    @Test func `R7: an object that its parent returns for two records is restored once`() throws {
        let archive = try archive(of: [Item("a", value: 1), Item("b", value: 2)])
        let item = Item("a")
        let shelf = Shelf([item])
        shelf.find = { [unowned item] _ in item }
        let test = try launched(shelf, archive)
        #expect(test.unrestored == ["shelf/b: no-object"])
        #expect(item.value == 1)
    }

    @Test func `R7: a launch does not request a view controller from its parent`() throws {
        let archive = try archive(of: [Item("page", .viewController, value: 3)])
        let item = Item("page", .viewController)
        let shelf = Shelf([item])
        let test = try launched(shelf, archive)
        #expect(test.unrestored == [])
        #expect(shelf.requestedIdentifiers == [])
        #expect(item.value == 3)
    }
}
