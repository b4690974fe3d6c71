import SavedState
import StateRestoration

// The engine and the archive do not know each other; what one hands out is made here into what the
// other takes.

extension TurnRecords {
    /// Adds what a pass has to write.
    mutating func add(_ pass: PassOutput) {
        for name in pass.names { addName(name.text, number: name.number) }
        for record in pass.objects { addObject(ObjectRecord(record, valuesOf: pass)) }
        for header in pass.moves { addPlacement(ObjectHeader(header)) }
        for number in pass.removals { addRemoval(number.rawValue) }
        endPass(PassEnd(scene: pass.scene.rawValue, timestamp: pass.stamp.timestamp))
    }
}

extension ObjectRecord {
    /// A record of a pass. Its bytes are copied, so that one small value does not keep the buffer of
    /// a large pass alive.
    init(_ record: PassRecord, valuesOf pass: PassOutput) {
        var values: [UInt8] = []
        values.reserveCapacity(record.values.count)
        var start = record.values.lowerBound
        var apart: [SavedState.ApartValue] = []
        for large in record.apart {
            values += pass.values[start..<large.range.lowerBound]
            start = large.range.upperBound
            apart.append(
                SavedState.ApartValue(key: large.key, bytes: Array(pass.values[large.range])[...]))
        }
        values += pass.values[start..<record.values.upperBound]
        self.init(header: ObjectHeader(record.header), values: values[...], apart: apart)
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
            values: record.values, apart: record.apart.map(\.bytes))
    }
}

extension SavedScene {
    /// What the archive holds of a scene. Records of a kind that this version does not know are left
    /// out.
    ///
    /// - Parameters:
    ///   - scene: the scene's record.
    ///   - objects: the records below it, each after its parent.
    ///   - pass: the scene's newest pass.
    init(_ scene: ObjectRecord, objects: [ObjectRecord], pass: PassEnd?) {
        self.init(
            number: RecordNumber(scene.header.number), values: scene.values,
            apart: scene.apart.map(\.bytes),
            timestamp: pass?.timestamp ?? 0, records: objects.compactMap(SavedRecord.init))
    }
}
