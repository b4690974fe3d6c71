import StateRecords

/// Changes that a pass makes to a store.
struct PassChanges {
    /// Records to write to the file. The last record ends the pass.
    ///
    /// Unchanged objects have no record (P16). If only a part of an object's values has changed, the record contains
    /// only that part. The list's first buffer is the first buffer of the pass.
    var records: RecordList
    /// Complete records of the objects whose records in the file are only partial, each with the index of the partial
    /// record.
    var completeRecords: [(index: Int, span: RecordList.Span)] = []
}

extension ObjectStore {
    /// Returns the changes that a pass makes to this store.
    func changes(of pass: PassRecords) -> PassChanges {
        var changes = PassChanges(records: RecordList(in: pass.objects.buffers))
        changes.records.reserveCapacity(pass.objects.count)
        for name in pass.names {
            changes.records.append(.name(number: name.number, text: name.text))
        }
        for span in pass.objects.spans {
            if span.type == .value {
                if !hasValue(span, of: pass.objects) { changes.records.append(span) }
            } else {
                addChange(span, of: pass.objects, to: &changes)
            }
        }
        for header in pass.placements { changes.records.append(.placement(header)) }
        for number in pass.removals { changes.records.append(.removal(number: number)) }
        if !changes.records.isEmpty { changes.records.endPass(pass.end) }
        return changes
    }

    /// Difference between an object's new record and its record in the store.
    private enum Difference {
        case none
        case wholeRecord
        case header
        case values(offset: Int, removedByteCount: Int, Range<Int>)
    }

    private func addChange(
        _ span: RecordList.Span, of objects: RecordList, to changes: inout PassChanges
    ) {
        let (number, difference) = objects.withPayload(of: span) { payload in
            let newFields = ObjectFields(payload)
            return (
                newFields.number,
                withFields(of: newFields.number) { Self.difference($0, newFields) } ?? .wholeRecord
            )
        }
        switch difference {
        case .none: return
        case .wholeRecord: return changes.records.append(span)
        case .header:
            changes.records.encode(.placement) { bytes in
                objects.withPayload(of: span) { payload in
                    let headerByteCount = ObjectFields(payload).headerByteCount
                    bytes += payload[..<(ObjectFields.fixedFieldsByteCount - 2)]
                    bytes.appendLittleEndian(UInt16(0))
                    bytes += payload[ObjectFields.fixedFieldsByteCount..<headerByteCount]
                }
            }
        case .values(let offset, let removedByteCount, let range):
            changes.records.encode(
                .patch, capacity: ArchiveFormat.patchPrefixByteCount + range.count
            ) {
                bytes in
                let patchHeader = (
                    number.littleEndian, UInt32(offset).littleEndian,
                    UInt32(removedByteCount).littleEndian
                )
                Swift.withUnsafeBytes(of: patchHeader) { bytes.append(contentsOf: $0) }
                objects.withPayload(of: span) { bytes += $0[range] }
            }
        }
        changes.completeRecords.append((changes.records.count - 1, span))
    }

    private static func difference(_ oldFields: ObjectFields, _ newFields: ObjectFields)
        -> Difference
    {
        guard oldFields.keyCount == newFields.keyCount,
            oldFields.keyCount == 0 || oldFields.keys == newFields.keys
        else {
            return .wholeRecord
        }
        let hasSameHeader = oldFields.hasSameHeader(as: newFields)
        guard let part = ValuesPatch.difference(from: oldFields.values, to: newFields.values) else {
            return hasSameHeader ? .none : .header
        }
        guard hasSameHeader else { return .wholeRecord }
        let start = newFields.valuesStart
        return .values(
            offset: part.new.lowerBound, removedByteCount: part.removedByteCount,
            start + part.new.lowerBound..<start + part.new.upperBound)
    }

    /// Returns whether the store already contains the same bytes for the out-of-line value in a span.
    private func hasValue(_ span: RecordList.Span, of objects: RecordList) -> Bool {
        objects.withPayload(of: span) { payload in
            let oldValue = outOfLineValue(
                payload.littleEndian(at: 4), of: payload.littleEndian(at: 0))
            return oldValue?.elementsEqual(payload.dropFirst(OutOfLineValue.headerByteCount))
                == true
        }
    }
}

extension ObjectStore {
    /// Returns the records of a complete archive for this store, or for only the given scenes.
    ///
    /// All names come first. Each scene is in a separate pass, so that damage to one scene does not affect the scenes
    /// before it.
    func allRecords(of chosenSceneNumbers: [UInt32]? = nil) -> RecordList {
        var archiveRecords = RecordList(in: segments.buffers)
        archiveRecords.reserveCapacity(numberedNames.count + count + 8)
        for (number, text) in numberedNames.sorted(by: { $0.number < $1.number }) {
            archiveRecords.append(.name(number: number, text: text))
        }
        let sceneNumbers = chosenSceneNumbers ?? sceneNumbers
        for scene in sceneNumbers {
            addTree(scene, to: &archiveRecords)
            if scene == sceneNumbers.last { addRemovalOfHighestNumber(to: &archiveRecords) }
            archiveRecords.endPass(passEnds[scene] ?? PassEnd())
        }
        if sceneNumbers.isEmpty {
            addRemovalOfHighestNumber(to: &archiveRecords)
            archiveRecords.append(.nothing, end: PassEnd())
        }
        return archiveRecords
    }

    /// Returns the records of a scene or object and of all its descendants.
    func records(below root: UInt32) -> RecordList {
        // The list shares only the segments that it needs, because the store may have a segment for each turn.
        var records = RecordList()
        var buffers: [Int32: Int] = [:]
        var lastBuffer: (segment: Int32, buffer: Int) = (-1, 0)
        let segments = segments
        forEachSpan(below: root) { span, isValue in
            if lastBuffer.segment != span.segment {
                let buffer =
                    buffers[span.segment] ?? records.addBuffer(segments.bytes(of: span.segment))
                buffers[span.segment] = buffer
                lastBuffer = (span.segment, buffer)
            }
            records.append(Self.recordSpan(span, isValue, in: lastBuffer.buffer))
        }
        return records
    }

    private func addTree(_ root: UInt32, to records: inout RecordList) {
        forEachSpan(below: root) { span, isValue in
            records.append(Self.recordSpan(span, isValue, in: Int(span.segment)))
        }
    }

    private static func recordSpan(
        _ span: RecordSegments.Span, _ isValue: Bool, in buffer: Int
    ) -> RecordList.Span {
        RecordList.Span(
            type: isValue ? .value : .object, buffer: buffer, start: Int(span.start),
            count: Int(span.count))
    }

    /// Adds a removal record for the highest object number if no object has this number.
    ///
    /// The record ensures that the number is never reused.
    private func addRemovalOfHighestNumber(to archiveRecords: inout RecordList) {
        if highestObjectNumber == 0 || contains(highestObjectNumber) { return }
        archiveRecords.append(.removal(number: highestObjectNumber))
    }

    /// Returns the store's contents as a value that other modules can use.
    func contents(isClosed: Bool, sequence: UInt64) -> ArchiveContents {
        var records = RecordList(in: segments.buffers)
        for scene in sceneNumbers { addTree(scene, to: &records) }
        return ArchiveContents(
            names: names, objects: records.objects, passEnds: passEnds, isClosed: isClosed,
            sequence: sequence, highestObjectNumber: highestObjectNumber)
    }
}
