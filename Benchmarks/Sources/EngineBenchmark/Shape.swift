import Foundation

/// How the objects of a benchmark lie in each other.
struct Shape {
    let name: String
    /// How many objects lie below each one, the root's first.
    let widths: [Int]

    /// A root, 100 objects in it, 10 in each of these, and 100 in each of those.
    static let nested = Shape(name: "root with 100 x 10 x 100", widths: [100, 10, 100])
    /// A root and 100,000 objects in it.
    static let flat = Shape(name: "root with 100,000", widths: [100_000])

    /// A root, 10 objects in it, and 100 in each of these.
    static let thousand = Shape(name: "root with 10 x 100", widths: [10, 100])
    /// The same with 1,000 times as many.
    static let million = Shape(name: "root with 100 x 100 x 100", widths: [100, 100, 100])

    /// The same with a tenth of the objects in the innermost ones.
    var tenth: Shape {
        Shape(name: name, widths: widths.dropLast() + [(widths.last ?? 0) / 10])
    }

    /// How many objects there are.
    var count: Int {
        widths.reduce((all: 1, last: 1)) { ($0.all + $0.last * $1, $0.last * $1) }.all
    }

    /// Makes the objects of this shape.
    ///
    /// - Parameter make: makes one of its values, its place among its siblings and what lies in it.
    func tree<Node>(_ make: (ItemValues, Int, [Node]) -> Node) -> Node {
        var number = 0
        return node(place: 0, depth: 0, &number, make)
    }

    private func node<Node>(
        place: Int, depth: Int, _ number: inout Int, _ make: (ItemValues, Int, [Node]) -> Node
    ) -> Node {
        let values = ItemValues(number: number)
        number += 1
        var children: [Node] = []
        if depth < widths.count {
            children.reserveCapacity(widths[depth])
            for place in 0..<widths[depth] {
                children.append(node(place: place, depth: depth + 1, &number, make))
            }
        }
        return make(values, place, children)
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

    /// What an object has that was not restored.
    static let none = ItemValues(number: -1)
}
