import StateRecords

/// What the intact records of a damaged archive tell of its objects, and which of them a broken one
/// was of.
struct SalvagedRecords {
    /// What the records tell of one object.
    struct Object {
        var header: ObjectHeader?
        var values: ArraySlice<UInt8> = []
        /// The keys of the out-of-line values.
        var keys: [UInt32] = []
        var outOfLine: [UInt32: ArraySlice<UInt8>] = [:]
        /// Whether the newest record of the header and the values is damaged.
        var isDamaged = true

        /// The record; nil if not all of it is intact.
        var record: ObjectRecord? {
            guard let header, !isDamaged else { return nil }
            var values: [OutOfLineValue] = []
            for key in keys {
                guard let bytes = outOfLine[key] else { return nil }
                values.append(OutOfLineValue(key: key, bytes: bytes))
            }
            return ObjectRecord(header: header, values: self.values, outOfLine: values)
        }
    }

    /// The names that are intact.
    private(set) var names: [UInt32: String] = [:]
    private(set) var objects: [UInt32: Object] = [:]
    /// The numbers of the objects, in the order in which they were first saved.
    private(set) var order: [UInt32] = []
    /// The numbers of the objects that were removed, with all below them.
    private(set) var removed: Set<UInt32> = []
    private(set) var passes: [UInt32: PassEnd] = [:]
    /// The highest sequence number that is known.
    private(set) var sequence: UInt64 = 0
    /// Whether it is known of each broken record what it was of.
    private(set) var isAllKnown = true
    /// How many bytes may still be summed up to find a wrong one.
    private var budget = 1 << 30

    /// Reads what stands behind a header, which may be a damaged one.
    init(_ bytes: [UInt8], _ start: ArchiveStart) {
        let pieces = Array(RecordScan(bytes, from: start))
        var synced = start.isIntact ? start.header.publishedSequence : 0
        for case .intact(_, _, _?, let upTo) in pieces.lazy.map(\.finding) {
            synced = max(synced, upTo)
        }
        let lastEnd = pieces.lastIndex { piece in
            if case .intact(let record, _, _?, _) = piece.finding {
                record != .closed
            } else {
                false
            }
        }
        var last: UInt64 = 0
        for (index, piece) in pieces.enumerated() {
            let isOfPass = index <= lastEnd ?? -1
            switch piece.finding {
            case .intact(let record, let sequence, let end, _):
                // Of a record that is not there nobody knows what it was of.
                if last > 0, sequence != last + 1 { isAllKnown = false }
                last = sequence
                // What has no end counts if it was durable all the same.
                guard isOfPass || sequence <= synced else { continue }
                take(record)
                if let end, record != .closed { passes[end.scene] = end }
                self.sequence = max(self.sequence, sequence)
            case .broken, .noRecord, .malformed:
                guard isOfPass || last < synced else { continue }
                let region = piece.offset..<piece.offset + piece.byteCount
                let seed =
                    piece.offset == start.length
                    ? start.checksum : bytes.sum(endingAt: piece.offset)
                if let broken = BrokenRecord(bytes[region], seed: seed, budget: &budget) {
                    lose(broken.record, broken.isExact)
                    last += 1
                } else {
                    isAllKnown = false
                }
            }
        }
        if last < synced { isAllKnown = false }
        sequence = max(sequence, synced)
    }

    private mutating func take(_ record: ArchiveRecord) {
        switch record {
        case .name(let number, let text): names[number] = text
        case .object(let object):
            change(object.header.number) {
                $0.header = object.header
                $0.values = object.values
                $0.keys = object.outOfLine.map(\.key)
                let keys = Set($0.keys)
                $0.outOfLine = $0.outOfLine.filter { keys.contains($0.key) }
                $0.isDamaged = false
            }
        case .placement(let header): change(header.number) { $0.header = header }
        case .value(let number, let value):
            change(number) { $0.outOfLine[value.key] = value.bytes }
        case .patch(let patch):
            change(patch.object) {
                if let values = patch.applied(to: $0.values) {
                    $0.values = values
                } else {
                    $0.isDamaged = true
                }
            }
        case .removal(let number): removed.insert(number)
        case .nothing, .closed, .opened: break
        }
    }

    private mutating func change(_ number: UInt32, _ body: (inout Object) -> Void) {
        if objects[number] == nil { order.append(number) }
        body(&objects[number, default: Object()])
    }

    /// The newest of what a broken record was of is not intact.
    private mutating func lose(_ record: ArchiveRecord, _ isExact: Bool) {
        switch record {
        case .object(let object): lose(object.header, isExact)
        case .placement(let header): lose(header, isExact)
        case .value(let number, let value): objects[number]?.outOfLine[value.key] = nil
        case .patch(let patch): objects[patch.object]?.isDamaged = true
        case .removal(let number):
            // What is not exact may be the removal of another object, too.
            if isExact { removed.insert(number) } else { isAllKnown = false }
        case .name, .nothing, .closed, .opened: break
        }
    }

    private mutating func lose(_ header: ObjectHeader, _ isExact: Bool) {
        change(header.number) {
            $0.isDamaged = true
            if isExact || $0.header == nil { $0.header = header }
        }
    }
}
