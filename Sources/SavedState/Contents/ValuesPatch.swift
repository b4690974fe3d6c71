/// Replaces one part of an object's values.
package struct ValuesPatch: Sendable, Equatable {
    /// The object's number.
    package var object: UInt32
    /// Where the part begins, in bytes from the start of the values.
    package var offset: UInt32
    /// How many bytes it takes away.
    package var removed: UInt32
    /// What stands there instead.
    package var bytes: ArraySlice<UInt8>
}

extension ValuesPatch {
    /// What makes one object's values of others: all between their common beginning and their
    /// common end; nil if they are equal.
    init?(of object: UInt32, from old: ArraySlice<UInt8>, to new: ArraySlice<UInt8>) {
        let shorter = min(old.count, new.count)
        var prefix = 0
        while prefix < shorter, old[old.startIndex + prefix] == new[new.startIndex + prefix] {
            prefix += 1
        }
        if prefix == old.count, prefix == new.count { return nil }
        var suffix = 0
        while suffix < shorter - prefix,
            old[old.endIndex - 1 - suffix] == new[new.endIndex - 1 - suffix]
        {
            suffix += 1
        }
        self.init(
            object: object, offset: UInt32(prefix), removed: UInt32(old.count - prefix - suffix),
            bytes: new[new.startIndex + prefix..<new.endIndex - suffix])
    }

    /// The values with this part replaced; nil if they do not have it.
    func applied(to values: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let end = Int(offset) + Int(removed)
        guard end <= values.count else { return nil }
        var patched: [UInt8] = []
        patched.reserveCapacity(values.count - Int(removed) + bytes.count)
        patched += values.prefix(Int(offset))
        patched += bytes
        patched += values.dropFirst(end)
        return patched[...]
    }
}
