import NIOCore

#if Etcd
    import Replication
#endif

/// Clock whose sleeping tasks wait on an event loop.
///
/// Tasks that sleep on a `ContinuousClock` wait in Dispatch, whose thread pool wakes up every second after its first
/// use.
struct EventLoopClock: Clock {
    let loop: any EventLoop

    var now: ContinuousClock.Instant { .now }
    var minimumResolution: Duration { .nanoseconds(1) }

    /// Suspends the task until the deadline.
    ///
    /// Event loop timers stop while the machine is suspended, and continue with the remaining time when the machine
    /// resumes.
    ///
    /// - Throws: `CancellationError` if the task is cancelled, or another error if the event loop has shut down.
    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        let timer = loop.scheduleTask(in: TimeAmount(now.duration(to: deadline))) {}
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                timer.futureResult.whenComplete { result in
                    continuation.resume(
                        with: result.mapError {
                            if case EventLoopError.cancelled = $0 {
                                CancellationError()
                            } else {
                                $0
                            }
                        })
                }
            }
        } onCancel: {
            timer.cancel()
        }
    }
}

#if Etcd
    extension EventLoopClock: SuspendAwareClock {}
#endif
