import FoundationEssentials

/// The same object for JSONEncoder.
final class CodableItem: Codable {
    private var count: Int
    private let position: Double
    private let title: String
    private let isOpen: Bool
    private let id: UUID
    /// Nil if there are none, so that nothing is written of them.
    private let children: [CodableItem]?

    init(_ values: ItemValues, children: [CodableItem]) {
        count = values.count
        position = values.position
        title = values.title
        isOpen = values.isOpen
        id = values.id
        self.children = children.isEmpty ? nil : children
    }

    /// Changes a value.
    func change() { count += 1 }

    /// How many objects there are, this one included.
    var objectCount: Int { children?.reduce(1) { $0 + $1.objectCount } ?? 1 }
}
