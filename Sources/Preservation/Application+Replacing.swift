import Logging
import SavedState
import StateRestoration

// How scenes get another saved state while they live (L8): what is saved is kept as a generation, the
// archive gets the other state, the scenes are launched from it beside the old ones, and change
// places with them. If that fails the archive gets its own state back.

extension Application {
    /// Replaces the saved state of scenes of a running application, and launches them from it.
    ///
    /// Returns when they are launched.
    func replaceState(
        _ replacement: StateReplacement
    ) async throws(ReplacementFailure) -> ReplacedState {
        await waitUntilSettled()
        guard let hosted else { return try replaceUnlaunched(replacement) }
        let result = await withCheckedContinuation { continuation in
            beginReplacing(replacement, of: hosted, for: .command(continuation))
        }
        return try result.get()
    }

    // MARK: Of an application that does not run

    /// Reads what is saved of an application that was not launched yet.
    func loadUnlaunched() throws(KeptStateError) {
        if archive.isLoaded { return }
        do {
            _ = try ArchiveLoader(archive: archive, log: log).load()
        } catch let error as LoadError {
            throw .save(.refused(path: archive.path, because: error))
        } catch {
            throw .save(.notLoaded(path: archive.path))
        }
    }

    private func replaceUnlaunched(
        _ replacement: StateReplacement
    ) throws(ReplacementFailure) -> ReplacedState {
        do throws(KeptStateError) {
            try loadUnlaunched()
            let replaced = try archive.replaceState(
                replacement, from: archive.path, names: NameTable(archive.names),
                numbering: RecordNumbering(after: archive.highestObjectNumber))
            if let generation = replaced.generation {
                saver.noteGeneration(generation, "\(replacement.reason)")
            }
            if case .stopped = phase {
                do throws(SaveError) { try archive.close() } catch { throw .save(error) }
            }
            noteReplacedUnlaunched(replaced.scenes)
            tellIncidents()
            noteDurability()
            return ReplacedState(
                scenes: replaced.scenes.map(\.text), generation: replaced.generation,
                saved: saver.saved)
        } catch {
            throw ReplacementFailure(cause: error.obstacle, reason: "\(error)")
        }
    }

    /// What kept the application from being launched may be over.
    private func noteReplacedUnlaunched(_ scenes: [RestorationIdentifier]) {
        guard case .failed(let reason) = phase else { return }
        let names = scenes.map(\.text).joined(separator: ", ")
        phase = .failed(
            reason:
                "since the last launch failed, \(names) got another saved state; launch it again "
                + "(what it failed for was: \(reason))")
    }

    // MARK: Of one that runs

    /// Begins to replace the saved state of scenes; nothing is being launched or exchanged.
    ///
    /// - Parameter requester: told when the scenes are launched, or why nothing has changed.
    func beginReplacing(
        _ replacement: StateReplacement, of hosted: HostedScenes,
        for requester: PendingReplacement.Requester
    ) {
        do throws(ReplacementFailure) {
            try replace(replacement, of: hosted, for: requester)
        } catch {
            answer(requester, .failure(error))
        }
    }

    private func replace(
        _ replacement: StateReplacement, of hosted: HostedScenes,
        for requester: PendingReplacement.Requester
    ) throws(ReplacementFailure) {
        // What is live belongs into the generation.
        save(hosted, .demand)
        if replacement.replacing == nil, let failure = saver.failure ?? saver.undecided {
            throw ReplacementFailure(cause: .notSaved, reason: failure)
        }
        let transfer = try transfer(replacement, to: hosted)
        let standing = archive.scenes.filter { replacement.covers($0.name) }
        let numbers = standing.map(\.header.number)
        let turn = transfer.turn(removing: numbers)
        try check(turn, transfer.takeNames())
        let generation = try keep(replacement, standing.isEmpty)
        let names = launched(by: replacement, transfer, of: hosted)
        let undo = archive.turn(restoring: numbers, removing: transfer.sceneNumbers)
        for name in transfer.scenes {
            launches.note(.replaced(scene: key(of: name), generation: generation))
        }
        do throws(ReplacementFailure) {
            try write(turn, undo, replacement)
        } catch {
            for name in transfer.scenes {
                launches.note(.replaced(scene: key(of: name), generation: nil))
            }
            // What it holds lives on, and another attempt would make another.
            if let generation { archive.removeGeneration(at: generation) }
            throw error
        }
        let ending = hosted.scenes.map(\.name).filter {
            replacement.covers($0) && !names.contains($0)
        }
        let pending = PendingReplacement(
            undo: undo, scenes: transfer.scenes, launched: names, generation: generation,
            requester: requester)
        hosted.beginExchange(
            of: names, ending: ending, reason: .replace, definition: definition,
            purpose: .replacement(pending))
        advanceLaunches()
    }

