import ExactText
import Synchronization

/// Origin of a reload request.
///
/// The raw value appears in log messages.
enum ReloadTrigger: String, Sendable {
    /// The daemon has become ready, and files may have changed since it read them.
    case start
    /// SIGHUP, which `systemctl reload` sends.
    case signal
    /// A client requested the reload.
    case command
    /// A watched file has changed.
    case change
}

/// Result of a reload.
enum ReloadOutcome: Sendable, Equatable {
    /// The configuration is valid, and its changes were applied as far as possible.
    case done(ReloadReport)
    /// The configuration has an error, so nothing has changed.
    case refused(ConfigurationError)
    /// The daemon is stopping.
    case daemonStopping
}

/// Effects of a reload.
struct ReloadReport: Sendable, Equatable {
    /// Changes that are now in effect, each as a phrase.
    var appliedChanges: [String] = []
    /// Changes that take effect at the next restart, each as a phrase.
    var changesAtRestart: [String] = []
    /// Reasons why applications could not apply their changes, each as a sentence.
    var failures: [String] = []
}

/// Queue of reload requests.
///
/// Only one reload runs at a time. Requests that arrive during a reload are combined into one further reload.
final class ReloadRequestQueue: Sendable {
    /// Requests that are served by a single reload.
    struct Batch: Sendable {
        /// Distinct origins of the requests, in order of arrival.
        fileprivate(set) var triggers: [ReloadTrigger] = []
        fileprivate var waiters: [CheckedContinuation<ReloadOutcome, Never>] = []

        /// Passes the outcome to all waiting callers.
        func complete(_ outcome: ReloadOutcome) {
            for waiter in waiters { waiter.resume(returning: outcome) }
        }
    }

    private struct State {
        var batch = Batch()
        var hasEnded = false
    }

    private let state = Mutex(State())
    private let wakeUps = AsyncStream.makeStream(
        of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// Requests a reload.
    func enqueue(_ trigger: ReloadTrigger) { add(trigger, nil) }

    /// Requests a reload and waits for its outcome.
    func perform(_ trigger: ReloadTrigger) async -> ReloadOutcome {
        await withCheckedContinuation { add(trigger, $0) }
    }

    /// Waits for requests, and returns all requests since the previous call, or `nil` after the queue has ended.
    ///
    /// Only one task may call this function.
    func next() async -> Batch? {
        for await _ in wakeUps.stream {
            let batch = state.withLock { state in
                defer { state.batch = Batch() }
                return state.batch
            }
            if !batch.triggers.isEmpty { return batch }
        }
        return nil
    }

    /// Ends the queue.
    ///
    /// A reload that is already running still completes.
    func end() {
        let batch = state.withLock { state in
            state.hasEnded = true
            defer { state.batch = Batch() }
            return state.batch
        }
        batch.complete(.daemonStopping)
        wakeUps.continuation.finish()
    }

    private func add(
        _ trigger: ReloadTrigger, _ waiter: CheckedContinuation<ReloadOutcome, Never>?
    ) {
        let hasEnded = state.withLock { state in
            if state.hasEnded { return true }
            if !state.batch.triggers.contains(trigger) { state.batch.triggers.append(trigger) }
            if let waiter { state.batch.waiters.append(waiter) }
            return false
        }
        if hasEnded {
            waiter?.resume(returning: .daemonStopping)
        } else {
            wakeUps.continuation.yield()
        }
    }
}
