import SavedState
import StateRestoration

/// The state of scenes on its way from one archive into another, under new numbers.
struct StateTransfer {
    /// The values of an object are none.
    struct UnreadableValues: Error {
        var identifier: String
    }

    private struct Moved {
        var record: ObjectRecord
        var oldNumber: UInt32
    }

    private let names: NameTable
    private let passes: [UInt32: PassEnd]
    private var transfer: RecordTransfer
    private var moved: [Moved] = []

    /// Gives everything its new numbers.
    ///
    /// - Parameters:
    ///   - contents: what the state comes from.
    ///   - scenes: those that are taken; nil: all.
    ///   - names: the names of the archive that it goes to.
    ///   - numbering: gives that archive's numbers.
    init(
        _ contents: ArchiveContents, of scenes: [RestorationIdentifier]? = nil, names: NameTable,
        numbering: RecordNumbering
    ) throws(UnreadableValues) {
        self.names = names
        passes = contents.passes
        transfer = RecordTransfer(from: contents.names, to: names, numbering: numbering)
        let objects = contents.objects(of: scenes)
        for object in objects { transfer.add(RecordNumber(object.header.number)) }
        for object in objects { try move(object) }
    }

    /// The names of the scenes.
    var scenes: [RestorationIdentifier] { sceneRecords.map(\.name) }

    /// The numbers that the scenes' records have got.
    var sceneNumbers: [UInt32] { sceneRecords.map(\.header.number) }

    /// Whether a scene was in use when it was saved.
    func isInUse(_ scene: RestorationIdentifier) -> Bool {
        sceneRecords.contains { $0.name == scene && $0.reservedState(names: names).isInUse }
    }

    private var sceneRecords: [ObjectRecord] {
        moved.map(\.record).filter { $0.header.parent == 0 }
    }

    /// The names that became numbered.
    func takeNames() -> TurnRecords {
        var turn = TurnRecords()
        let new = names.takeNewNames()
        if new.isEmpty { return turn }
        for name in new { turn.addName(name.text, number: name.number) }
        turn.endPass(PassEnd(scene: 0, timestamp: 0))
        return turn
    }

    /// What is to be written beside the names: each scene as a pass, and in the last one what goes.
    ///
    /// - Parameter standing: the numbers of scenes that go.
    func turn(removing standing: [UInt32]) -> TurnRecords {
        var turn = TurnRecords()
        var scene: Moved?
        for object in moved {
            if object.record.header.parent == 0 {
                if let scene { turn.endPass(end(of: scene)) }
                scene = object
            }
            turn.addObject(object.record)
        }
        for number in standing { turn.addRemoval(number) }
        // A number that was given is given to no other object.
        if let stranger = transfer.stranger { turn.addRemoval(stranger.rawValue) }
        if let scene {
            turn.endPass(end(of: scene))
        } else if !turn.isEmpty {
            turn.endPass(PassEnd(scene: 0, timestamp: 0))
        }
        return turn
    }

    private func end(of scene: Moved) -> PassEnd {
        PassEnd(
            scene: scene.record.header.number, timestamp: passes[scene.oldNumber]?.timestamp ?? 0)
    }

    private mutating func move(_ object: ObjectRecord) throws(UnreadableValues) {
        let old = object.header
        var header = old
        header.number = transfer.object(RecordNumber(old.number)).rawValue
        header.parent = transfer.object(RecordNumber(old.parent)).rawValue
        header.classToken = transfer.name(old.classToken)
        header.restorationClassToken = transfer.name(old.restorationClassToken)
        header.storyboard = transfer.name(old.storyboard)
        header.storyboardIdentifier = transfer.name(old.storyboardIdentifier)
        do throws(ValueError) {
            let record = ObjectRecord(
                header: header, values: try transfer.values(object.values)[...],
                outOfLine: try outOfLine(of: object))
            moved.append(Moved(record: record, oldNumber: old.number))
        } catch {
            throw UnreadableValues(identifier: old.identifier)
        }
    }

    /// Out-of-line values, each of which is the only one in its bytes.
    private mutating func outOfLine(of object: ObjectRecord) throws(ValueError) -> [SavedState
        .OutOfLineValue]
    {
        var all: [SavedState.OutOfLineValue] = []
        for value in object.outOfLine {
            let bytes = try transfer.values(value.bytes)
            if bytes.isEmpty { continue }
            all.append(SavedState.OutOfLineValue(key: transfer.name(value.key), bytes: bytes[...]))
        }
        return all
    }
}

extension ArchiveContents {
    /// The names of the scenes.
    var sceneNames: [RestorationIdentifier] {
        objects.filter { $0.header.parent == 0 }.map(\.name)
    }

    /// The records of some scenes, each after its parent; nil: of all.
    fileprivate func objects(of scenes: [RestorationIdentifier]?) -> [ObjectRecord] {
        guard let scenes else { return objects }
        var isTaken = false
        return objects.filter { object in
            if object.header.parent == 0 { isTaken = scenes.contains(object.name) }
            return isTaken
        }
    }
}
