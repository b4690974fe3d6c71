import CXXHash
import ExactText
package import StateRecords

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
    /// Tells this state from others of the application: all that is saved but for passes' times.
    var digest: UInt64 {
        var digest: UInt64 = 0
        // Each part is hashed with what came before as its seed, so that their order and bounds
        // count.
        func add(_ part: some Collection<some FixedWidthInteger>) {
            let result = part.withContiguousStorageIfAvailable { part in
                let bytes = UnsafeRawBufferPointer(part)
                return XXH3_64bits_withSeed(bytes.baseAddress, bytes.count, digest)
            }
            digest = result ?? digest
        }
        for (number, text) in names.sorted(by: { $0.key < $1.key }) {
            add([number])
            add(Array(text.utf8))
        }
        for object in objects.sorted(by: { $0.header.number < $1.header.number }) {
            let header = object.header
            add([
                header.number, header.parent, UInt32(header.kind), header.classToken,
                header.restorationClassToken, header.storyboard, header.storyboardIdentifier,
            ])
            add(Array(header.identifier.utf8))
            add(object.values)
            for value in object.outOfLine {
                add([value.key])
                add(value.bytes)
            }
        }
        return digest
    }
}
