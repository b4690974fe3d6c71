import Logging
import SavedState
import StateRestoration

extension Application {
    /// Ends the application. Does nothing if it is not running, unless it is forced.
    ///
    /// In an orderly way the commands that wait are run, a last full pass is made, and the archive is
    /// closed. Scenes that are still being launched end without having been saved (P17).
    ///
    /// A forced quit (L1) makes no pass and calls nobody: what is saved is kept as a generation and
    /// taken away, so that the next launch is pristine. The model data stays.
    ///
    /// - Parameter force: whether the saved state goes.
    /// - Throws: what kept the last pass from being saved; the application has ended all the same.
    ///   If it is forced, ``ApplicationError/stateNotRemoved(application:reason:)``: nothing was
    ///   taken away, and the application goes on.
    public func quit(force: Bool = false) throws {
        if force {
            try quitByForce()
        } else {
            try quitInOrder()
        }
    }

    private func quitInOrder() throws {
        if isLaunching { refuseCommands() }
        guard let hosted else {
            if hasEnded, !keepRefused() { throw UnsavedStop(reason: unkeptRefused) }
            return
        }
        // What another program does from now on is left to the next launch.
        isEnding = true
        defer { isEnding = false }
        abandonExchange(of: hosted, ExchangeFailure(reason: "the application ends"))
        runWaiting()
        stopLaunching(hosted)
        // One whose restoration is complete by now takes the commands that waited for that.
        advanceLaunches()
        runWaiting()
        runTurn(.stop)
        end(hosted, isOrderly: true)
        defer { endAllWaiting() }
        let isSaved = try leaveArchive() && saver.saved == .durable
        log.tell(.notice, .stopped, isSaved ? "stopped, everything is saved" : "stopped")
    }

    /// Runs all commands that wait for a turn.
    private func runWaiting() {
        while !queue.isEmpty, !isLaunching { runTurn(.commands) }
    }

    /// Nobody waits any more for anything that this application does.
    private func endAllWaiting() {
        endOutsideWait()
        endWaiting()
    }

    private func quitByForce() throws {
        if let hosted {
            abandonExchange(of: hosted, ExchangeFailure(reason: "the application ends"))
        }
        do throws(SaveError) {
            try saver.removeState()
        } catch {
            throw ApplicationError.stateNotRemoved(
                application: bundleIdentifier, reason: String(describing: error))
        }
        if let hosted { end(hosted, isOrderly: false) } else { phase = .stopped }
        launches.note(.forgotten(application: bundleIdentifier))
        keepRefused()
        endAllWaiting()
        log.tell(.notice, .stateRemoved, "stopped by force, and what was saved of it removed")
    }

    /// Nobody waits any more for what was written to be durable: it is, or could not be saved.
    func endWaiting() {
        tellIncidents()
        noteDurability()
        let saved = saver.saved
        for answer in durabilityWaiters.takeAll() { answer(saved) }
    }

    /// The scenes end, and whoever waits for one is told.
    private func end(_ hosted: HostedScenes, isOrderly: Bool) {
        for scene in hosted.scenes { launches.note(.ended(scene: key(of: scene.name))) }
        stopLaunching(hosted)
        // Its launch may have completed without a turn that took it over.
        if hosted.restoring != nil { launches.noteAbandoned() }
        hosted.endAll(isOrderly: isOrderly)
        ticket.giveBack()
        phase = .stopped
        refuseCommands()
        noteLaunchEnded()
    }

    private func refuseCommands() {
        let error: ApplicationError =
            hasEnded
            ? .ending(application: bundleIdentifier)
            : .notRunning(application: bundleIdentifier)
        for command in queue.takeAll() { command.refuse(error) }
    }
}
