import Logging
import SavedState
import StateRestoration

// How new scenes take the places of others (L6, L8): they are launched beside them.

extension Application {
    /// Whether no scene is being launched or exchanged.
    var isSettled: Bool {
        guard let hosted else { return true }
        return !isLaunching && hosted.exchange == nil && hosted.restoring == nil
            && hosted.waiting.isEmpty
    }

    /// Returns when no scene is being launched or exchanged.
    func waitUntilSettled() async {
        while !isSettled {
            await withCheckedContinuation { settlingWaiters.append($0) }
        }
    }

    /// Tells who waits that no scene is being launched or exchanged, if that is so.
    func noteSettled() {
        guard isSettled else { return }
        if isLookNeeded { wakeUps.continuation.yield() }
        let waiters = settlingWaiters
        settlingWaiters = []
        for waiter in waiters { waiter.resume() }
    }

    /// Goes on with an exchange whose scenes are all launched.
    func completeExchange(of hosted: HostedScenes) {
        guard let exchange = hosted.takeExchanged() else { return }
        definition = exchange.definition
        for scene in exchange.old {
            scene.terminate()
            if !exchange.names.contains(scene.name) {
                launches.note(.ended(scene: key(of: scene.name)))
            }
        }
        for scene in exchange.ready { takeCommands(scene) }
        settle(exchange, nil)
    }

    /// Gives an exchange up, if one is going on: the scenes from before go on.
    func abandonExchange(of hosted: HostedScenes, _ failure: ExchangeFailure) {
        if let restoring = hosted.restoring, hosted.exchange?.names.contains(restoring.name) == true
        {
            launches.noteAbandoned()
        }
        guard let exchange = hosted.abandonExchange() else { return }
        // It may have waited for its turn, or been given it meanwhile.
        if hosted.restoring == nil { ticket.giveBack() }
        for (name, reason) in exchange.failures { hosted.fail(name, reason) }
        if let name = failure.scene, hosted.record(of: name) != nil,
            !exchange.old.contains(where: { $0.name == name })
        {
            hosted.fail(name, failure.reason)
        }
        log.tell(
            .error, .exchangeFailed, "the scenes from before go on, because \(failure)",
            scene: failure.scene?.text, reason: failure.reason)
        saver.lastError = "\(failure)"
        settle(exchange, failure)
    }

    // MARK: The guard

    /// What the guard knows of scenes that are to give way to new ones.
    func knownLaunches(of names: [RestorationIdentifier]) -> KnownLaunches {
        var known: KnownLaunches = [:]
        for name in names { known[name] = launches.launches(of: key(of: name)) ?? SceneLaunches() }
        return known
    }

    /// The guard knows of scenes again what it knew before new ones were launched, which are gone.
    func reinstate(_ known: KnownLaunches) {
        for (name, scene) in known {
            launches.note(.reinstated(scene: key(of: name), launches: scene))
        }
    }

    private func settle(_ exchange: SceneExchange, _ failure: ExchangeFailure?) {
        switch exchange.purpose {
        case .replacement(let pending):
            if failure != nil { undoReplacing(pending, exchange.known) }
            endReplacing(pending, failure)
        case .relaunch(let waiter):
            if failure != nil { reinstate(exchange.known) }
            waiter.resume(returning: failure)
        }
        for name in exchange.names { queue.release(name) }
        for scene in exchange.old where !exchange.names.contains(scene.name) {
            queue.release(scene.name)
        }
        changeFeed.yield()
        noteSettled()
        wakeUps.continuation.yield()
    }
}
