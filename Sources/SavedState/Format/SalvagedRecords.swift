import StateRecords

/// Contents of the intact records in a damaged archive, and the objects that broken records affected.
struct SalvagedRecords {
    /// Contents of one object's records.
    struct Object {
        var header: ObjectHeader?
        var values: ArraySlice<UInt8> = []
        /// Keys of the object's out-of-line values.
        var keys: [UInt32] = []
        var outOfLine: [UInt32: ArraySlice<UInt8>] = [:]
        /// Whether the newest record that contains the header or the values is damaged.
        var isDamaged = true

        /// Record of the object, or `nil` if any part of the object is damaged.
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

    /// Intact names.
    private(set) var names: [UInt32: String] = [:]
    private(set) var objects: [UInt32: Object] = [:]
    /// Numbers of the objects, in the order in which they were first saved.
    private(set) var objectOrder: [UInt32] = []
    /// Numbers of the objects for which there is a removal record. All objects below them have also been removed.
    private(set) var removedNumbers: Set<UInt32> = []
    private(set) var passes: [UInt32: PassEnd] = [:]
    /// Highest known sequence number.
    private(set) var sequence: UInt64 = 0
    /// Whether the affected object is known for every broken or missing record.
    private(set) var isComplete = true
    /// Remaining number of bytes that may be checksummed in the search for wrong bytes.
    private var budget = 1 << 30

    /// Reads the records that follow a header. The header may be damaged.
    init(_ bytes: [UInt8], _ start: ArchiveStart) {
        let inspectedRecords = Array(RecordScan(bytes, from: start))
        var synced = start.isIntact ? start.header.publishedSequence : 0
        for case .intact(_, _, _?, let syncedSequence) in inspectedRecords.lazy.map(\.finding) {
            synced = max(synced, syncedSequence)
        }
        let lastEnd = inspectedRecords.lastIndex { piece in
            if case .intact(let record, _, _?, _) = piece.finding {
                record != .closed
            } else {
                false
            }
        }
        var lastSequence: UInt64 = 0
        for (index, piece) in inspectedRecords.enumerated() {
            let isInCompletePass = index <= lastEnd ?? -1
            switch piece.finding {
            case .intact(let record, let sequence, let end, _):
                // It is unknown which object a missing record affected.
                if lastSequence > 0, sequence != lastSequence + 1 { isComplete = false }
                lastSequence = sequence
                // Records after the last pass end are used only if they are known to have been durable.
                guard isInCompletePass || sequence <= synced else { continue }
                apply(record)
                if let end, record != .closed { passes[end.scene] = end }
                self.sequence = max(self.sequence, sequence)
            case .broken, .noRecord, .malformed:
                guard isInCompletePass || lastSequence < synced else { continue }
                let region = piece.offset..<piece.offset + piece.byteCount
                let seed =
                    piece.offset == start.length
                    ? start.checksum : bytes.storedChecksum(endingAt: piece.offset)
                if let broken = BrokenRecord(bytes[region], seed: seed, budget: &budget) {
                    markDamaged(broken.record, broken.isExact)
                    lastSequence += 1
                } else {
                    isComplete = false
                }
            }
        }
        if lastSequence < synced { isComplete = false }
        sequence = max(sequence, synced)
    }

    private mutating func apply(_ record: ArchiveRecord) {
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
        case .removal(let number): removedNumbers.insert(number)
        case .nothing, .closed, .opened: break
        }
    }

    private mutating func change(_ number: UInt32, _ body: (inout Object) -> Void) {
        if objects[number] == nil { objectOrder.append(number) }
        body(&objects[number, default: Object()])
    }

    /// Marks as damaged the object or value that a broken record affected.
    private mutating func markDamaged(_ record: ArchiveRecord, _ isExact: Bool) {
        switch record {
        case .object(let object): markDamaged(object.header, isExact)
        case .placement(let header): markDamaged(header, isExact)
        case .value(let number, let value): objects[number]?.outOfLine[value.key] = nil
        case .patch(let patch): objects[patch.object]?.isDamaged = true
        case .removal(let number):
            // A record that is not exact may have removed a different object.
            if isExact { removedNumbers.insert(number) } else { isComplete = false }
        case .name, .nothing, .closed, .opened: break
        }
    }

    private mutating func markDamaged(_ header: ObjectHeader, _ isExact: Bool) {
        change(header.number) {
            $0.isDamaged = true
            if isExact || $0.header == nil { $0.header = header }
        }
    }
}
