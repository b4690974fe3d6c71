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
        guard let hosted else {
            throw ReplacementFailure(cause: .notLaunched, reason: "\(notTaking)")
        }
        let result = await withCheckedContinuation { continuation in
            beginReplacing(replacement, of: hosted) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// Begins to replace the saved state of scenes; nothing is being launched or exchanged.
    ///
    /// - Parameter end: told when the scenes are launched, or why nothing has changed.
    func beginReplacing(
        _ replacement: StateReplacement, of hosted: HostedScenes,
        end: @escaping (Result<ReplacedState, ReplacementFailure>) -> Void
    ) {
        do throws(ReplacementFailure) {
            try replace(replacement, of: hosted, end: end)
        } catch {
            end(.failure(error))
        }
    }

    private func replace(
        _ replacement: StateReplacement, of hosted: HostedScenes,
        end: @escaping (Result<ReplacedState, ReplacementFailure>) -> Void
    ) throws(ReplacementFailure) {
        // What is live belongs into the generation.
        save(hosted, .demand)
        if !replacement.isInPlace, let failure = saver.failure {
            throw ReplacementFailure(cause: .notSaved, reason: failure)
        }
        let transfer = try transfer(replacement, to: hosted)
        let standing = archive.scenes.filter {
            replacement.scenes?.contains($0.name) ?? true
        }
        let numbers = standing.map(\.header.number)
        let turn = transfer.turn(removing: numbers)
        try check(turn, transfer.takeNames())
        let generation = try keep(replacement, standing.isEmpty)
        let names = launched(by: replacement, transfer, of: hosted)
        let undo = archive.turn(restoring: numbers, removing: transfer.sceneNumbers)
        try write(turn, undo, replacement)
        for name in transfer.scenes {
            launches.note(.replaced(scene: key(of: name), generation: generation))
        }
        let ending = hosted.scenes.map(\.name).filter {
            replacement.scenes?.contains($0) ?? true && !names.contains($0)
        }
        hosted.beginExchange(
            of: names, ending: ending, reason: .replace, definition: definition
        ) { [unowned self] failure in
            if let failure {
                undoReplacing(undo, transfer.scenes)
                end(.failure(ReplacementFailure(cause: .notLaunched, reason: "\(failure)")))
            } else {
                for name in transfer.scenes where !names.contains(name) {
                    hosted.noteReplaced(name)
                }
                end(
                    .success(
                        ReplacedState(
                            scenes: names.map(\.text), generation: generation,
                            saved: saver.saved)))
            }
        }
        advanceLaunches()
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
                case .launched:
                    isThere || replacement.scenes != nil || definition.scenes.contains(name)
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
            if replacement.isInPlace { try archive.acceptReplacement() }
        } catch {
            throw ReplacementFailure(cause: .notSaved, reason: "\(error)")
        }
        if saver.writeDurably(turn) { return }
        let reason = saver.failure ?? "the disk did not take it"
        if replacement.isInPlace { archive.refuseReplacement() }
        saver.write(undo)
        throw ReplacementFailure(cause: .notSaved, reason: reason)
    }

    /// The scenes from before go on: the archive gets what they know of it.
    private func undoReplacing(_ undo: TurnRecords, _ scenes: [RestorationIdentifier]) {
        _ = saver.writeDurably(undo)
        for name in scenes {
            launches.note(.replaced(scene: key(of: name), generation: nil))
        }
    }
}