    /// The scenes were launched from the other state, or not.
    func endReplacing(_ pending: PendingReplacement, _ failure: ExchangeFailure?) {
        if let failure {
            undoReplacing(pending)
            let reason = ReplacementFailure(cause: .notLaunched, reason: "\(failure)")
            answer(pending.requester, .failure(reason))
            return
        }
        for name in pending.scenes where !pending.launched.contains(name) {
            hosted?.noteReplaced(name)
        }
        answer(
            pending.requester,
            .success(
                ReplacedState(
                    scenes: pending.launched.map(\.text), generation: pending.generation,
                    saved: saver.saved)))
    }

    private func answer(
        _ requester: PendingReplacement.Requester,
        _ result: Result<ReplacedState, ReplacementFailure>
    ) {
        switch requester {
        case .command(let waiter): waiter.resume(returning: result)
        case .file(let replacing): noteTakenOver(replacing, result)
        }
    }

    private func transfer(
        _ replacement: StateReplacement, to hosted: HostedScenes
    ) throws(ReplacementFailure) -> StateTransfer {
        do throws(StateTransfer.UnreadableValues) {
            return try StateTransfer(
                replacement.contents, of: replacement.scenes, names: hosted.names,
                numbering: hosted.numbering)
        } catch {
            throw ReplacementFailure(
                cause: .unreadableValues,
                reason: "the values of its object \(error.identifier) cannot be read")
        }
    }

    /// Whether the archive can take a turn; it has the names then, whatever comes of the rest.
    private func check(
        _ turn: TurnRecords, _ names: TurnRecords
    ) throws(ReplacementFailure) {
        do throws(SaveError) {
            try archive.hold(names)
            try archive.check(turn)
        } catch {
            throw ReplacementFailure(cause: .damaged, reason: "\(error)")
        }
    }

    /// Keeps what is saved, with what is live, as a generation; returns its path.
    private func keep(
        _ replacement: StateReplacement, _ isNothingSaved: Bool
    ) throws(ReplacementFailure) -> String? {
        if isNothingSaved { return nil }
        do throws(SaveError) {
            return try saver.keepGeneration(because: replacement.reason)
        } catch {
            throw ReplacementFailure(
                cause: .notSaved, reason: "what is saved cannot be kept in the history: \(error)")
        }
    }

    /// The scenes to launch: those that were in use, in the one state or the other, and those that
    /// could not be launched.
    private func launched(
        by replacement: StateReplacement, _ transfer: StateTransfer, of hosted: HostedScenes
    ) -> [RestorationIdentifier] {
        let known = replacement.scenes ?? hosted.allNames + transfer.scenes
        var names: [RestorationIdentifier] = []
        for name in known where !names.contains(name) {
            let isThere = transfer.scenes.contains(name)
            let isWanted =
                switch hosted.state(of: name) {
                case .launched where replacement.scenes != nil: true
                case .launched:
                    isThere ? transfer.isInUse(name) : definition.scenes.contains(name)
                case .failed: isThere
                case .saved, .unknown, .launching: isThere && transfer.isInUse(name)
                }
            if isWanted { names.append(name) }
        }
        return names
    }

    private func write(
        _ turn: TurnRecords, _ undo: TurnRecords, _ replacement: StateReplacement
    ) throws(ReplacementFailure) {
        do throws(SaveError) {
            if let replacing = replacement.replacing {
                try archive.acceptReplacement(replacing)
            } else {
                // In one file, so that no moment has one scene twice.
                try archive.requireWholeFile()
            }
        } catch {
            throw ReplacementFailure(cause: .notSaved, reason: "\(error)")
        }
        if saver.writeDurably(turn) { return }
        let reason = saver.failure ?? "the disk did not take it"
        if replacement.replacing != nil { archive.refuseReplacement() }
        saver.write(undo)
        throw ReplacementFailure(cause: .notSaved, reason: reason)
    }

    /// The scenes from before go on: the archive gets what they know of it.
    private func undoReplacing(_ pending: PendingReplacement) {
        guard saver.writeDurably(pending.undo) else { return }
        for name in pending.scenes {
            launches.note(.replaced(scene: key(of: name), generation: nil))
        }
    }
}

/// A replacement whose scenes are being launched.
struct PendingReplacement {
    /// Gives the archive what it had.
    var undo: TurnRecords
    /// The scenes that have another state.
    var scenes: [RestorationIdentifier]
    /// The scenes that are launched.
    var launched: [RestorationIdentifier]
    /// Where what was saved before is kept.
    var generation: String?
    var requester: Requester

    /// Who is told what came of it.
    enum Requester {
        case command(CheckedContinuation<Result<ReplacedState, ReplacementFailure>, Never>)
        /// Another program, which put this in the archive's place.
        case file(ReplacingArchive)
    }
}
