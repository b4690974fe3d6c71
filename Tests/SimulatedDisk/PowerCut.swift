import ExactText
import TestSupport

/// Simulation of a power cut, in which a seed decides the lost data.
///
/// The outcome is chosen separately for each file, and once for all directories. The changes that were not synced are
/// all lost, or all applied, or applied up to some moment (as with a journal), or decided individually. For a file, the
/// unit of an individual decision is one sector of 512 bytes of one write. A sector can be torn at any byte. The length
/// of a file may have become durable before its contents. Then zeros, noise, or bytes of a removed file fill the gap.
struct PowerCut {
    private enum Survival {
        case nothing, everything
        /// Only the changes before this change are applied. This change may be applied partly.
        case before(Int)
        case anything
    }

    private enum Filler {
        case zeros, noise
        case stale([UInt8])
    }

    static let sector = 512

    private var numbers: SeededNumbers

    init(seed: UInt64) {
        numbers = SeededNumbers(seed: seed)
    }

    /// Returns the disk after the power cut. All its data is durable.
    mutating func remainingContents(of disk: DiskContents) -> DiskContents {
        var entries = disk.nodes.map(\.durableEntries)
        let survival = survival(of: disk.changes.count)
        for (index, change) in disk.changes.enumerated() {
            for edit in change.edits.prefix(count(of: change, index, survival)) {
                entries[edit.directory][edit.name] = edit.node
            }
        }
        var remaining = DiskContents()
        remaining.nodes = disk.nodes.map { DiskContents.Node(isDirectory: $0.isDirectory) }
        var directories = [0]
        var visited: Set<Int> = []
        while let directory = directories.popLast() {
            remaining.nodes[directory].entries = entries[directory]
            remaining.nodes[directory].durableEntries = entries[directory]
            for (_, node) in entries[directory].sorted(by: { $0.key < $1.key }) {
                guard visited.insert(node).inserted else { continue }
                if disk.nodes[node].isDirectory {
                    directories.append(node)
                } else {
                    remaining.nodes[node].file = FileImage(durable: content(of: node, on: disk))
                }
            }
        }
        return remaining
    }

    private mutating func survival(of count: Int) -> Survival {
        switch count == 0 ? 0 : numbers.below(10) {
        case 0: .nothing
        case 1: .everything
        case 2, 3, 4: .before(numbers.below(count + 1))
        default: .anything
        }
    }

    private mutating func survives(_ index: Int, _ survival: Survival) -> Bool {
        switch survival {
        case .nothing: false
        case .everything: true
        case .before(let end): index < end
        case .anything: numbers.happens(percent: 50)
        }
    }

    /// Returns the number of a change's edits that are applied.
    private mutating func count(of change: EntryChange, _ index: Int, _ survival: Survival) -> Int {
        if case .anything = survival, !change.isAtomic {
            return numbers.below(change.edits.count + 1)
        }
        return survives(index, survival) ? change.edits.count : 0
    }

    private mutating func content(of node: Int, on disk: DiskContents) -> [UInt8] {
        let file = disk.nodes[node].file
        if file.changes.isEmpty { return file.durable }
        let survival = survival(of: file.changes.count)
        let filler = filler(for: node, on: disk)
        var bytes = file.durable
        var lengths = [bytes.count]
        for (index, change) in file.changes.enumerated() {
            switch change {
            case .truncate(let length):
                lengths.append(length)
                if survives(index, survival) { set(&bytes, to: length, filler) }
            case .write(let offset, let written), .lostWrite(let offset, let written):
                lengths.append(offset + written.count)
                if case .before(index) = survival {
                    put(
                        written.prefix(numbers.below(written.count + 1)), at: offset, &bytes, filler
                    )
                } else {
                    put(written, at: offset, survival: survival, index, &bytes, filler)
                }
            }
        }
        if case .anything = survival { changeLength(of: &bytes, lengths, filler) }
        return bytes
    }

    /// Applies a write sector by sector.
    private mutating func put(
        _ written: [UInt8], at offset: Int, survival: Survival, _ index: Int,
        _ bytes: inout [UInt8],
        _ filler: Filler
    ) {
        guard case .anything = survival else {
            if survives(index, survival) { put(written[...], at: offset, &bytes, filler) }
            return
        }
        // Most sectors share one outcome. Otherwise, hardly any long write would be complete or completely lost.
        let survivalPercent = numbers.below(101)
        var start = 0
        while start < written.count {
            let end = min(written.count, start + Self.sector - (offset + start) % Self.sector)
            if numbers.happens(percent: 5) {
                let torn = start + numbers.below(end - start)
                put(written[start..<torn], at: offset + start, &bytes, filler)
            } else if numbers.happens(percent: survivalPercent) {
                put(written[start..<end], at: offset + start, &bytes, filler)
            }
            start = end
        }
    }

    private mutating func put(
        _ part: ArraySlice<UInt8>, at offset: Int, _ bytes: inout [UInt8], _ filler: Filler
    ) {
        if part.isEmpty { return }
        if offset > bytes.count { set(&bytes, to: offset, filler) }
        bytes.put(part, at: offset)
    }

    /// Changes the length independently of the contents, to a length that the file had or to a length in between.
    private mutating func changeLength(
        of bytes: inout [UInt8], _ lengths: [Int], _ filler: Filler
    ) {
        switch numbers.below(4) {
        case 0: set(&bytes, to: lengths[lengths.count - 1], filler)
        case 1: set(&bytes, to: lengths[numbers.below(lengths.count)], filler)
        case 2:
            let shortest = lengths.reduce(lengths[0], min)
            let longest = lengths.reduce(lengths[0], max)
            set(&bytes, to: shortest + numbers.below(longest - shortest + 1), filler)
        default: break
        }
    }

    private mutating func set(_ bytes: inout [UInt8], to length: Int, _ filler: Filler) {
        let start = bytes.count
        bytes.resize(to: length)
        guard start < length else { return }
        switch filler {
        case .zeros: break
        case .noise:
            for index in start..<length { bytes[index] = UInt8(truncatingIfNeeded: numbers.next()) }
        case .stale(let other):
            let end = min(length, other.count)
            if start < end { bytes.replaceSubrange(start..<end, with: other[start..<end]) }
        }
    }

    private mutating func filler(for node: Int, on disk: DiskContents) -> Filler {
        switch numbers.below(4) {
        case 0: return .noise
        case 1:
            let unnamed = disk.nodesWithoutName
            return unnamed.isEmpty
                ? .zeros : .stale(disk.nodes[unnamed[numbers.below(unnamed.count)]].file.durable)
        default: return .zeros
        }
    }
}
