import SavedState
import StateRestoration

// The engine and the archive do not know each other; what one hands out is made here into what the
// other takes.

extension TurnRecords {
    /// Adds what a pass has to write.
    mutating func add(_ pass: PassOutput) {
        for name in pass.names { addName(name.text, number: name.number) }
        for record in pass.objects {
            addObject(ObjectHeader(record.header), values: pass.values[record.values])
        }
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
            values: record.values)
    }
}

extension ArchiveContents {
    /// What the archive holds of each scene, by the scene's name.
    func savedScenes() -> [RestorationIdentifier: SavedScene] {
        var scenes: [UInt32: SavedScene] = [:]
        var names: [UInt32: RestorationIdentifier] = [:]
        var sceneOfObject: [UInt32: UInt32] = [:]
        for record in objects {
            let header = record.header
            guard header.parent != 0 else {
                names[header.number] = RestorationIdentifier(recorded: header.identifier)
                scenes[header.number] = SavedScene(
                    number: RecordNumber(header.number), values: record.values,
                    timestamp: passes[header.number]?.timestamp ?? 0, records: [])
                continue
            }
            let scene = sceneOfObject[header.parent] ?? header.parent
            sceneOfObject[header.number] = scene
            guard let saved = SavedRecord(record) else { continue }
            scenes[scene]?.records.append(saved)
        }
        var result: [RestorationIdentifier: SavedScene] = [:]
        for (number, scene) in scenes {
            if let name = names[number] { result[name] = scene }
        }
        return result
    }
}
