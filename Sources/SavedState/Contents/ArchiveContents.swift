import CXXHash

/// What an archive holds after its last complete pass.
package struct ArchiveContents: Sendable, Equatable {
    /// The names by their numbers.
    package var names: [UInt32: String] = [:]
    /// The newest record of each object, each after its parent, scenes one after the other.
    package var objects: [ObjectRecord] = []
    /// The newest pass of each scene, by the scene's object number.
    package var passes: [UInt32: PassEnd] = [:]
    /// Whether the application ended in an orderly way after its last pass.
    package var closed = false
    /// The sequence number of the last record that counts.
    package var sequence: UInt64 = 0
    /// The highest number that any object read here has had; 0 for none.
    package var highestObjectNumber: UInt32 = 0

    /// What an archive holds in which nothing was saved.
    package static let empty = ArchiveContents()
}

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
    var value: UInt64 = 0

    /// Each part is hashed with what came before as its seed.
    mutating func add(_ part: some Collection<some FixedWidthInteger>) {
        let result = part.withContiguousStorageIfAvailable { part in
            let bytes = UnsafeRawBufferPointer(part)
            return XXH3_64bits_withSeed(bytes.baseAddress, bytes.count, value)
        }
        value = result ?? value
    }
}
