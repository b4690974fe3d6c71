/// The keys that one object wrote, by number.
struct WrittenKeys {
    private var list: [UInt32] = []
    /// The same keys, from the 17th on: most objects have a few, and those are faster in a list.
    private var set: Set<UInt32> = []
    private static let longestSearch = 16

    var count: Int { list.count }

    /// Forgets all, and keeps the memory.
    mutating func removeAll() {
        list.removeAll(keepingCapacity: true)
        if !set.isEmpty { set.removeAll(keepingCapacity: true) }
    }

    /// - Returns: false if the key is there already.
    mutating func insert(_ key: UInt32) -> Bool {
        if list.count < Self.longestSearch {
            for other in list where other == key { return false }
        } else {
            if set.isEmpty { set = Set(list) }
            guard set.insert(key).inserted else { return false }
        }
        list.append(key)
        return true
    }

    /// Forgets the key inserted last.
    mutating func removeLast() {
        set.remove(list.removeLast())
    }
}
