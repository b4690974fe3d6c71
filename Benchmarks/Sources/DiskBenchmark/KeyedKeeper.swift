import Foundation

/// Keeps the objects as one archive of NSKeyedArchiver, which every change writes anew.
final class KeyedKeeper: Keeper {
    let name = "NSKeyedArchiver"
    let count: Int
    private let root: KeyedItem
    private let file: WholeFile
    private var isDurable = true

    init(_ shape: Shape, folder: String) {
        count = shape.count
        root = shape.tree { KeyedItem($0, children: $2) }
        file = WholeFile(path: folder + "/items.plist")
    }

    func begin() throws { isDurable = true }

    func saveAll() throws {
        let data = try NSKeyedArchiver.archivedData(
            withRootObject: root, requiringSecureCoding: true)
        try file.replace(with: data, isDurable: isDurable)
    }

    func expectChanges(durably: Bool) throws { isDurable = durably }

    func saveChange() throws {
        root.values.count += 1
        try saveAll()
    }

    func end() throws {}

    func restore() throws -> KeyedItem? {
        try NSKeyedUnarchiver.unarchivedObject(ofClass: KeyedItem.self, from: try file.read())
    }

    func countEqual(_ restored: KeyedItem?) -> Int { restored?.count ?? 0 }
}
