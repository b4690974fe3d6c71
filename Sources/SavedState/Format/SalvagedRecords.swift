import StateRecords

/// Contents of the intact records in a damaged archive, and the objects that broken records affected.
struct SalvagedRecords {
    /// Contents of one object's records.
    struct Object {
        var header: ObjectHeader?
        var values: ArraySlice<UInt8> = []
        /// Keys of the object's out-of-line values.
        var outOfLineKeys: [UInt32] = []
        var outOfLineValues: [UInt32: ArraySlice<UInt8>] = [:]
        /// Whether the newest record that contains the header or the values is damaged.
        var isDamaged = true
        /// Whether the object's number is certain. A number that comes only from a broken record is not certain.
        var isNumberCertain = false

        /// Record of the object, or `nil` if any part of the object is damaged.
        var record: ObjectRecord? {
            guard let header, !isDamaged else { return nil }
            var values: [OutOfLineValue] = []
            for key in outOfLineKeys {
                guard let bytes = outOfLineValues[key] else { return nil }
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
    /// Numbers of the objects that have a removal record. All their descendants have also been removed.
    private(set) var removedNumbers: Set<UInt32> = []
    private(set) var passEnds: [UInt32: PassEnd] = [:]
    /// Highest known sequence number.
    private(set) var sequence: UInt64 = 0
    /// Whether the affected object is known for every broken or missing record.
    private(set) var isComplete = true
    /// Number of bytes that may still be checksummed in the search for corrupt bytes.
    private var remainingSearchBytes = 1 << 30

    /// Reads the records that follow a header. The header may be damaged.
    init(_ bytes: [UInt8], _ start: ArchiveStart) {
        let inspectedRecords = Array(RecordScan(bytes, from: start))
        var highestSyncedSequence = start.isIntact ? start.header.publishedSequence : 0
        for case .intact(_, _, _?, let syncedSequence) in inspectedRecords.lazy.map(\.finding) {
            highestSyncedSequence = max(highestSyncedSequence, syncedSequence)
        }
        let lastPassEndIndex = inspectedRecords.lastIndex { part in
            if case .intact(let record, _, _?, _) = part.finding {
                record != .closed
            } else {
                false
            }
        }
        var lastSequence: UInt64 = 0
        for (index, part) in inspectedRecords.enumerated() {
            let isInCompletePass = index <= lastPassEndIndex ?? -1
            switch part.finding {
            case .intact(let record, let sequence, let end, _):
                // The object that a missing record affected is unknown.
                if lastSequence > 0, sequence != lastSequence + 1 { isComplete = false }
                lastSequence = sequence
                // Records after the last pass end are used only if they are known to have been durable.
                guard isInCompletePass || sequence <= highestSyncedSequence else { continue }
                apply(record)
                if let end, record != .closed { passEnds[end.scene] = end }
                self.sequence = max(self.sequence, sequence)
            case .broken, .noRecord, .malformed:
                guard isInCompletePass || lastSequence < highestSyncedSequence else { continue }
                let region = part.offset..<part.offset + part.byteCount
                let seed =
                    part.offset == start.headerByteCount
                    ? start.checksum : bytes.storedChecksum(endingAt: part.offset)
                if let broken = BrokenRecord(
                    bytes[region], seed: seed, remainingSearchBytes: &remainingSearchBytes)
                {
                    markDamaged(broken.record, broken.isExact)
                    lastSequence += 1
                } else {
                    isComplete = false
                }
            }
        }
        if lastSequence < highestSyncedSequence { isComplete = false }
        sequence = max(sequence, highestSyncedSequence)
    }

    private mutating func apply(_ record: ArchiveRecord) {
        switch record {
        case .name(let number, let text): names[number] = text
        case .object(let object):
            updateObject(object.header.number) {
                $0.header = object.header
                $0.values = object.values
                $0.outOfLineKeys = object.outOfLine.map(\.key)
                let keys = Set($0.outOfLineKeys)
                $0.outOfLineValues = $0.outOfLineValues.filter { keys.contains($0.key) }
                $0.isDamaged = false
            }
        case .placement(let header): updateObject(header.number) { $0.header = header }
        case .value(let number, let value):
            updateObject(number) { $0.outOfLineValues[value.key] = value.bytes }
        case .patch(let patch):
            updateObject(patch.object) {
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

    private mutating func updateObject(
        _ number: UInt32, isNumberCertain: Bool = true, _ body: (inout Object) -> Void
    ) {
        if objects[number] == nil { objectOrder.append(number) }
        if isNumberCertain { objects[number, default: Object()].isNumberCertain = true }
        body(&objects[number, default: Object()])
    }

    /// Highest object number that is known to have been used and must never be reused.
    ///
    /// Numbers are assigned in ascending order. A broken record with a much higher number therefore does not count.
    var highestNumber: UInt32 {
        let certainNumbers = objects.lazy.filter(\.value.isNumberCertain).map(\.key)
        let highest = max(certainNumbers.max() ?? 0, removedNumbers.max() ?? 0)
        let (bound, overflow) = highest.addingReportingOverflow(UInt32(clamping: objects.count))
        return max(highest, objects.keys.filter { overflow || $0 <= bound }.max() ?? 0)
    }

    /// Marks the object or value in a broken record as damaged.
    private mutating func markDamaged(_ record: ArchiveRecord, _ isExact: Bool) {
        switch record {
        case .object(let object): markDamaged(object.header, isExact)
        case .placement(let header): markDamaged(header, isExact)
        case .value(let number, let value): objects[number]?.outOfLineValues[value.key] = nil
        case .patch(let patch): objects[patch.object]?.isDamaged = true
        case .removal(let number):
            // If the reconstruction is not exact, the record may have removed a different object.
            if isExact { removedNumbers.insert(number) } else { isComplete = false }
        case .name, .nothing, .closed, .opened: break
        }
    }

    private mutating func markDamaged(_ header: ObjectHeader, _ isExact: Bool) {
        updateObject(header.number, isNumberCertain: isExact) {
            $0.isDamaged = true
            if isExact || $0.header == nil { $0.header = header }
        }
    }
}
