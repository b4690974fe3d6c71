import Logging
import SavedState
import StateRestoration

// What becomes of a state that took the place of another, and made the program die (L8).

extension Application {
    /// Scenes of which that is known get back what they had, before any scene is launched.
    func fallBack(_ hosted: HostedScenes) {
        for name in hosted.waiting {
            let decision = launches.decide(
                key(of: name), identity: identity(of: definition),
                hasState: hosted.record(of: name) != nil,
                limits: LaunchLimits(crashes: settings.crashLimit))
            guard case .fallBack(let generation, let reason) = decision else { continue }
            // What fails is tried again, and told, when the scene is launched.
            _ = fallBack(to: generation, name, of: hosted, reason)
        }
    }

    /// What took the place of a scene's state goes to quarantine, and what it had before comes back from
    /// its generation; so it does of all scenes that got another state together with it and are not
    /// launched.
    ///
    /// - Parameter generation: its path.
    /// - Returns: why that failed. The scene is not launched then.
    func fallBack(
        to generation: String, _ name: RestorationIdentifier, of hosted: HostedScenes,
        _ reason: String
    ) -> String? {
        let replaced = archive.scenes.map(\.name).filter { other in
            if case .launched = hosted.state(of: other) { return false }
            return launches.launches(of: key(of: other))?.replaced == generation
        }
        do throws(KeptStateError) {
            try fallBack(to: generation, replaced, of: hosted, reason)
        } catch {
            if error.isOfDisk {
                return "\(reason); it is to get back what it had before, which failed: \(error)"
            }
            // Then what there is is blamed as any other state.
            launches.note(.replaced(scene: key(of: name), generation: nil), durably: true)
            log.tell(
                .error, .putBack,
                "what it had before its state was replaced cannot be used: \(error)",
                scene: name.text, reason: "\(error)")
        }
        return nil
    }

    private func fallBack(
        to generation: String, _ names: [RestorationIdentifier], of hosted: HostedScenes,
        _ reason: String
    ) throws(KeptStateError) {
        let kept = try archive.contents(ofGenerationAt: generation)
        let transfer: StateTransfer
        do throws(StateTransfer.UnreadableValues) {
            transfer = try StateTransfer(
                kept.contents, of: names, names: hosted.names, numbering: hosted.numbering)
        } catch {
            throw .unreadableValues(path: generation, object: error.identifier)
        }
        var paths: [String] = []
        do throws(SaveError) {
            try archive.hold(transfer.takeNames())
            let numbers = names.compactMap { hosted.record(of: $0)?.header.number }
            let turn = transfer.turn(removing: numbers)
            try archive.check(turn)
            for number in numbers {
                let name = try archive.quarantineScene(
                    number,
                    reason:
                        "The scene was launched from it in place of another state, and \(reason).")
                if let name { paths.append(archive.quarantinePath(of: name)) }
            }
            guard saver.writeDurably(turn) else {
                throw .changedOutside(
                    path: archive.path, reason: saver.failure ?? "it was not written")
            }
        } catch {
            throw .save(error)
        }
        let state = paths.joined(separator: ", ")
        for name in names {
            launches.note(.fellBack(scene: key(of: name)), durably: true)
            let sentence =
                "gets back what it had before its state was replaced, from \(generation); the other "
                + "state is kept as \(state), because \(reason)"
            log.tell(.error, .quarantined, sentence, scene: name.text, reason: reason)
            saver.lastError = "the scene \(name) \(sentence)"
        }
    }
}
