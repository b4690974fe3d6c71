/// The keys that one object wrote, by number.
///
/// Objects of one class mostly write the same keys in the same order. So those of the object before
/// are kept, and as long as an object writes the same ones they need not be looked up.
struct WrittenKeys {
    private struct Key {
        /// Where the key stands in the program; 0: it is not kept for the next object.
        let address: UInt
        let number: UInt32
    }

    /// The keys that were written, and behind them the others of the object before.
    private var keys: [Key] = []
    private(set) var count = 0
    /// The same numbers, if more were written than are searched.
    private var set: Set<UInt32> = []
    private static let longestSearch = 16

    /// Another object begins.
    mutating func begin() {
        count = 0
        if !set.isEmpty { set.removeAll(keepingCapacity: true) }
    }

    /// Writes a key if the object before wrote the same ones so far, and this one next.
    ///
    /// - Returns: its number; nil if it is to be inserted.
    mutating func repeatNext(_ key: StaticString) -> UInt32? {
        guard count < keys.count, key.hasPointerRepresentation else { return nil }
        let next = keys[count]
        guard next.address == UInt(bitPattern: key.utf8Start) else { return nil }
        count += 1
        return next.number
    }

    /// - Returns: false if the key was written already.
    mutating func insert(_ number: UInt32, _ key: StaticString) -> Bool {
        keys.removeSubrange(count...)
        if count < Self.longestSearch {
            for other in keys where other.number == number { return false }
        } else {
            if set.count != count { set = Set(keys.lazy.map(\.number)) }
            guard set.insert(number).inserted else { return false }
        }
        let address = key.hasPointerRepresentation ? UInt(bitPattern: key.utf8Start) : 0
        keys.append(Key(address: address, number: number))
        count += 1
        return true
    }

    /// Takes back the key written last.
    mutating func removeLast() {
        count -= 1
        keys.removeSubrange((count + 1)...)
        set.remove(keys.removeLast().number)
    }
}
