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
        let isThere: Void? = read(number) { old in
            let hasKeys =
                old.apart.isEmpty && object.apart.isEmpty
                || old.apart.elementsEqual(object.apart) { $0.key == $1.key }
            if !hasKeys {
                entries.append(ArchiveEntry(object.withoutApart))
            } else if let patch = ValuesPatch(of: number, from: old.values, to: object.values) {
                let isPlaced = old.header == object.header
                entries.append(ArchiveEntry(isPlaced ? .patch(patch) : object.withoutApart))
            } else if old.header != object.header {
                entries.append(ArchiveEntry(.placement(object.header)))
            }
            for value in object.apart
            where !old.apart.contains(where: { $0.key == value.key && $0.bytes == value.bytes }) {
                entries.append(ArchiveEntry(.value(object: number, value)))
            }
        }
        if isThere == nil { entries += object.entries }
    }
}

extension ObjectRecord {
    /// The record but for the values apart.
    var withoutApart: ArchiveRecord {
        .object(header, apart: apart.isEmpty ? [] : apart.map(\.key), values: values)
    }

    /// All records of an object.
    var entries: [ArchiveEntry] {
        [ArchiveEntry(withoutApart)]
            + apart.map { ArchiveEntry(.value(object: header.number, $0)) }
    }
}
