import StateRecords

/// A patch that replaces part of an object's values.
package struct ValuesPatch: Sendable, Equatable {
    /// Number of the object.
    package var object: UInt32
    /// Offset of the replaced part from the start of the values, in bytes.
    package var offset: UInt32
    /// Number of bytes that the patch removes.
    package var removedByteCount: UInt32
    /// Bytes that the patch inserts.
    package var bytes: ArraySlice<UInt8>
}

extension ValuesPatch {
    /// Returns the part in which an object's old and new values differ, without the common prefix and suffix.
    ///
    /// Returns `nil` if the values are equal.
    static func difference(
        from old: UnsafeRawBufferPointer, to new: UnsafeRawBufferPointer
    ) -> (new: Range<Int>, removedByteCount: Int)? {
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

    /// Returns the given values with this patch applied, or `nil` if they are too short.
    func applied(to values: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let end = Int(offset) + Int(removedByteCount)
        guard end <= values.count else { return nil }
        var patchedBytes: [UInt8] = []
        patchedBytes.reserveCapacity(values.count - Int(removedByteCount) + bytes.count)
        patchedBytes += values.prefix(Int(offset))
        patchedBytes += bytes
        patchedBytes += values.dropFirst(end)
        return patchedBytes[...]
    }
}
