import Foundation
import StateRestoration

/// How the objects of a benchmark lie in each other.
struct Shape: Sendable, Hashable {
    /// How many objects lie below each one, the root's first.
    let widths: [Int]

    static let thousand = Shape(widths: [10, 100])
    static let tenThousand = Shape(widths: [100, 100])
    static let hundredThousand = Shape(widths: [100, 10, 100])
    static let million = Shape(widths: [100, 100, 100])

    /// How many objects there are.
    var count: Int {
        widths.reduce((all: 1, last: 1)) { ($0.all + $0.last * $1, $0.last * $1) }.all
    }

    /// Makes the objects of this shape, each after those before it and before those in it.
    ///
    /// - Parameter make: makes one of its number and its place among its siblings.
    func tree<Node: TreeItem>(_ make: (Int, Int) -> Node) -> Node {
        var number = 0
        return node(place: 0, depth: 0, &number, make)
    }

    private func node<Node: TreeItem>(
        place: Int, depth: Int, _ number: inout Int, _ make: (Int, Int) -> Node
    ) -> Node {
        let node = make(number, place)
        number += 1
        guard depth < widths.count else { return node }
        node.adopt(
            (0..<widths[depth]).map { self.node(place: $0, depth: depth + 1, &number, make) })
        return node
    }
}

/// An object that lies in a tree and has the values.
protocol TreeItem: AnyObject {
    var values: ItemValues { get set }
    var children: [Self] { get }

    func adopt(_ children: [Self])
}

extension TreeItem {
    /// The last object of those that lie deepest.
    var innermost: Self { children.last?.innermost ?? self }

    /// Counts the objects that have the values which their place in the tree gives them, beginning
    /// with a number.
    func countRight(from number: inout Int) -> Int {
        var count = values == ItemValues(number: number) ? 1 : 0
        number += 1
        for child in children { count += child.countRight(from: &number) }
        return count
    }
}

/// The five values that every object saves.
struct ItemValues: Equatable {
    var count: Int
    var position: Double
    var title: String
    var isOpen: Bool
    var id: UUID

    /// Values that tell one object from another.
    init(number: Int) {
        count = number
        position = Double(number) / 3
        title = "The title of item \(number)"
        isOpen = number.isMultiple(of: 2)
        id = withUnsafeBytes(of: (UInt64(bitPattern: Int64(number)), UInt64.max)) {
            UUID(uuid: $0.load(as: uuid_t.self))
        }
    }

    init(count: Int, position: Double, title: String, isOpen: Bool, id: UUID) {
        self.count = count
        self.position = position
        self.title = title
        self.isOpen = isOpen
        self.id = id
    }

    /// What an object has that was not restored.
    static let none = ItemValues(number: -1)
}
