import Foundation
import StateRestoration

/// An object that Reprise saves.
final class LiveItem: StateRestoring, TreeItem {
    let restoration = RestorationNode()
    var values: ItemValues
    private(set) var children: [LiveItem] = []
    private weak var parent: LiveItem?

    /// View controllers cost the most, because the delegate is called for each view controller.
    var restorationKind: RestorationKind { .viewController }
    var restorationParent: (any StateRestoring)? { parent }

    init(_ values: ItemValues, identifier: RestorationIdentifier) {
        self.values = values
        restoration.identifier = identifier
    }

    func adopt(_ children: [LiveItem]) {
        self.children = children
        for child in children { child.parent = self }
        restoration.invalidateStructure()
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

    /// Changes a value of this object and of each of its descendants.
    func changeAll() {
        change()
        for child in children { child.changeAll() }
    }
}

/// An object that is saved in an SQLite database.
final class RowItem: TreeItem {
    var values: ItemValues
    var children: [RowItem] = []

    init(_ values: ItemValues) { self.values = values }

    func adopt(_ children: [RowItem]) { self.children = children }
}

/// An object that JSONEncoder and PropertyListEncoder save, with values that they write directly.
final class CodableItem: Codable, TreeItem {
    private var count: Int
    private var position: Double
    private var title: String
    private var isOpen: Bool
    private var id: UUID
    /// The children, or `nil` to omit the key if the object has no children.
    private var items: [CodableItem]?

    init(_ values: ItemValues) {
        count = values.count
        position = values.position
        title = values.title
        isOpen = values.isOpen
        id = values.id
    }

    var children: [CodableItem] { items ?? [] }

    var values: ItemValues {
        get { ItemValues(count: count, position: position, title: title, isOpen: isOpen, id: id) }
        set {
            (count, position, title) = (newValue.count, newValue.position, newValue.title)
            (isOpen, id) = (newValue.isOpen, newValue.id)
        }
    }

    func adopt(_ children: [CodableItem]) { items = children }
}

/// An object that NSKeyedArchiver saves.
final class KeyedItem: NSObject, NSSecureCoding, TreeItem {
    static var supportsSecureCoding: Bool { true }

    var values: ItemValues
    private(set) var children: [KeyedItem] = []

    init(_ values: ItemValues) { self.values = values }

    func adopt(_ children: [KeyedItem]) { self.children = children }

    func encode(with coder: NSCoder) {
        coder.encode(values.count, forKey: "count")
        coder.encode(values.position, forKey: "position")
        coder.encode(NSString(string: values.title), forKey: "title")
        coder.encode(values.isOpen, forKey: "isOpen")
        withUnsafeBytes(of: values.id.uuid) {
            coder.encode(
                NSUUID(uuidBytes: $0.assumingMemoryBound(to: UInt8.self).baseAddress!), forKey: "id"
            )
        }
        coder.encode(children.count, forKey: "children")
        // An array would take much longer, because NSKeyedArchiver compares all arrays of equal
        // length.
        for (place, child) in children.enumerated() {
            coder.encode(child, forKey: "child\(place)")
        }
    }

    init?(coder: NSCoder) {
        var values = ItemValues.none
        values.count = coder.decodeInteger(forKey: "count")
        values.position = coder.decodeDouble(forKey: "position")
        values.title = coder.decodeObject(of: NSString.self, forKey: "title").map(String.init) ?? ""
        values.isOpen = coder.decodeBool(forKey: "isOpen")
        let id = coder.decodeObject(of: NSUUID.self, forKey: "id")
        if let id { values.id = UUID(uuidString: id.uuidString) ?? values.id }
        self.values = values
        children = (0..<coder.decodeInteger(forKey: "children")).compactMap {
            coder.decodeObject(of: KeyedItem.self, forKey: "child\($0)")
        }
    }
}
