import NIOCore

/// A clock whose sleepers wait on an event loop.
///
/// Those of `ContinuousClock` wait in Dispatch, whose pool of threads looks after itself each second
/// from its first use on.
struct EventLoopClock: Clock {
    let loop: any EventLoop

    var now: ContinuousClock.Instant { .now }
    var minimumResolution: Duration { .nanoseconds(1) }

    /// Returns at the deadline, or throws `CancellationError` when the task is cancelled, or another
    /// error when the loop has ended. While
    /// the machine is suspended no time passes for a loop: the rest of it passes after that.
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
