import SavedState
import StateRestoration

// The engine and the archive do not know each other; what one hands out is made here into what the
// other takes.

extension TurnRecords {
    /// Adds what a pass has to write.
    mutating func add(_ pass: PassOutput) {
        for name in pass.names { addName(name.text, number: name.number) }
        reserveCapacity(objects: pass.objects.count, valueBytes: pass.values.count)
        for record in pass.objects {
            let header = ObjectHeader(record.header)
            if record.outOfLine.isEmpty {
                addObject(header, values: pass.values[record.values])
            } else {
                let values = pass.savedValues(of: record)
                addObject(
                    ObjectRecord(
                        header: header, values: values.together,
                        outOfLine: zip(record.outOfLine, values.outOfLine).map {
                            SavedState.OutOfLineValue(key: $0.key, bytes: $1)
                        }))
            }
        }
        for header in pass.moves { addPlacement(ObjectHeader(header)) }
        for number in pass.removals { addRemoval(number.rawValue) }
        endPass(PassEnd(scene: pass.scene.rawValue, timestamp: pass.stamp.timestamp))
    }
}

extension ObjectHeader {
    init(_ header: RecordHeader) {
        self.init(
            number: header.number.rawValue, parent: header.parent.rawValue,
            kind: header.kind.rawValue, identifier: header.identifier.text,
            classToken: header.classToken, restorationClassToken: header.restorationClassToken,
            storyboard: header.storyboard, storyboardIdentifier: header.storyboardIdentifier)
    }
}

extension SavedRecord {
    /// Nil if the record is of a kind that this version does not know.
    init?(_ record: ObjectRecord) {
        guard let kind = RestorationKind(rawValue: record.header.kind) else { return nil }
        let header = record.header
        self.init(
            header: RecordHeader(
                number: RecordNumber(header.number), parent: RecordNumber(header.parent),
                kind: kind, identifier: RestorationIdentifier(recorded: header.identifier),
                classToken: header.classToken,
                restorationClassToken: header.restorationClassToken,
                storyboard: header.storyboard, storyboardIdentifier: header.storyboardIdentifier),
            values: record.values,
            outOfLine: record.outOfLine.isEmpty ? [] : record.outOfLine.map(\.bytes))
    }
}

extension ApplicationArchive {
    /// The saved values of an object, or of a scene.
    func savedValues(of number: RecordNumber) -> SavedValues? {
        object(number.rawValue).map {
            SavedValues($0.values, outOfLine: $0.outOfLine.map(\.bytes))
        }
    }
}

extension SavedScene {
    /// What the archive holds of a scene. Records of a kind that this version does not know are
    /// left out.
    ///
    /// - Parameters:
    ///   - scene: the scene's record.
    ///   - objects: the records below it, each after its parent.
    ///   - pass: the scene's newest pass.
    init(_ scene: ObjectRecord, objects: [ObjectRecord], pass: PassEnd?) {
        self.init(
            number: RecordNumber(scene.header.number), values: scene.values,
            outOfLine: scene.outOfLine.map(\.bytes), timestamp: pass?.timestamp ?? 0,
            records: objects.compactMap(SavedRecord.init))
    }
}
