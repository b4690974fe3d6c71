import SavedState
import StateRecords
import StateRestoration

/// The state of scenes on its way from one archive into another, under new numbers; and what gives
/// way to it there.
struct StateTransfer {
    /// The scenes that the other state holds.
    let scenes: [RestorationIdentifier]
    /// The scenes that give way.
    let standing: [RestorationIdentifier]
    /// Puts the state into the archive, and takes out what gives way.
    private let turn: TurnRecords
    /// Makes of the archive what it was before.
    private let undoing: TurnRecords
    private let inUse: [RestorationIdentifier]

    /// The scenes that get another state, or lose theirs.
    var covered: [RestorationIdentifier] { scenes + standing.filter { !scenes.contains($0) } }

    /// Whether a scene was in use when it was saved.
    func isInUse(_ scene: RestorationIdentifier) -> Bool { inUse.contains(scene) }

    /// Makes the state of scenes from elsewhere ready to be put into an archive. Nothing is
    /// written, but the archive knows the names from now on.
    ///
    /// - Parameters:
    ///   - contents: what the state comes from.
    ///   - covered: the scenes that get it, or have none from then on; nil: all.
    ///   - names: the archive's names; those of a launched application, if it is.
    ///   - numbering: gives the archive's numbers, likewise.
    /// - Throws: why it does not fit.
    init(
        _ contents: ArchiveContents, of covered: [RestorationIdentifier]?,
        into archive: ApplicationArchive, names: NameTable, numbering: RecordNumbering
    ) throws(StateChangeFailure) {
        var records = RenumberedRecords(from: contents, names: names, numbering: numbering)
        try records.add(covered)
        scenes = records.scenes.map(\.name)
        inUse = records.scenes.filter { $0.reservedState(names: names).isInUse }.map(\.name)
        let giving = archive.scenes.filter { covered?.contains($0.name) ?? true }
        standing = giving.map(\.name)
        turn = records.turn(removing: giving.map(\.header.number))
        var undoing = TurnRecords()
        for scene in giving {
            let number = scene.header.number
            for object in archive.records(below: number).objects { undoing.addObject(object) }
            undoing.endPass(archive.pass(ofScene: number) ?? PassEnd(scene: number, timestamp: 0))
        }
        for scene in records.scenes { undoing.addRemoval(scene.header.number) }
        if !records.scenes.isEmpty { undoing.endPass(PassEnd(scene: 0, timestamp: 0)) }
        self.undoing = undoing
        var named = TurnRecords()
        for name in names.takeNewNames() { named.addName(name.text, number: name.number) }
        if !named.isEmpty { named.endPass(PassEnd(scene: 0, timestamp: 0)) }
        do throws(SaveError) {
            // First, and whatever comes of the rest: a program that runs counts on the names it
            // gave.
            try archive.stage(named)
            try archive.check(turn)
        } catch {
            throw StateChangeFailure(error)
        }
    }

    // MARK: Writing

    /// Gives the scenes the other state, durably. If that fails the archive has its own again.
    ///
    /// - Parameter replacing: the file that the state comes from, if another program gave it the
    ///   archive's name; if that fails it is not written over.
    func write(
        by saver: StateSaver, from replacing: ReplacingArchive? = nil
    ) throws(StateChangeFailure) {
        if saver.writeDurably(turn) { return }
        let reason = saver.failure ?? saver.undecided ?? "\(saver.archive.path) is not durable"
        if let replacing { saver.archive.refuseReplacement(replacing) }
        // It is in memory alone, where it must not come true later.
        saver.write(undoing)
        throw StateChangeFailure(cause: .notSaved, reason: reason)
    }

    /// Keeps what gives way, and gives the scenes the other state, durably.
    func replaceStanding(
        by saver: StateSaver, because reason: GenerationReason
    ) throws(StateChangeFailure) {
        try saver.generations.keeping(because: standing.isEmpty ? nil : reason) {
            _ throws(StateChangeFailure) in try write(by: saver)
        }
        saver.generations.prune()
    }

    /// Gives the scenes what they had before, durably.
    ///
    /// - Returns: false if the disk still has the other state.
    func undo(by saver: StateSaver) -> Bool { saver.writeDurably(undoing) }
}

