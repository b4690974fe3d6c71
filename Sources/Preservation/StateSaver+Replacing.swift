import SavedState
import StateRestoration

extension StateSaver {
    /// Gives scenes another state, durably. If that fails the archive has its own again.
    ///
    /// - Parameter replacing: the file that the state comes from, if another program gave it the archive's
    ///   name; if that fails it is not written over.
    /// - Throws: why it failed.
    mutating func put(
        _ prepared: PreparedState, from replacing: ReplacingArchive? = nil
    ) throws(ReplacementFailure) {
        if writeDurably(prepared.turn) { return }
        let reason = failure ?? undecided ?? "\(archive.path) is not durable"
        if let replacing { archive.refuseReplacement(replacing) }
        // It is in memory alone, where it must not come true later.
        write(prepared.undo)
        throw ReplacementFailure(cause: .notSaved, reason: reason)
    }

    /// Keeps what is saved as a generation, before scenes get another state.
    ///
    /// - Returns: where it is kept; nil: nothing gives way.
    /// - Throws: why it could not be kept.
    mutating func keep(
        _ prepared: PreparedState, because reason: GenerationReason
    ) throws(ReplacementFailure) -> KeptState? {
        if prepared.standing.isEmpty { return nil }
        do throws(SaveError) {
            return try keepGeneration(because: reason)
        } catch {
            throw ReplacementFailure(
                cause: .notSaved, reason: "what is saved cannot be kept in the history: \(error)")
        }
    }

    /// What was kept for something that was not done after all goes, unless it was there before.
    func giveUp(_ kept: KeptState?) {
        if let kept, kept.isNew { archive.removeGeneration(at: kept.path) }
    }

    /// Puts every scene back that something in quarantine holds; the file stays there. What gives way
    /// becomes a generation first.
    ///
    /// - Parameters:
    ///   - names: the archive's names; those of a launched application, if it is.
    ///   - numbering: gives the archive's numbers, likewise.
    /// - Returns: the names of the scenes.
    /// - Throws: why that failed; nothing has changed then.
    mutating func putBack(
        _ quarantined: KeptContents, names: NameTable, numbering: RecordNumbering
    ) throws(ReplacementFailure) -> [RestorationIdentifier] {
        let scenes = try quarantined.scenesToPutBack
        let prepared = try archive.prepare(
            quarantined.contents, of: scenes, names: names, numbering: numbering)
        let kept = try keep(prepared, because: .putBack(path: quarantined.path))
        do throws(ReplacementFailure) {
            try put(prepared)
        } catch {
            giveUp(kept)
            throw error
        }
        return scenes
    }
}

extension KeptContents {
    /// The scenes that it holds.
    ///
    /// - Throws: that it holds none.
    var scenesToPutBack: [RestorationIdentifier] {
        get throws(ReplacementFailure) {
            let scenes = contents.sceneNames
            if scenes.isEmpty {
                throw ReplacementFailure(cause: .damaged, reason: "\(path) holds no scene")
            }
            return scenes
        }
    }
}
