package import SavedState
package import StateRestoration

extension ApplicationArchive {
    /// Puts every scene back that something in quarantine holds, under new numbers; the file stays in
    /// quarantine. A scene that stands under the same name gives way; what was saved until now becomes
    /// a generation first then.
    ///
    /// The scenes must not be launched: their live objects know nothing of it.
    ///
    /// - Parameters:
    ///   - quarantined: what there is to use of it.
    ///   - names: the archive's names; those of a launched application, if it is.
    ///   - numbering: gives the archive's numbers, likewise.
    /// - Throws: ``KeptStateError``. Nothing has changed then; but after
    ///   ``KeptStateError/save(_:)`` what came back may be in memory, to be saved with the next turn.
    @discardableResult
    package func putBack(
        _ quarantined: KeptContents, names: NameTable, numbering: RecordNumbering
    ) throws(KeptStateError) -> PutBackOutcome {
        let contents = quarantined.contents
        var move = PutBack(contents, names: names, numbering: numbering)
        do throws(UnreadableValues) {
            try move.addObjects()
        } catch {
            throw .unreadableValues(path: quarantined.path, object: error.identifier)
        }
        guard !move.scenes.isEmpty else {
            throw .damaged(path: quarantined.path, reason: "it holds no scene")
        }
        var outcome = PutBackOutcome(scenes: move.scenes, shortfall: quarantined.shortfall)
        do throws(SaveError) {
            let standing = scenes.filter { move.scenes.contains($0.name) }
            if !standing.isEmpty {
                let reason = GenerationReason.putBack(path: quarantined.path)
                outcome.generation = try keepGeneration(because: "\(reason)")
            }
            let turn = move.turn(removing: standing.map(\.header.number), pass: contents.passes)
            _ = try append(turn)
            try synchronize()
        } catch {
            throw .save(error)
        }
        return outcome
    }

    /// Puts scenes back into the archive of an application that is not launched.
    ///
    /// - Parameter quarantined: the name in quarantine.
    @discardableResult
    package func putBack(_ quarantined: String) throws(KeptStateError) -> PutBackOutcome {
        try putBack(
            contents(ofQuarantined: quarantined), names: NameTable(names),
            numbering: RecordNumbering(after: highestObjectNumber))
    }
}

/// What came back from quarantine.
package struct PutBackOutcome: Sendable, Equatable {
    /// The names of the scenes.
    package var scenes: [RestorationIdentifier]
    /// The path of the generation that holds what stood in their place; nil: nothing did.
    package var generation: String?
    /// A clause that tells what could not be used; nil: all could.
    package var shortfall: String?
}

extension KeptStateError {
    /// Whether another attempt may well succeed, with the same file.
    var isOfDisk: Bool {
        switch self {
        case .save, .io: true
        case .unknown, .damaged, .foreign, .newerFormat, .unreadableValues: false
        }
    }
}

/// The values of an object are none.
private struct UnreadableValues: Error {
    var identifier: String
}

/// The records of one archive on their way into another.
private struct PutBack {
    private struct Moved {
        var record: ObjectRecord
        var oldNumber: UInt32
    }

    private let objects: [ObjectRecord]
    private let names: NameTable
    private var transfer: RecordTransfer
    private var moved: [Moved] = []

    init(_ contents: ArchiveContents, names: NameTable, numbering: RecordNumbering) {
        objects = contents.objects
        self.names = names
        transfer = RecordTransfer(from: contents.names, to: names, numbering: numbering)
    }

    /// The names of the scenes.
    var scenes: [RestorationIdentifier] {
        objects.filter { $0.header.parent == 0 }.map(\.name)
    }

    /// Gives everything its new numbers.
    mutating func addObjects() throws(UnreadableValues) {
        for object in objects { transfer.add(RecordNumber(object.header.number)) }
        for object in objects {
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
                    apart: try apart(of: object))
                moved.append(Moved(record: record, oldNumber: old.number))
            } catch {
                throw UnreadableValues(identifier: old.identifier)
            }
        }
    }

    /// Values that are kept apart, each of which is the only one in its bytes.
    private mutating func apart(of object: ObjectRecord) throws(ValueError) -> [SavedState
        .ApartValue]
    {
        var all: [SavedState.ApartValue] = []
        for value in object.apart {
            let bytes = try transfer.values(value.bytes)
            if bytes.isEmpty { continue }
            all.append(SavedState.ApartValue(key: transfer.name(value.key), bytes: bytes[...]))
        }
        return all
    }

    /// What is to be written: all names, then each scene as a pass, and in the last one what goes.
    func turn(removing standing: [UInt32], pass passes: [UInt32: PassEnd]) -> TurnRecords {
        var turn = TurnRecords()
        var scene: Moved?
        func end(_ scene: Moved) {
            turn.endPass(
                PassEnd(
                    scene: scene.record.header.number,
                    timestamp: passes[scene.oldNumber]?.timestamp ?? 0))
        }
        for name in names.takeNewNames() { turn.addName(name.text, number: name.number) }
        for object in moved {
            if object.record.header.parent == 0 {
                if let scene { end(scene) }
                scene = object
            }
            turn.addObject(object.record)
        }
        for number in standing { turn.addRemoval(number) }
        // A number that was given is given to no other object.
        if let stranger = transfer.stranger { turn.addRemoval(stranger.rawValue) }
        if let scene { end(scene) }
        return turn
    }
}
