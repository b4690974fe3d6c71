import Foundation

/// The same object for NSKeyedArchiver.
final class KeyedItem: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }

    var values: ItemValues
    let children: [KeyedItem]

    init(_ values: ItemValues, children: [KeyedItem]) {
        self.values = values
        self.children = children
    }

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
        // In arrays they would take much longer: it compares all arrays of one length.
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

    /// How many objects there are, this one included.
    var count: Int { children.reduce(1) { $0 + $1.count } }
}
