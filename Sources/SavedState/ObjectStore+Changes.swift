extension ObjectStore {
    /// The records that make of this store what a pass says: nothing for what is as it was (P16), and
    /// of a value that changed in part the part alone.
    ///
    /// - Returns: the pass's records, the last of which ends it; none if nothing changed.
    func changes(of pass: PassRecords) -> [ArchiveEntry] {
        var entries: [ArchiveEntry] = []
        entries.reserveCapacity(pass.names.count + pass.objects.count + 1)
        for name in pass.names {
            entries.append(ArchiveEntry(.name(number: name.number, text: name.text)))
        }
        for object in pass.objects { addChanges(of: object, to: &entries) }
        for header in pass.placements { entries.append(ArchiveEntry(.placement(header))) }
        for number in pass.removals { entries.append(ArchiveEntry(.removal(number: number))) }
        if !entries.isEmpty { entries[entries.count - 1].end = pass.end }
        return entries
    }

    private func addChanges(of object: ObjectRecord, to entries: inout [ArchiveEntry]) {
        let number = object.header.number
        guard let old = record(of: number) else { return addAll(of: object, to: &entries) }
        let hasKeys =
            old.outOfLine.isEmpty && object.outOfLine.isEmpty
            || old.outOfLine.elementsEqual(object.outOfLine) { $0.key == $1.key }
        if !hasKeys {
            entries.append(ArchiveEntry(object.withoutOutOfLineValues))
        } else if let patch = ValuesPatch(of: number, from: old.values, to: object.values) {
            let isPlaced = old.header == object.header
            entries.append(ArchiveEntry(isPlaced ? .patch(patch) : object.withoutOutOfLineValues))
        } else if old.header != object.header {
            entries.append(ArchiveEntry(.placement(object.header)))
        }
        for value in object.outOfLine where outOfLineValue(value.key, of: number) != value.bytes {
            entries.append(ArchiveEntry(.value(object: number, value)))
        }
    }

    private func addAll(of object: ObjectRecord, to entries: inout [ArchiveEntry]) {
        entries.append(ArchiveEntry(object.withoutOutOfLineValues))
        for value in object.outOfLine {
            entries.append(ArchiveEntry(.value(object: object.header.number, value)))
        }
    }
}

extension ObjectRecord {
    /// The record without its out-of-line values.
    var withoutOutOfLineValues: ArchiveRecord {
        if outOfLine.isEmpty { return .object(self) }
        return .object(header, outOfLine: outOfLine.map(\.key), values: values)
    }
}
