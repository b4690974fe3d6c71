/// Values of an object, together with patches that are applied only when the values are read.
///
/// Copying large values for each small patch would take time proportional to the length of the values multiplied by the
/// number of patches. Instead, patches are merged in pairs, so that each patch is processed only a logarithmic number
/// of times.
struct PatchedValues: Sendable {
    /// Piece of the patched values.
    private enum Piece: Sendable {
        /// Part of the previous values.
        case existing(Range<Int>)
        case new(ArraySlice<UInt8>)

        var byteCount: Int {
            switch self {
            case .existing(let range): range.count
            case .new(let bytes): bytes.count
            }
        }

        /// Returns the part of this piece in a range of offsets.
        func part(_ range: Range<Int>) -> Piece {
            switch self {
            case .existing(let whole):
                .existing(whole.lowerBound + range.lowerBound..<whole.lowerBound + range.upperBound)
            case .new(let bytes):
                .new(
                    bytes[
                        bytes.startIndex + range.lowerBound..<bytes.startIndex + range.upperBound])
            }
        }
    }

    /// Combined effect of one or more patches on the previous values. The number of patches is a power of two.
    private struct Change: Sendable {
        var pieces: [Piece]
        var patchCount = 1
    }

    private let originalBytes: ArraySlice<UInt8>
    /// Merged patches, oldest first. Each element contains more patches than the next element.
    private var changes: [Change] = []
    /// Current length of the values in bytes.
    private(set) var byteCount: Int
    /// Number of pieces and bytes that have been processed or will be processed when the values are read.
    private(set) var processedItemCount: Int

    init(_ originalBytes: ArraySlice<UInt8>) {
        self.originalBytes = originalBytes
        byteCount = originalBytes.count
        processedItemCount = originalBytes.count
    }

    /// Adds a patch that replaces an existing part of the values.
    mutating func add(_ patch: ValuesPatch) {
        let start = Int(patch.offset)
        let end = start + Int(patch.removedByteCount)
        changes.append(
            Change(pieces: [.existing(0..<start), .new(patch.bytes), .existing(end..<byteCount)]))
        byteCount += patch.bytes.count - Int(patch.removedByteCount)
        while let last = changes.last, changes.dropLast().last?.patchCount == last.patchCount {
            mergeLastTwo()
        }
    }

    /// The values with all patches applied.
    var bytes: ArraySlice<UInt8> {
        var mergedValues = self
        while mergedValues.changes.count > 1 { mergedValues.mergeLastTwo() }
        guard let change = mergedValues.changes.last else { return originalBytes }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount)
        for piece in change.pieces {
            switch piece {
            case .existing(let range):
                bytes += originalBytes.dropFirst(range.lowerBound).prefix(range.count)
            case .new(let new): bytes += new
            }
        }
        return bytes[...]
    }

    /// Merges the last two changes into one.
    private mutating func mergeLastTwo() {
        let laterChange = changes.removeLast()
        let earlierChange = changes.removeLast()
        var mergedPieces: [Piece] = []
        var index = 0
        /// Start offset of the earlier change's piece at `index`.
        var start = 0
        for piece in laterChange.pieces {
            guard case .existing(let range) = piece else {
                mergedPieces.append(piece)
                continue
            }
            while index < earlierChange.pieces.count {
                let earlierPiece = earlierChange.pieces[index]
                let part = range.clamped(to: start..<start + earlierPiece.byteCount)
                if !part.isEmpty {
                    mergedPieces.append(
                        earlierPiece.part(part.lowerBound - start..<part.upperBound - start))
                }
                if start + earlierPiece.byteCount > range.upperBound { break }
                start += earlierPiece.byteCount
                index += 1
            }
        }
        processedItemCount += mergedPieces.count + earlierChange.pieces.count
        changes.append(
            Change(
                pieces: mergedPieces, patchCount: earlierChange.patchCount + laterChange.patchCount)
        )
    }
}
