import CXXHash
import ExactText
package import StateRecords

/// Contents of an archive after its last complete pass.
package struct ArchiveContents: Sendable, Equatable {
    /// Names that records refer to by number, keyed by number.
    package var names: [UInt32: String] = [:]
    /// Newest record of each object.
    ///
    /// Each record follows its parent's record, and the records of a scene are contiguous.
    package var objects: [ObjectRecord] = []
    /// End of each scene's newest pass, keyed by the scene's object number.
    package var passEnds: [UInt32: PassEnd] = [:]
    /// Whether the application shut down cleanly after its last pass.
    package var isClosed = false
    /// Sequence number of the last valid record.
    package var sequence: UInt64 = 0
    /// Highest number that any object in the archive has ever had, or 0 if the archive has never contained an object.
    package var highestObjectNumber: UInt32 = 0

    /// Contents of an archive without saved state.
    package static let empty = ArchiveContents()
}

extension ArchiveContents {
    /// Digest of the application's state, excluding pass times.
    var digest: UInt64 {
        var digest: UInt64 = 0
        // Each hash is seeded with the previous hash, so the digest depends on the order and the boundaries of the
        // parts.
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
