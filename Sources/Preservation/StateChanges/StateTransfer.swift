import SavedState
import StateRecords
import StateRestoration

/// Transfer of scenes' state to an archive, where it receives new record numbers and replaces the previous state.
struct StateTransfer {
    /// Names of the scenes whose state is transferred.
    let transferredSceneNames: [RestorationIdentifier]
    /// Names of the scenes whose previous state is replaced or removed.
    let replacedSceneNames: [RestorationIdentifier]
    /// Records for adding the new state to the archive and removing the previous scenes.
    private let turnRecords: TurnRecords
    /// Records for restoring the archive's previous state.
    private let undoRecords: TurnRecords
    private let sceneNamesInUse: [RestorationIdentifier]

    /// Names of the scenes that receive new state or lose their state.
    var coveredSceneNames: [RestorationIdentifier] {
        transferredSceneNames
            + replacedSceneNames.filter { !transferredSceneNames.contains($0) }
    }

    /// Returns whether a scene was in use when its transferred state was saved.
    func isInUse(_ scene: RestorationIdentifier) -> Bool { sceneNamesInUse.contains(scene) }

    /// Prepares a transfer without writing the state to the archive.
    ///
    /// The names in the state are added to the archive's name table.
    ///
    /// - Parameters:
    ///   - contents: The contents of the archive that contains the new state.
    ///   - coveredSceneNames: The scenes that receive new state or lose their state, or `nil` for all scenes.
    ///   - names: The name table of the launched application, or of the archive if the application is not running.
    ///   - numbering: The record numbering of the launched application, or of the archive if the application is not
    ///     running.
    /// - Throws: An error that states why the archive cannot accept the state.
    init(
        _ contents: ArchiveContents, of coveredSceneNames: [RestorationIdentifier]?,
        into archive: ApplicationArchive, names: NameTable, numbering: RecordNumberGenerator
    ) throws(StateChangeFailure) {
        var records = RenumberedRecords(from: contents, names: names, numbering: numbering)
        try records.add(coveredSceneNames)
        transferredSceneNames = records.sceneRecords.map(\.sceneName)
        sceneNamesInUse = records.sceneRecords.filter {
            $0.reservedState(names: names).isInUse
        }.map(\.sceneName)
        let replacedScenes = archive.scenes.filter {
            coveredSceneNames?.contains($0.sceneName) ?? true
        }
        replacedSceneNames = replacedScenes.map(\.sceneName)
        turnRecords = records.turnRecords(removing: replacedScenes.map(\.header.number))
        var undoRecords = TurnRecords()
        for scene in replacedScenes {
            let number = scene.header.number
            for object in archive.records(below: number).objects { undoRecords.addObject(object) }
            undoRecords.endPass(
                archive.passEnd(ofScene: number) ?? PassEnd(scene: number, timestamp: 0))
        }
        for scene in records.sceneRecords { undoRecords.addRemoval(scene.header.number) }
        if !records.sceneRecords.isEmpty { undoRecords.endPass(PassEnd(scene: 0, timestamp: 0)) }
        self.undoRecords = undoRecords
        var nameRecords = TurnRecords()
        for name in names.consumeNewNames() { nameRecords.addName(name.text, number: name.number) }
        if !nameRecords.isEmpty { nameRecords.endPass(PassEnd(scene: 0, timestamp: 0)) }
        do throws(SaveError) {
            // The names are added first and remain even if the check fails, because a running application uses the
            // numbers assigned to them.
            try archive.stage(nameRecords)
            try archive.check(turnRecords)
        } catch {
            throw StateChangeFailure(error)
        }
    }

    // MARK: Writing

    /// Durably writes the new state of the scenes. If the write fails, the archive's previous state is restored.
    ///
    /// - Parameter replacement: The other program's archive that contains the state, or `nil` if the state has a
    ///   different source. If the write fails, the other program's file is not overwritten.
    func write(
        by saver: StateSaver, from replacement: ReplacementArchive? = nil
    ) throws(StateChangeFailure) {
        if saver.writeDurably(turnRecords) { return }
        let reason =
            saver.failureReason ?? saver.unhandledChangeReason
            ?? "\(saver.archive.path) is not durable"
        if let replacement { saver.archive.rejectReplacement(replacement) }
        // The new state exists only in memory and must not be written later.
        saver.write(undoRecords)
        throw StateChangeFailure(cause: .notSaved, reason: reason)
    }

    /// Adds the previous state to the history, then durably writes the new state.
    func replaceState(
        by saver: StateSaver, because reason: GenerationReason
    ) throws(StateChangeFailure) {
        try saver.generations.saveToHistoryAndReplace(
            because: replacedSceneNames.isEmpty ? nil : reason
        ) {
            _ throws(StateChangeFailure) in try write(by: saver)
        }
        saver.generations.pruneHistory()
    }

    /// Durably writes the previous state of the scenes.
    ///
    /// - Returns: Whether the previous state was written. Otherwise, the file still contains the new state.
    func undo(by saver: StateSaver) -> Bool { saver.writeDurably(undoRecords) }
}

