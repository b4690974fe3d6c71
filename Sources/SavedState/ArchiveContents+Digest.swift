import CXXHash

extension ArchiveContents {
    /// Tells this state from others of the same application: all that is saved but for the times of the
    /// passes.
    var digest: UInt64 {
        var digest = ContentDigest()
        for (number, text) in names.sorted(by: { $0.key < $1.key }) {
            digest.add([number])
            digest.add(Array(text.utf8))
        }
        for object in objects.sorted(by: { $0.header.number < $1.header.number }) {
            let header = object.header
            digest.add([
                header.number, header.parent, UInt32(header.kind), header.classToken,
                header.restorationClassToken, header.storyboard, header.storyboardIdentifier,
            ])
            digest.add(Array(header.identifier.utf8))
            digest.add(object.values)
            for value in object.outOfLine {
                digest.add([value.key])
                digest.add(value.bytes)
            }
        }
        return digest.value
    }
}

/// A hash of parts, in their order and with their bounds.
private struct ContentDigest {
    private(set) var value: UInt64 = 0

    /// Each part is hashed with what came before as its seed.
    mutating func add(_ part: some Collection<some FixedWidthInteger>) {
        let result = part.withContiguousStorageIfAvailable { part in
            let bytes = UnsafeRawBufferPointer(part)
            return XXH3_64bits_withSeed(bytes.baseAddress, bytes.count, value)
        }
        value = result ?? value
    }
}
