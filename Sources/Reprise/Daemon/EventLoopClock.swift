import NIOCore
import Synchronization

#if Etcd
    import Replication
#endif

/// Clock whose timers run on an event loop.
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
    /// - Throws: `CancellationError` if the task is cancelled, or `EventLoopError.shutdown` if the event loop has shut
    ///   down or shuts down before the deadline.
    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        let sleep = EventLoopSleep()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                sleep.begin(continuation, on: loop, for: TimeAmount(now.duration(to: deadline)))
            }
        } onCancel: {
            sleep.cancel()
        }
    }
}

/// One task's sleep. It is ended at most once.
private final class EventLoopSleep: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Void, any Error>?
        var timer: NIOScheduledCallback?
        var hasEnded = false
    }

    /// Handler of the event loop's timer.
    ///
    /// An event loop that has shut down releases the handler without calling it.
    private final class TimerHandler: NIOScheduledCallbackHandler, Sendable {
        private let sleep: EventLoopSleep

        init(_ sleep: EventLoopSleep) { self.sleep = sleep }

        deinit { sleep.end(with: .failure(EventLoopError.shutdown)) }

        func handleScheduledCallback(eventLoop: some EventLoop) { sleep.end(with: .success(())) }
    }

    private let state = Mutex(State())

    func begin(
        _ continuation: CheckedContinuation<Void, any Error>, on loop: any EventLoop,
        for duration: TimeAmount
    ) {
        let isCancelled = state.withLock { state in
            if !state.hasEnded { state.continuation = continuation }
            return state.hasEnded
        }
        if isCancelled { return continuation.resume(throwing: CancellationError()) }
        do {
            let timer = try loop.scheduleCallback(in: duration, handler: TimerHandler(self))
            let hasEnded = state.withLock { state in
                state.timer = timer
                return state.hasEnded
            }
            if hasEnded { timer.cancel() }
        } catch {
            end(with: .failure(error))
        }
    }

    func cancel() {
        // The event loop holds a lock while it cancels the timer, so the task must be resumed first.
        end(with: .failure(CancellationError()))
        state.withLock { $0.timer }?.cancel()
    }

    private func end(with result: Result<Void, any Error>) {
        let continuation = state.withLock { state in
            state.hasEnded = true
            return state.continuation.take()
        }
        continuation?.resume(with: result)
    }
}

#if Etcd
    extension EventLoopClock: SuspendAwareClock {}
#endif
