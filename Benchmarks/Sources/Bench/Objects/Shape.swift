import Foundation
import StateRestoration

/// The shape of the object tree in a benchmark.
struct Shape: Sendable, Hashable {
    /// Number of children per object at each level, starting with the root.
    let widths: [Int]

    static let thousand = Shape(widths: [10, 100])
    static let tenThousand = Shape(widths: [100, 100])
    static let hundredThousand = Shape(widths: [100, 10, 100])
    static let million = Shape(widths: [100, 100, 100])

    /// Number of objects in the tree.
    var count: Int {
        widths.reduce((all: 1, last: 1)) { ($0.all + $0.last * $1, $0.last * $1) }.all
    }

    /// Creates the objects of this shape in depth-first order.
    ///
    /// - Parameter make: A closure that creates an object from its number and its index among its
    ///   siblings.
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

/// An object in a tree with values to save.
protocol TreeItem: AnyObject {
    var values: ItemValues { get set }
    var children: [Self] { get }

    func adopt(_ children: [Self])
}

extension TreeItem {
    /// The last object at the deepest level.
    var innermost: Self { children.last?.innermost ?? self }

    /// Returns the number of objects in this subtree whose values match their number in the tree.
    func countCorrect(from number: inout Int) -> Int {
        var count = values == ItemValues(number: number) ? 1 : 0
        number += 1
        for child in children { count += child.countCorrect(from: &number) }
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

    /// Creates values that are different for each object.
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

    /// The values of an object that was not restored.
    static let none = ItemValues(number: -1)
}
