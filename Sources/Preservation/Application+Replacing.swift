import SavedState
import StateRestoration

// How scenes get another saved state while they live (L8): what is saved is kept as a generation, the
// archive gets the other state, the scenes are launched from it beside the old ones, and change
// places with them. If that fails the archive gets its own state back.

extension Application {
    /// Replaces the saved state of scenes, and launches them from it unless the application was stopped.
    ///
    /// Returns when they are launched.
    func replaceState(
        _ replacement: StateReplacement
    ) async throws(ReplacementFailure) -> ReplacedState {
        await waitUntilSettled()
        guard let hosted else { return try await replaceUnlaunched(replacement) }
        let result = await withCheckedContinuation { continuation in
            beginReplacing(replacement, of: hosted, for: .command(continuation))
        }
        return try result.get()
    }

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
            conclude(requester, .failure(error))
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
        let prepared = try archive.prepare(
            replacement.contents, of: replacement.scenes, names: hosted.names,
            numbering: hosted.numbering)
        let kept = try saver.keep(prepared, because: replacement.reason)
        let names = launched(by: replacement, prepared.transfer, of: hosted)
        let known = knownLaunches(of: prepared.scenes + names)
        mark(prepared, kept, launching: names)
        do throws(ReplacementFailure) {
            try write(prepared, replacement)
        } catch {
            reinstate(known)
            // What it holds lives on, and another attempt would make another.
            saver.giveUp(kept)
            throw error
        }
        let ending = hosted.scenes.map(\.name).filter {
            replacement.covers($0) && !names.contains($0)
        }
        let pending = PendingReplacement(
            prepared: prepared, launched: names, generation: kept?.path, requester: requester)
        hosted.beginExchange(
            of: names, ending: ending, reason: .replace, definition: definition, known: known,
            purpose: .replacement(pending))
        advanceLaunches()
    }

    /// A crash of the launches that follow gives the scenes back what they have now, whatever happened to
    /// them before (L8).
    ///
    /// - Parameter names: scenes that are launched, whether anything is saved of them or not.
    func mark(
        _ prepared: PreparedState, _ kept: KeptState?, launching names: [RestorationIdentifier] = []
    ) {
        for name in prepared.scenes {
            launches.note(.newState(scene: key(of: name)))
            launches.note(.replaced(scene: key(of: name), generation: kept?.path))
        }
        for name in names where !prepared.scenes.contains(name) {
            launches.note(.replaced(scene: key(of: name), generation: nil))
        }
    }

    /// The scenes were launched from the other state, or not.
    func endReplacing(_ pending: PendingReplacement, _ failure: ExchangeFailure?) {
        if let failure {
            let reason = ReplacementFailure(cause: .notLaunched, reason: "\(failure)")
            conclude(pending.requester, .failure(reason))
            return
        }
        let ended = pending.prepared.scenes.filter {
            !pending.launched.contains($0) && !pending.prepared.transfer.scenes.contains($0)
        }
        for name in ended { launches.note(.replaced(scene: key(of: name), generation: nil)) }
        conclude(
            pending.requester,
            .success(
                ReplacedState(
                    scenes: pending.launched.map(\.text), generation: pending.generation,
                    saved: saver.saved)))
    }

    private func conclude(
        _ requester: PendingReplacement.Requester,
        _ result: Result<ReplacedState, ReplacementFailure>
    ) {
        switch requester {
        case .command(let waiter): waiter.resume(returning: result)
        case .file(let replacing): noteTakenOver(replacing, result)
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
                case .failed where replacement.scenes != nil: true
                case .launched:
                    isThere ? transfer.isInUse(name) : definition.scenes.contains(name)
                case .failed: isThere || definition.scenes.contains(name)
                case .saved, .unknown, .launching: isThere && transfer.isInUse(name)
                }
            if isWanted { names.append(name) }
        }
        return names
    }

    private func write(
        _ prepared: PreparedState, _ replacement: StateReplacement
    ) throws(ReplacementFailure) {
        do throws(SaveError) {
            if let replacing = replacement.replacing {
                try archive.acceptReplacement(replacing)
            } else {
                // In one file, so that no moment has one scene twice.
                try archive.requireWholeFile()
            }
        } catch {
            var failure = ReplacementFailure(cause: .notSaved, reason: "\(error)")
            if case .changedExternally = error { failure.isSuperseded = true }
            throw failure
        }
        try saver.put(prepared, from: replacement.replacing)
    }

    /// The scenes from before go on: the archive gets what they know of it.
    func undoReplacing(_ pending: PendingReplacement, _ known: KnownLaunches) {
        let isUndone = saver.writeDurably(pending.prepared.undo)
        reinstate(known)
        if isUndone { return }
        // The next process finds the other state.
        for name in pending.prepared.scenes {
            launches.note(.replaced(scene: key(of: name), generation: pending.generation))
        }
    }
}
