/// Keys that have been written for one object.
///
/// Most objects of a class write the same keys in the same order. The previous object's keys are therefore retained: if
/// the next object writes the same keys, no lookups are needed.
struct WrittenKeys {
    private struct Key {
        /// Address of the key literal, or 0 if the key has no address.
        let address: UInt
        let keyNumber: UInt32
    }

    /// Keys written for the current object, followed by leftover keys of the previous object or a removed key.
    private var keys: [Key] = []
    /// Number of keys that have been written for the current object.
    private(set) var writtenKeyCount = 0
    /// Numbers of the written keys, used only if there are too many keys to search linearly.
    private var numberSet: Set<UInt32> = []
    /// Maximum number of written keys that are searched linearly.
    private static let maximumLinearSearchCount = 16

    /// Prepares for the keys of the next object.
    mutating func beginObject() {
        writtenKeyCount = 0
        if !numberSet.isEmpty { numberSet.removeAll(keepingCapacity: true) }
    }

    /// Records a key as written if the previous object wrote the same keys up to and including this one.
    ///
    /// - Returns: The number of the key, or `nil` if the caller must insert the key.
    mutating func matchNext(_ key: StaticString) -> UInt32? {
        guard writtenKeyCount < keys.count, key.hasPointerRepresentation else { return nil }
        let nextKey = keys[writtenKeyCount]
        guard nextKey.address == UInt(bitPattern: key.utf8Start) else { return nil }
        writtenKeyCount += 1
        return nextKey.keyNumber
    }

    /// Records a key as written.
    ///
    /// - Returns: `false` if the key has already been written.
    mutating func insert(_ number: UInt32, _ key: StaticString) -> Bool {
        keys.removeSubrange(writtenKeyCount...)
        if writtenKeyCount < Self.maximumLinearSearchCount {
            for other in keys where other.keyNumber == number { return false }
        } else {
            if numberSet.count != writtenKeyCount { numberSet = Set(keys.lazy.map(\.keyNumber)) }
            guard numberSet.insert(number).inserted else { return false }
        }
        let address = key.hasPointerRepresentation ? UInt(bitPattern: key.utf8Start) : 0
        keys.append(Key(address: address, keyNumber: number))
        writtenKeyCount += 1
        return true
    }

    /// Removes the key that was written last.
    mutating func removeLast() {
        writtenKeyCount -= 1
        numberSet.remove(keys[writtenKeyCount].keyNumber)
    }
}
