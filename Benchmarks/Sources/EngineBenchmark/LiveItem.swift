import FoundationEssentials
import StateRestoration

/// An object as the engine saves it.
final class LiveItem: StateRestoring {
    let restoration = RestorationNode()
    var values: ItemValues
    private(set) var children: [LiveItem] = []
    private weak var parent: LiveItem?

    /// A view controller: the kind that costs most, because the delegate is asked for each.
    var restorationKind: RestorationKind { .viewController }
    var restorationParent: (any StateRestoring)? { parent }

    init(_ values: ItemValues, place: Int, children: [LiveItem]) {
        self.values = values
        self.children = children
        restoration.identifier = RestorationIdentifier(recorded: "item\(place)")
        for child in children { child.parent = self }
    }

    func forEachRestorationChild(_ body: (any StateRestoring) -> Void) {
        for child in children { body(child) }
    }

    func encodeRestorableState(with coder: StateEncoder) {
        coder.encode(values.count, forKey: "count")
        coder.encode(values.position, forKey: "position")
        coder.encode(values.title, forKey: "title")
        coder.encode(values.isOpen, forKey: "isOpen")
        coder.encode(values.id, forKey: "id")
    }

    func decodeRestorableState(with coder: StateDecoder) throws {
        values.count = try coder.decode(forKey: "count") ?? 0
        values.position = try coder.decode(forKey: "position") ?? 0
        values.title = try coder.decode(forKey: "title") ?? ""
        values.isOpen = try coder.decode(forKey: "isOpen") ?? false
        values.id = try coder.decode(forKey: "id") ?? values.id
    }

    /// Changes a value.
    func change() {
        values.count += 1
        invalidateRestorableState()
    }

    /// Changes a value of this object and of all that lie in it.
    func changeAll() {
        change()
        for child in children { child.changeAll() }
    }

    /// The last object of those that lie deepest.
    var innermost: LiveItem { children.last?.innermost ?? self }

    /// Moves the last child to another object.
    func moveLastChild(to other: LiveItem, as identifier: RestorationIdentifier) {
        let child = children.removeLast()
        child.restoration.identifier = identifier
        child.parent = other
        other.children.append(child)
        restoration.invalidateStructure()
        other.restoration.invalidateStructure()
    }

    /// Counts this object and what lies in it, as far as they have the values that they should.
    func countEqual(to other: LiveItem) -> Int {
        zip(children, other.children).reduce(values == other.values ? 1 : 0) {
            $0 + $1.0.countEqual(to: $1.1)
        }
    }
}
