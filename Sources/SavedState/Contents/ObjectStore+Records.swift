extension ObjectStore {
    /// The records that make of this store what a pass says, the last of which ends it: none for
    /// what is as it was (P16), and of a value that changed in part the part alone.
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
        guard let old = record(of: number) else {
            return entries.appendAll(of: object)
        }
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
}

extension ObjectRecord {
    /// The record without its out-of-line values.
    var withoutOutOfLineValues: ArchiveRecord {
        if outOfLine.isEmpty { return .object(self) }
        let keys = outOfLine.map { OutOfLineValue(key: $0.key, bytes: []) }
        return .object(ObjectRecord(header: header, values: values, outOfLine: keys))
    }
}

extension [ArchiveEntry] {
    /// Appends an object with all its values.
    fileprivate mutating func appendAll(of object: ObjectRecord) {
        append(ArchiveEntry(object.withoutOutOfLineValues))
        for value in object.outOfLine {
            append(ArchiveEntry(.value(object: object.header.number, value)))
        }
    }
}

extension ObjectStore {
    /// The records of an archive that holds this store, or of its scenes only the chosen ones: all
    /// names, then each scene as a pass of its own, so that damage to one leaves those before it.
    func wholeEntries(of chosen: [UInt32]? = nil) -> [ArchiveEntry] {
        var whole: [ArchiveEntry] = []
        whole.reserveCapacity(numberedNames.count + count + 8)
        for (number, text) in numberedNames.sorted(by: { $0.number < $1.number }) {
            whole.append(ArchiveEntry(.name(number: number, text: text)))
        }
        let scenes = chosen ?? scenes
        for scene in scenes {
            for object in tree(scene) { whole.appendAll(of: object) }
            if scene == scenes.last { addHighestNumber(to: &whole) }
            whole[whole.count - 1].end = passes[scene] ?? PassEnd()
        }
        if scenes.isEmpty {
            addHighestNumber(to: &whole)
            whole.append(ArchiveEntry(.nothing, end: PassEnd()))
        }
        return whole
    }

    /// A number that was given once is given to no other object: removing it says so.
    private func addHighestNumber(to whole: inout [ArchiveEntry]) {
        if highestObjectNumber == 0 || contains(highestObjectNumber) { return }
        whole.append(ArchiveEntry(.removal(number: highestObjectNumber)))
    }

    /// The store as its users see it.
    func contents(closed: Bool, sequence: UInt64) -> ArchiveContents {
        ArchiveContents(
            names: names, objects: scenes.flatMap(tree), passes: passes, closed: closed,
            sequence: sequence, highestObjectNumber: highestObjectNumber)
    }
}
