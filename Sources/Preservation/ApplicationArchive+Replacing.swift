import SavedState
import StateRestoration

extension ApplicationArchive {
    /// Gives scenes that are not launched another state, under new numbers, durably. What was saved
    /// until now becomes a generation first if a scene has to give way.
    ///
    /// - Parameters:
    ///   - path: where the other state comes from, for errors.
    ///   - names: the archive's names; those of a launched application, if it is.
    ///   - numbering: gives the archive's numbers, likewise.
    /// - Throws: ``KeptStateError``. Nothing has changed then.
    func replaceState(
        _ replacement: StateReplacement, from path: String, names: NameTable,
        numbering: RecordNumbering
    ) throws(KeptStateError) -> ReplacedScenes {
        let transfer: StateTransfer
        do throws(StateTransfer.UnreadableValues) {
            transfer = try StateTransfer(
                replacement.contents, of: replacement.scenes, names: names, numbering: numbering)
        } catch {
            throw .unreadableValues(path: path, object: error.identifier)
        }
        var replaced = ReplacedScenes(scenes: transfer.scenes)
        do throws(SaveError) {
            let standing = scenes.filter { replacement.covers($0.name) }
            // First, and whatever comes of the rest: a program that runs counts on the names it gave.
            try hold(transfer.takeNames())
            let turn = transfer.turn(removing: standing.map(\.header.number))
            try check(turn)
            if !standing.isEmpty {
                replaced.generation = try keepGeneration(because: "\(replacement.reason)")
            }
            let undo = self.turn(
                restoring: standing.map(\.header.number), removing: transfer.sceneNumbers)
            do throws(SaveError) {
                _ = try append(turn)
                try synchronize()
            } catch {
                // It is in memory alone, where it must not come true later.
                try hold(undo)
                throw error
            }
        } catch {
            throw .save(error)
        }
        return replaced
    }

    /// Puts every scene back that something in quarantine holds; the file stays there.
    ///
    /// - Throws: like ``replaceState(_:from:names:numbering:)``.
    func putBack(
        _ quarantined: KeptContents, names: NameTable, numbering: RecordNumbering
    ) throws(KeptStateError) -> ReplacedScenes {
        let scenes = quarantined.contents.sceneNames
        if scenes.isEmpty {
            throw .damaged(path: quarantined.path, reason: "it holds no scene")
        }
        return try replaceState(
            StateReplacement(
                contents: quarantined.contents, scenes: scenes,
                reason: .putBack(path: quarantined.path)),
            from: quarantined.path, names: names, numbering: numbering)
    }
}

/// What took another state.
struct ReplacedScenes: Equatable {
    /// The names of the scenes.
    var scenes: [RestorationIdentifier]
    /// The path of the generation that holds what stood in their place; nil: nothing did.
    var generation: String?
}

extension KeptStateError {
    /// Whether another attempt may well succeed, with the same file.
    var isOfDisk: Bool {
        switch self {
        case .save, .io: true
        case .unknown, .noFile, .damaged, .foreign, .newerFormat, .unreadableValues: false
        }
    }

    /// What keeps it from taking the place of the present state.
    var obstacle: ReplacementObstacle {
        switch self {
        case .unknown: .unknown
        case .noFile, .damaged: .damaged
        case .foreign: .foreign
        case .newerFormat: .newerFormat
        case .unreadableValues: .unreadableValues
        case .save, .io: .notSaved
        }
    }
}
