import SavedState
import StateRestoration

/// Another state of scenes, made ready to be put into an archive.
struct PreparedState {
    /// The state, under its new numbers.
    let transfer: StateTransfer
    /// The scenes that give way.
    let standing: [RestorationIdentifier]
    /// Puts the state into the archive, and takes out what gives way.
    let turn: TurnRecords
    /// Makes of the archive what it was before.
    let undo: TurnRecords

    /// The scenes that get another state, or lose theirs.
    var scenes: [RestorationIdentifier] {
        transfer.scenes + standing.filter { !transfer.scenes.contains($0) }
    }
}

extension ApplicationArchive {
    /// Makes the state of scenes from elsewhere ready to be put into this archive. Nothing is written,
    /// but the archive knows the names from now on.
    ///
    /// - Parameters:
    ///   - contents: what the state comes from.
    ///   - covered: the scenes that get it, or have none from then on; nil: all.
    ///   - names: the archive's names; those of a launched application, if it is.
    ///   - numbering: gives the archive's numbers, likewise.
    /// - Throws: why it does not fit.
    func prepare(
        _ contents: ArchiveContents, of covered: [RestorationIdentifier]?, names: NameTable,
        numbering: RecordNumbering
    ) throws(ReplacementFailure) -> PreparedState {
        let transfer: StateTransfer
        do throws(StateTransfer.UnreadableValues) {
            transfer = try StateTransfer(contents, of: covered, names: names, numbering: numbering)
        } catch {
            throw ReplacementFailure(
                cause: .unreadableValues,
                reason: "the values of its object \(error.identifier) cannot be read")
        }
        let standing = scenes.filter { covered?.contains($0.name) ?? true }
        let numbers = standing.map(\.header.number)
        let turn = transfer.turn(removing: numbers)
        do throws(SaveError) {
            // First, and whatever comes of the rest: a program that runs counts on the names it gave.
            try stage(transfer.takeNames())
            try check(turn)
        } catch {
            throw ReplacementFailure(error)
        }
        return PreparedState(
            transfer: transfer, standing: standing.map(\.name), turn: turn,
            undo: self.turn(restoring: standing, removing: transfer.sceneNumbers))
    }

    /// A turn that makes of the archive what it is now, after one that took scenes out and put others
    /// in.
    ///
    /// - Parameters:
    ///   - standing: the scenes that went.
    ///   - put: the numbers of the scenes that came.
    private func turn(restoring standing: [ObjectRecord], removing put: [UInt32]) -> TurnRecords {
        var turn = TurnRecords()
        for scene in standing {
            let number = scene.header.number
            turn.addObject(scene)
            for object in objects(ofScene: number) { turn.addObject(object) }
            turn.endPass(pass(ofScene: number) ?? PassEnd(scene: number, timestamp: 0))
        }
        if put.isEmpty { return turn }
        for number in put { turn.addRemoval(number) }
        turn.endPass(PassEnd(scene: 0, timestamp: 0))
        return turn
    }
}
