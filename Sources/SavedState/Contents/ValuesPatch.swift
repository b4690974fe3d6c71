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
    /// Returns the part in which an object's old and new values differ, excluding the common prefix and suffix.
    ///
    /// Returns `nil` if the values are equal.
    static func difference(
        from old: UnsafeRawBufferPointer, to new: UnsafeRawBufferPointer
    ) -> (new: Range<Int>, removedByteCount: Int)? {
        let commonLength = min(old.count, new.count)
        var prefixLength = 0
        while commonLength - prefixLength >= 8,
            old.littleEndian(at: prefixLength) as UInt64 == new.littleEndian(at: prefixLength)
        {
            prefixLength += 8
        }
        while prefixLength < commonLength, old[prefixLength] == new[prefixLength] {
            prefixLength += 1
        }
        if prefixLength == old.count, prefixLength == new.count { return nil }
        var suffixLength = 0
        while suffixLength < commonLength - prefixLength,
            old[old.count - 1 - suffixLength] == new[new.count - 1 - suffixLength]
        {
            suffixLength += 1
        }
        return (prefixLength..<new.count - suffixLength, old.count - prefixLength - suffixLength)
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
