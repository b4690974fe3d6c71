package import SavedState
package import StateRestoration

extension ApplicationArchive {
    /// Puts every scene that something in quarantine holds back into the archive of an application
    /// that is not launched, under new numbers; the file stays in quarantine. A scene that stands
    /// under the same name gives way; what was saved until now becomes a generation first then.
    ///
    /// - Parameter quarantined: the name in quarantine.
    /// - Throws: ``QuarantineError``. Nothing has changed then; but after
    ///   ``QuarantineError/save(_:)`` what came back may be in memory, to be saved with the next turn.
    @discardableResult
    package func putBack(_ quarantined: String) throws(QuarantineError) -> PutBackOutcome {
        try putBack(
            contents(ofQuarantined: quarantined), names: NameTable(names),
            numbering: RecordNumbering(after: highestObjectNumber))
    }

    /// The same of an application that is launched, whose scenes share names and numbers. The scenes
    /// that come back must not be launched: their live objects know nothing of it.
    @discardableResult
    package func putBack(
        _ quarantined: QuarantinedContents, names: NameTable, numbering: RecordNumbering
    ) throws(QuarantineError) -> PutBackOutcome {
        let transfer: StateTransfer
        do throws(StateTransfer.UnreadableValues) {
            transfer = try StateTransfer(
                quarantined.contents, names: names, numbering: numbering)
        } catch {
            throw .unreadableValues(
                path: quarantinePath(of: quarantined.name), object: error.identifier)
        }
        guard !transfer.scenes.isEmpty else {
            throw .damaged(
                path: quarantinePath(of: quarantined.name), reason: "it holds no scene")
        }
        var outcome = PutBackOutcome(scenes: transfer.scenes, shortfall: quarantined.shortfall)
        do throws(SaveError) {
            let standing = scenes.filter { transfer.scenes.contains($0.name) }
            // First, and whatever comes of the rest: a program that runs counts on the names it gave.
            try hold(transfer.takeNames())
            let turn = transfer.turn(removing: standing.map(\.header.number))
            try check(turn)
            if !standing.isEmpty { outcome.generation = try keepGeneration() }
            _ = try append(turn)
            try synchronize()
        } catch {
            throw .save(error)
        }
        return outcome
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

extension QuarantineError {
    /// Whether another attempt may well succeed, with the same file.
    var isOfDisk: Bool {
        switch self {
        case .save, .io: true
        case .unknown, .noFile, .damaged, .foreign, .newerFormat, .unreadableValues: false
        }
    }
}