extension GenerationWriter {
    /// Adds the saved state to the history before a closure replaces the state.
    ///
    /// If the closure throws an error, a newly added generation is deleted, because its state is still the current
    /// state.
    ///
    /// - Parameters:
    ///   - reason: The reason for adding the state to the history, or `nil` if the state is not added.
    ///   - body: A closure that replaces the state. It receives the path of the generation, or `nil` if no generation
    ///     was added.
    /// - Returns: The generation, or `nil` if no generation was added.
    @discardableResult
    func saveToHistoryAndReplace(
        because reason: GenerationReason?,
        _ body: (_ path: String?) throws(StateChangeFailure) -> Void
    ) throws(StateChangeFailure) -> HistoryEntry? {
        var historyEntry: HistoryEntry?
        do throws(SaveError) {
            if let reason { historyEntry = try saveToHistory(because: reason) }
        } catch {
            throw StateChangeFailure(historyError: error)
        }
        do throws(StateChangeFailure) {
            try body(historyEntry?.path)
        } catch {
            discardIfNew(historyEntry)
            throw error
        }
        return historyEntry
    }
}

/// Records from an archive, renumbered for another archive and grouped into passes over scenes.
private struct RenumberedRecords {
    private let contents: ArchiveContents
    private var renumbering: RecordRenumbering
    private var passes: [(objects: [ObjectRecord], end: PassEnd)] = []

    init(from contents: ArchiveContents, names: NameTable, numbering: RecordNumberGenerator) {
        self.contents = contents
        renumbering = RecordRenumbering(from: contents.names, to: names, numbering: numbering)
    }

    /// Renumbered records of the scenes, without the scenes' objects.
    var sceneRecords: [ObjectRecord] { passes.compactMap(\.objects.first) }

    /// Renumbers the records of the given scenes, or of all scenes if `sceneNames` is `nil`. Parents precede their
    /// children.
    mutating func add(_ sceneNames: [RestorationIdentifier]?) throws(StateChangeFailure) {
        var isCovered = true
        let objects = contents.objects.filter { object in
            if object.header.parent == 0 {
                isCovered = sceneNames?.contains(object.sceneName) ?? true
            }
            return isCovered
        }
        for object in objects { renumbering.add(RecordNumber(object.header.number)) }
        for object in objects {
            var header = object.header
            header.number = renumbering.renumberRecord(RecordNumber(header.number)).rawValue
            header.parent = renumbering.renumberRecord(RecordNumber(header.parent)).rawValue
            header.classToken = renumbering.renumberName(header.classToken)
            header.restorationClassToken = renumbering.renumberName(header.restorationClassToken)
            header.storyboard = renumbering.renumberName(header.storyboard)
            header.storyboardIdentifier = renumbering.renumberName(header.storyboardIdentifier)
            var values: [UInt8]
            var outOfLine: [OutOfLineValue] = []
            do throws(ValueError) {
                values = try renumbering.renumberedValues(object.values)
                // The bytes of an out-of-line value contain only this value.
                for value in object.outOfLine {
                    let bytes = try renumbering.renumberedValues(value.bytes)
                    if bytes.isEmpty { continue }
                    outOfLine.append(
                        .init(key: renumbering.renumberName(value.key), bytes: bytes[...]))
                }
            } catch {
                throw StateChangeFailure(
                    cause: .unreadableValues,
                    reason: "the values of its object \(object.header.identifier) cannot be read")
            }
            if header.parent == 0 {
                let timestamp = contents.passEnds[object.header.number]?.timestamp ?? 0
                passes.append(([], PassEnd(scene: header.number, timestamp: timestamp)))
            }
            guard !passes.isEmpty else {
                throw StateChangeFailure(cause: .damaged, reason: "it does not begin with a scene")
            }
            passes[passes.count - 1].objects.append(
                ObjectRecord(header: header, values: values[...], outOfLine: outOfLine))
        }
    }

    /// Returns the records to write: one pass for each scene, with the removals in the last pass. Names are not
    /// included.
    ///
    /// - Parameter sceneNumbers: The numbers of the scenes to remove.
    func turnRecords(removing sceneNumbers: [UInt32]) -> TurnRecords {
        var turnRecords = TurnRecords()
        for (index, pass) in passes.enumerated() {
            if index > 0 { turnRecords.endPass(passes[index - 1].end) }
            for object in pass.objects { turnRecords.addObject(object) }
        }
        for number in sceneNumbers { turnRecords.addRemoval(number) }
        // An assigned number must not be reused for another object.
        if let danglingReferenceNumber = renumbering.danglingReferenceNumber {
            turnRecords.addRemoval(danglingReferenceNumber.rawValue)
        }
        if !turnRecords.isEmpty {
            turnRecords.endPass(passes.last?.end ?? PassEnd(scene: 0, timestamp: 0))
        }
        return turnRecords
    }
}

extension ArchiveContents {
    /// Names of all scenes in the archive.
    var sceneNames: [RestorationIdentifier] {
        objects.filter { $0.header.parent == 0 }.map(\.sceneName)
    }
}

extension StoredContents {
    /// Names of the scenes in the file.
    ///
    /// - Throws: An error if the file contains no scene.
    var sceneNamesToPutBack: [RestorationIdentifier] {
        get throws(StateChangeFailure) {
            let sceneNames = contents.sceneNames
            if sceneNames.isEmpty {
                throw StateChangeFailure(cause: .damaged, reason: "\(path) contains no scene")
            }
            return sceneNames
        }
    }
}
