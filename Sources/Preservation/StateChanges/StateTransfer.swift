import SavedState
import StateRecords
import StateRestoration

/// State of scenes that is copied into an archive under new record numbers, and the scenes that it replaces
/// there.
struct StateTransfer {
    /// Names of the scenes in the new state.
    let scenes: [RestorationIdentifier]
    /// Names of the scenes that are replaced.
    let replaced: [RestorationIdentifier]
    /// Records that add the new state to the archive and remove the replaced scenes.
    private let turn: TurnRecords
    /// Records that restore the archive's previous state.
    private let undoing: TurnRecords
    private let inUse: [RestorationIdentifier]

    /// Names of the scenes that get a new state or lose their state.
    var covered: [RestorationIdentifier] { scenes + replaced.filter { !scenes.contains($0) } }

    /// Whether a scene was in use when it was saved.
    func isInUse(_ scene: RestorationIdentifier) -> Bool { inUse.contains(scene) }

    /// Prepares the state of scenes for an archive, without writing it.
    ///
    /// The archive's name table gets the names of the state.
    ///
    /// - Parameters:
    ///   - contents: Contents that the state comes from.
    ///   - covered: Scenes that get the state, or lose theirs, or `nil` for all scenes.
    ///   - names: Name table of the launched application, or of the archive if the application does not run.
    ///   - numbering: Record numbering of the launched application, or of the archive if the application does
    ///     not run.
    /// - Throws: The reason why the archive cannot accept the state.
    init(
        _ contents: ArchiveContents, of covered: [RestorationIdentifier]?,
        into archive: ApplicationArchive, names: NameTable, numbering: RecordNumbering
    ) throws(StateChangeFailure) {
        var records = RenumberedRecords(from: contents, names: names, numbering: numbering)
        try records.add(covered)
        scenes = records.scenes.map(\.name)
        inUse = records.scenes.filter { $0.reservedState(names: names).isInUse }.map(\.name)
        let giving = archive.scenes.filter { covered?.contains($0.name) ?? true }
        replaced = giving.map(\.name)
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
        for name in names.consumeNewNames() { named.addName(name.text, number: name.number) }
        if !named.isEmpty { named.endPass(PassEnd(scene: 0, timestamp: 0)) }
        do throws(SaveError) {
            // The names are added first, and independently of the outcome, because a running application uses
            // the name numbers that it assigned.
            try archive.stage(named)
            try archive.check(turn)
        } catch {
            throw StateChangeFailure(error)
        }
    }

    // MARK: Writing

    /// Writes the new state of the scenes durably. If that fails, the archive's previous state is restored.
    ///
    /// - Parameter replacing: The source of the state, if it is a file that another program stored under the
    ///   archive's name. If the write fails, this file is not overwritten.
    func write(
        by saver: StateSaver, from replacing: ReplacingArchive? = nil
    ) throws(StateChangeFailure) {
        if saver.writeDurably(turn) { return }
        let reason = saver.failure ?? saver.undecided ?? "\(saver.archive.path) is not durable"
        if let replacing { saver.archive.refuseReplacement(replacing) }
        // The new state exists only in memory, and must not be written later.
        saver.write(undoing)
        throw StateChangeFailure(cause: .notSaved, reason: reason)
    }

    /// Adds the replaced state to the history, and writes the new state durably.
    func replaceState(
        by saver: StateSaver, because reason: GenerationReason
    ) throws(StateChangeFailure) {
        try saver.generations.savingToHistory(because: replaced.isEmpty ? nil : reason) {
            _ throws(StateChangeFailure) in try write(by: saver)
        }
        saver.generations.prune()
    }

    /// Writes the previous state of the scenes durably.
    ///
    /// - Returns: Whether the previous state is on disk; if not, the disk still has the new state.
    func undo(by saver: StateSaver) -> Bool { saver.writeDurably(undoing) }
}

extension GenerationPolicy {
    /// Adds the saved state to the history before a body replaces it.
    ///
    /// If the body fails, a generation that was made for it is removed, because its state is still the
    /// current state.
    ///
    /// - Parameters:
    ///   - reason: Reason for adding the state to the history, or `nil` to add nothing.
    ///   - body: Receives the path of the generation, or `nil` if there is none.
    /// - Returns: The generation, or `nil` if there is none.
    @discardableResult
    func savingToHistory(
        because reason: GenerationReason?,
        _ body: (_ path: String?) throws(StateChangeFailure) -> Void
    ) throws(StateChangeFailure) -> HistoryEntry? {
        var kept: HistoryEntry?
        do throws(SaveError) {
            if let reason { kept = try saveToHistory(because: reason) }
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

/// Records of one archive, renumbered for another archive, and grouped as passes of their scenes.
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

    /// Renumbers the records of some scenes, each after its parent, or the records of all scenes if `scenes`
    /// is `nil`.
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
                // Each out-of-line value is the only value in its bytes.
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

    /// Returns the records to write in addition to the names: one pass for each scene, with the removals in
    /// the last pass.
    ///
    /// - Parameter replaced: Numbers of the scenes to remove.
    func turn(removing replaced: [UInt32]) -> TurnRecords {
        var turn = TurnRecords()
        for (index, pass) in passes.enumerated() {
            if index > 0 { turn.endPass(passes[index - 1].end) }
            for object in pass.objects { turn.addObject(object) }
        }
        for number in replaced { turn.addRemoval(number) }
        // A number that was assigned must not be assigned to another object.
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

extension StoredContents {
    /// Names of the scenes in the file.
    ///
    /// - Throws: An error if the file holds no scene.
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