extension GenerationPolicy {
    /// Keeps what is saved before a body puts something in its place. What was made for that goes
    /// again if the body fails, because what it holds lives on.
    ///
    /// - Parameters:
    ///   - reason: why it is kept; nil: it is not.
    ///   - body: told where it is kept, if it is.
    /// - Returns: where it is kept, if it is.
    @discardableResult
    func keeping(
        because reason: GenerationReason?,
        _ body: (_ path: String?) throws(StateChangeFailure) -> Void
    ) throws(StateChangeFailure) -> Kept? {
        var kept: Kept?
        do throws(SaveError) {
            if let reason { kept = try keep(because: reason) }
        } catch {
            throw StateChangeFailure(notKept: error)
        }
        do throws(StateChangeFailure) {
            try body(kept?.path)
        } catch {
            withdraw(kept)
            throw error
        }
        return kept
    }
}

/// Records of one archive under the numbers of another, as passes of their scenes.
private struct RenumberedRecords {
    private let contents: ArchiveContents
    private var transfer: RecordTransfer
    private var passes: [(objects: [ObjectRecord], end: PassEnd)] = []

    init(from contents: ArchiveContents, names: NameTable, numbering: RecordNumbering) {
        self.contents = contents
        transfer = RecordTransfer(from: contents.names, to: names, numbering: numbering)
    }

    /// The records of the scenes.
    var scenes: [ObjectRecord] { passes.compactMap(\.objects.first) }

    /// Gives the records of some scenes their new numbers, each after its parent; nil: those of
    /// all.
    mutating func add(_ scenes: [RestorationIdentifier]?) throws(StateChangeFailure) {
        var isCovered = true
        let objects = contents.objects.filter { object in
            if object.header.parent == 0 { isCovered = scenes?.contains(object.name) ?? true }
            return isCovered
        }
        for object in objects { transfer.add(RecordNumber(object.header.number)) }
        for object in objects {
            var header = object.header
            header.number = transfer.object(RecordNumber(header.number)).rawValue
            header.parent = transfer.object(RecordNumber(header.parent)).rawValue
            header.classToken = transfer.name(header.classToken)
            header.restorationClassToken = transfer.name(header.restorationClassToken)
            header.storyboard = transfer.name(header.storyboard)
            header.storyboardIdentifier = transfer.name(header.storyboardIdentifier)
            var values: [UInt8]
            var outOfLine: [OutOfLineValue] = []
            do throws(ValueError) {
                values = try transfer.values(object.values)
                // Each of these values is the only one in its bytes.
                for value in object.outOfLine {
                    let bytes = try transfer.values(value.bytes)
                    if bytes.isEmpty { continue }
                    outOfLine.append(.init(key: transfer.name(value.key), bytes: bytes[...]))
                }
            } catch {
                throw StateChangeFailure(
                    cause: .unreadableValues,
                    reason: "the values of its object \(object.header.identifier) cannot be read")
            }
            if header.parent == 0 {
                let timestamp = contents.passes[object.header.number]?.timestamp ?? 0
                passes.append(([], PassEnd(scene: header.number, timestamp: timestamp)))
            }
            guard !passes.isEmpty else {
                throw StateChangeFailure(cause: .damaged, reason: "it begins with no scene")
            }
            passes[passes.count - 1].objects.append(
                ObjectRecord(header: header, values: values[...], outOfLine: outOfLine))
        }
    }

    /// Records to write beside the names: each scene as a pass, the removals in the last one.
    ///
    /// - Parameter standing: the numbers of scenes that go.
    func turn(removing standing: [UInt32]) -> TurnRecords {
        var turn = TurnRecords()
        for (index, pass) in passes.enumerated() {
            if index > 0 { turn.endPass(passes[index - 1].end) }
            for object in pass.objects { turn.addObject(object) }
        }
        for number in standing { turn.addRemoval(number) }
        // A number that was given is given to no other object.
        if let stranger = transfer.stranger { turn.addRemoval(stranger.rawValue) }
        if !turn.isEmpty { turn.endPass(passes.last?.end ?? PassEnd(scene: 0, timestamp: 0)) }
        return turn
    }
}

extension ArchiveContents {
    /// The names of the scenes.
    var sceneNames: [RestorationIdentifier] {
        objects.filter { $0.header.parent == 0 }.map(\.name)
    }
}

extension KeptContents {
    /// The scenes that it holds.
    ///
    /// - Throws: that it holds none.
    var scenesToPutBack: [RestorationIdentifier] {
        get throws(StateChangeFailure) {
            let scenes = contents.sceneNames
            if scenes.isEmpty {
                throw StateChangeFailure(cause: .damaged, reason: "\(path) holds no scene")
            }
            return scenes
        }
    }
}
