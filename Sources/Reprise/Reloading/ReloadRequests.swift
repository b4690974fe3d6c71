import ExactText
import Synchronization

/// What asks for a reload; its raw value completes "because of …".
enum ReloadTrigger: String, Sendable {
    /// The daemon is ready, and something may have changed since it read.
    case start
    /// SIGHUP, which `systemctl reload` sends.
    case signal
    /// A client.
    case command
    /// A file that is watched changed.
    case change
}

/// What came of a reload.
enum ReloadOutcome: Sendable, Equatable {
    /// The configuration is sound, and was taken over as far as possible.
    case done(ReloadReport)
    /// The configuration has an error, and nothing has changed.
    case refused(ConfigurationError)
    /// The daemon ends.
    case ending
}

/// What a reload did.
struct ReloadReport: Sendable, Equatable {
    /// The parts that were taken over, as clauses.
    var changed: [String] = []
    /// All that takes effect at the next restart; clauses.
    var waiting: [String] = []
    /// Why applications go on as they were; sentences.
    var failures: [String] = []
}

/// Where reloads are asked for. One is carried out at a time; those that are asked for meanwhile
/// become one more.
final class ReloadRequests: Sendable {
    /// What one reload answers.
    struct Batch: Sendable {
        /// What asked for it, in that order, each once.
        fileprivate(set) var triggers: [ReloadTrigger] = []
        fileprivate var waiters: [CheckedContinuation<ReloadOutcome, Never>] = []

        /// Answers all who wait for it.
        func answer(_ outcome: ReloadOutcome) {
            for waiter in waiters { waiter.resume(returning: outcome) }
        }
    }

    private struct State {
        var batch = Batch()
        var hasEnded = false
    }

    private let state = Mutex(State())
    private let signals = AsyncStream.makeStream(
        of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// Asks for a reload.
    func ask(_ trigger: ReloadTrigger) { add(trigger, nil) }

    /// Asks for a reload, and returns what came of it.
    func perform(_ trigger: ReloadTrigger) async -> ReloadOutcome {
        await withCheckedContinuation { add(trigger, $0) }
    }

    /// The reloads that were asked for since the last call, as soon as there are any; nil at the
    /// end. For one task alone.
    func next() async -> Batch? {
        for await _ in signals.stream {
            let batch = state.withLock { state in
                defer { state.batch = Batch() }
                return state.batch
            }
            if !batch.triggers.isEmpty { return batch }
        }
        return nil
    }

    /// Nothing more is carried out than what is being carried out.
    func end() {
        let batch = state.withLock { state in
            state.hasEnded = true
            defer { state.batch = Batch() }
            return state.batch
        }
        batch.answer(.ending)
        signals.continuation.finish()
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
        if hasEnded { waiter?.resume(returning: .ending) } else { signals.continuation.yield() }
    }
}
