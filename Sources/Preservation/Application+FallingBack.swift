import Logging
import SavedState
import StateRestoration

// What becomes of a state that took the place of another, and made the program die (L8).

extension Application {
    /// Scenes of which that is known get back what they had, before any scene is launched.
    func fallBack(_ hosted: HostedScenes) {
        let replaced = launches.replaced(of: bundleIdentifier)
            .map { RestorationIdentifier(recorded: $0.scene) }
        let names = hosted.waiting + replaced.filter { !hosted.waiting.contains($0) }
        for name in names {
            let decision = launches.decide(
                key(of: name), identity: identity(of: definition),
                hasState: hosted.record(of: name) != nil,
                limits: LaunchLimits(crashes: settings.crashLimit))
            guard case .fallBack(let generation, let reason) = decision else { continue }
            // What fails is tried again, and told, when the scene is launched.
            _ = fallBack(to: generation, name, of: hosted, reason)
            hosted.waitForThoseInUse()
        }
    }

    /// What took the place of a scene's state goes to quarantine, and what it had before comes back from
    /// its generation; so it does of all scenes that got another state, or lost theirs, together with it
    /// and are not launched.
    ///
    /// - Parameter generation: its path.
    /// - Returns: why that failed. The scene is not launched then.
    func fallBack(
        to generation: String, _ name: RestorationIdentifier, of hosted: HostedScenes,
        _ reason: String
    ) -> String? {
        let replaced = launches.replaced(of: bundleIdentifier)
            .filter { $0.generation == generation }
            .map { RestorationIdentifier(recorded: $0.scene) }
            .filter { other in
                if case .launched = hosted.state(of: other) { false } else { true }
            }
        do throws(ReplacementFailure) {
            try fallBack(to: generation, replaced, of: hosted, reason)
        } catch {
            if error.cause.isOfDisk {
                return
                    "\(reason); it is to get back what it had before, which failed: \(error.reason)"
            }
            // Then what there is is blamed as any other state.
            launches.note(.replaced(scene: key(of: name), generation: nil), durably: true)
            log.tell(
                .error, .putBack,
                "what it had before its state was replaced cannot be used: \(error.reason)",
                scene: name.text, reason: error.reason)
        }
        return nil
    }

    private func fallBack(
        to generation: String, _ names: [RestorationIdentifier], of hosted: HostedScenes,
        _ reason: String
    ) throws(ReplacementFailure) {
        let kept: KeptContents
        do throws(KeptStateError) {
            kept = try archive.contents(ofGenerationAt: generation)
        } catch {
            throw ReplacementFailure(error)
        }
        let prepared = try archive.prepare(
            kept.contents, of: names, names: hosted.names, numbering: hosted.numbering)
        let copies = try quarantine(prepared.standing, of: hosted, reason)
        do throws(ReplacementFailure) {
            try saver.put(prepared)
        } catch {
            archive.removeQuarantined(copies)
            throw error
        }
        let paths = copies.map(archive.quarantinePath)
        let other = paths.isEmpty ? "" : "; the other state is kept as "
        for name in names {
            launches.note(.fellBack(scene: key(of: name)), durably: true)
            let sentence =
                "gets back what it had before its state was replaced, from \(generation)\(other)"
                + "\(paths.joined(separator: ", ")), because \(reason)"
            log.tell(
                .error, .quarantined, sentence, scene: name.text, generation: generation,
                reason: reason)
            saver.lastError = "the scene \(name) \(sentence)"
        }
    }

    /// Puts what is saved of scenes into quarantine; it stays in the archive.
    ///
    /// - Returns: the names there.
    private func quarantine(
        _ names: [RestorationIdentifier], of hosted: HostedScenes, _ reason: String
    ) throws(ReplacementFailure) -> [String] {
        var copies: [String] = []
        do throws(SaveError) {
            for number in names.compactMap({ hosted.record(of: $0)?.header.number }) {
                let name = try archive.quarantineScene(
                    number,
                    reason:
                        "The scene was launched from it in place of another state, and \(reason).")
                if let name { copies.append(name) }
            }
        } catch {
            archive.removeQuarantined(copies)
            throw ReplacementFailure(cause: .notSaved, reason: "\(error)")
        }
        return copies
    }
}
