extension Application {
    /// Takes other settings from now on, of what is running too.
    ///
    /// The clocks and the system's version stay those that the application was made with. Limits of
    /// values count from the next time that an object encodes, and those of the history at once: the
    /// oldest generations that are too many go. A restoration that is extended keeps the time that it was given.
    public func apply(_ new: PreservationSettings) {
        let isCountedAnew =
            new.interval != settings.interval || new.history.interval != settings.history.interval
        let isHistoryOther =
            new.history.count != settings.history.count
            || new.history.bytes != settings.history.bytes
        settings.interval = new.interval
        settings.durability = new.durability
        settings.launchTimeout = new.launchTimeout
        settings.crashLimit = new.crashLimit
        settings.limits = new.limits
        settings.history = new.history
        settings.quarantine = new.quarantine
        saver.history = new.history
        if isHistoryOther { saver.pruneGenerations() }
        hosted?.limits = new.limits
        if isCountedAnew { intervalChanges.continuation.yield() }
    }

    /// Counts the intervals of saving and of the history, anew whenever they are others.
    func countIntervals() async {
        while !Task.isCancelled {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { [settings] in
                    await self.count(
                        IntervalCounter(
                            saving: settings.interval, history: settings.history.interval))
                }
                group.addTask { [intervalChanges] in
                    for await _ in intervalChanges.stream { return }
                }
                await group.next()
                group.cancelAll()
            }
        }
    }

    private func count(_ counter: IntervalCounter) async {
        var intervals = counter
        do {
            while true {
                try await settings.clock.sleep(for: intervals.next)
                let due = intervals.pass()
                if due.saving { queue.markInterval() }
                if due.history { queue.markHistory() }
                wakeUps.continuation.yield()
            }
        } catch {
            return  // The sleep ends early only when the count does.
        }
    }
}
