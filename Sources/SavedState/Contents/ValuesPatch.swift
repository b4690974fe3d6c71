import StateRecords

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
    /// The bytes of one object's values that make them of others: all between their common beginning
    /// and their common end; nil if they are equal.
    static func difference(
        from old: UnsafeRawBufferPointer, to new: UnsafeRawBufferPointer
    ) -> (new: Range<Int>, removed: Int)? {
        let shorter = min(old.count, new.count)
        var prefix = 0
        while shorter - prefix >= 8,
            old.littleEndian(at: prefix) as UInt64 == new.littleEndian(at: prefix)
        {
            prefix += 8
        }
        while prefix < shorter, old[prefix] == new[prefix] { prefix += 1 }
        if prefix == old.count, prefix == new.count { return nil }
        var suffix = 0
        while suffix < shorter - prefix, old[old.count - 1 - suffix] == new[new.count - 1 - suffix]
        {
            suffix += 1
        }
        return (prefix..<new.count - suffix, old.count - prefix - suffix)
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
