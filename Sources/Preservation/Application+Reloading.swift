import Logging
import SavedState
import StateRestoration

extension Application {
    /// Takes what the application is to be made of from now on: other storyboards, other scenes that
    /// are made at the first start.
    ///
    /// If the resources are others than before, the state is kept as a generation, and every launched
    /// scene gives way to one that is launched beside it from what is saved, with the reason `reload`
    /// (R2). What has no place in the new interface stays as unclaimed (R16). Scenes that could not be
    /// launched, or were not to be, are launched too. If a new scene cannot be launched all go on as
    /// before.
    ///
    /// - Parameter definition: of the same application and bundle version (L6).
    /// - Throws: ``ApplicationError/notReloaded(application:reason:)``; nothing has changed then.
    public func reload(_ definition: ApplicationDefinition) async throws {
        guard definition.bundleIdentifier == bundleIdentifier,
            definition.bundleVersion == self.definition.bundleVersion
        else {
            throw notReloaded("it is for another application, or another version of the program")
        }
        await waitUntilSettled()
        guard !hasEnded else { throw ApplicationError.ending(application: bundleIdentifier) }
        let isSame = definition.resourceFingerprint == self.definition.resourceFingerprint
        guard let hosted, !isSame else {
            self.definition = definition
            hosted?.definition = definition
            if let hosted { launchMissing(hosted) }
            return
        }
        save(hosted, .demand)
        if let failure = saver.failure ?? saver.undecided {
            throw notReloaded("the live state is not saved: \(failure)")
        }
        do throws(SaveError) {
            _ = try saver.keepGeneration(because: .reload)
        } catch {
            throw notReloaded("what is saved cannot be kept in the history: \(error)")
        }
        let failed = hosted.failures.keys.sorted { $0.text < $1.text }
        let names = hosted.scenes.map(\.name)
        let failure = await withCheckedContinuation { continuation in
            hosted.beginExchange(
                of: names, reason: .reload, definition: definition,
                known: knownLaunches(of: names), purpose: .relaunch(continuation))
            advanceLaunches()
        }
        if let failure { throw notReloaded("\(failure)") }
        log.tell(.notice, .reloaded, "its interface was loaded anew", reason: "reload")
        for name in failed where hosted.failures[name] != nil { hosted.wait(for: name) }
        launchMissing(hosted)
    }

    /// Launches the configured scenes that were never saved (S3).
    private func launchMissing(_ hosted: HostedScenes) {
        for name in definition.scenes {
            if case .unknown = hosted.state(of: name) { hosted.wait(for: name) }
        }
        advanceLaunches()
    }

    private func notReloaded(_ reason: String) -> ApplicationError {
        .notReloaded(application: bundleIdentifier, reason: reason)
    }
}
