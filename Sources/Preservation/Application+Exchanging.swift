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
            ticket.giveBack()
        }
        guard let exchange = hosted.abandonExchange() else { return }
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

    private func settle(_ exchange: SceneExchange, _ failure: ExchangeFailure?) {
        switch exchange.purpose {
        case .replacement(let pending): endReplacing(pending, failure)
        case .relaunch(let waiter): waiter.resume(returning: failure)
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
