/// The values of an object after many patches, which are put together only when they are asked for.
///
/// To copy large values for each small patch would take a time that grows with the product of both.
/// Patches are joined two by two, so that each is gone through as often as their number halves.
struct PatchedValues: Sendable {
    /// What values are made of.
    private enum Piece: Sendable {
        /// A part of the values before.
        case kept(Range<Int>)
        case new(ArraySlice<UInt8>)

        var byteCount: Int {
            switch self {
            case .kept(let range): range.count
            case .new(let bytes): bytes.count
            }
        }

        /// A part of this piece.
        func part(_ range: Range<Int>) -> Piece {
            switch self {
            case .kept(let whole):
                .kept(whole.lowerBound + range.lowerBound..<whole.lowerBound + range.upperBound)
            case .new(let bytes):
                .new(
                    bytes[
                        bytes.startIndex + range.lowerBound..<bytes.startIndex + range.upperBound])
            }
        }
    }

    /// What a number of patches, a power of two, made of the values before them.
    private struct Change: Sendable {
        var pieces: [Piece]
        var patchCount = 1
    }

    private let original: ArraySlice<UInt8>
    /// Each of the changes is of more patches than the next.
    private var changes: [Change] = []
    /// How many bytes the values have now.
    private(set) var byteCount: Int
    /// How many pieces and bytes were gone through, or will be to put the values together.
    private(set) var work: Int

    init(_ original: ArraySlice<UInt8>) {
        self.original = original
        byteCount = original.count
        work = original.count
    }

    /// Changes a part of the values. They must have it.
    mutating func add(_ patch: ValuesPatch) {
        let start = Int(patch.offset)
        let end = start + Int(patch.removed)
        changes.append(
            Change(pieces: [.kept(0..<start), .new(patch.bytes), .kept(end..<byteCount)]))
        byteCount += patch.bytes.count - Int(patch.removed)
        while let last = changes.last, changes.dropLast().last?.patchCount == last.patchCount {
            joinLast()
        }
    }

    /// The values as they are now.
    var bytes: ArraySlice<UInt8> {
        var joined = self
        while joined.changes.count > 1 { joined.joinLast() }
        guard let change = joined.changes.last else { return original }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount)
        for piece in change.pieces {
            switch piece {
            case .kept(let range): bytes += original.dropFirst(range.lowerBound).prefix(range.count)
            case .new(let new): bytes += new
            }
        }
        return bytes[...]
    }

    /// Makes one change of the last two.
    private mutating func joinLast() {
        let later = changes.removeLast()
        let earlier = changes.removeLast()
        var joined: [Piece] = []
        var index = 0
        /// Where the earlier change's piece of that index begins.
        var start = 0
        for piece in later.pieces {
            guard case .kept(let range) = piece else {
                joined.append(piece)
                continue
            }
            while index < earlier.pieces.count {
                let old = earlier.pieces[index]
                let part = range.clamped(to: start..<start + old.byteCount)
                if !part.isEmpty {
                    joined.append(old.part(part.lowerBound - start..<part.upperBound - start))
                }
                if start + old.byteCount > range.upperBound { break }
                start += old.byteCount
                index += 1
            }
        }
        work += joined.count + earlier.pieces.count
        changes.append(
            Change(pieces: joined, patchCount: earlier.patchCount + later.patchCount))
    }
}
