import Foundation

/// Keeps the objects as one JSON file, which every change writes anew.
final class JSONKeeper: Keeper {
    let name = "JSONEncoder"
    let count: Int
    private let root: CodableItem
    private let file: WholeFile
    private var isDurable = true

    init(_ shape: Shape, folder: String) {
        count = shape.count
        root = shape.tree { CodableItem($0, children: $2) }
        file = WholeFile(path: folder + "/items.json")
    }

    func begin() throws { isDurable = true }

    func saveAll() throws {
        try file.replace(with: try JSONEncoder().encode(root), isDurable: isDurable)
    }

    func expectChanges(durably: Bool) throws { isDurable = durably }

    func saveChange() throws {
        root.change()
        try saveAll()
    }

    func end() throws {}

    func restore() throws -> CodableItem {
        try JSONDecoder().decode(CodableItem.self, from: try file.read())
    }

    func countEqual(_ restored: CodableItem) -> Int { restored.objectCount }
}
