import ExactText
import SimulatedStore
import Synchronization
import TestSupport

@testable import Replication

/// Clock that only a test advances. A sleep ends when the clock reaches its deadline.
final class SteppedClock: SuspendAwareClock {
    private struct Sleeper {
        var deadline: ContinuousClock.Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = ContinuousClock.now
        var sleepers: [Int: Sleeper] = [:]
        var cancelled: Set<Int> = []
        var lastNumber = 0
    }

    private let state = AwaitableState(State())

    var now: ContinuousClock.Instant { state.state.now }
    var minimumResolution: Duration { .nanoseconds(1) }
    /// Number of sleeps in progress.
    var sleeperCount: Int { state.state.sleepers.count }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        let number = state.change { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled: Bool? = state.change { state in
                    if state.cancelled.remove(number) != nil { return true }
                    if deadline <= state.now { return false }
                    state.sleepers[number] = Sleeper(
                        deadline: deadline, continuation: continuation)
                    return nil
                }
                switch isCancelled {
                case true?: continuation.resume(throwing: CancellationError())
                case false?: continuation.resume()
                case nil: break
                }
            }
        } onCancel: {
            let continuation = state.change { state in
                let sleeper = state.sleepers.removeValue(forKey: number)
                if sleeper == nil { state.cancelled.insert(number) }
                return sleeper?.continuation
            }
            continuation?.resume(throwing: CancellationError())
        }
    }

    /// Advances the clock, and ends the sleeps whose deadlines it reaches.
    func advance(by duration: Duration) {
        let ready = state.change { state in
            state.now = state.now.advanced(by: duration)
            let now = state.now
            let ready = state.sleepers.filter { $0.value.deadline <= now }
            for number in ready.keys { state.sleepers[number] = nil }
            return ready.values.map(\.continuation)
        }
        for continuation in ready { continuation.resume() }
    }

    /// Advances the clock as if the machine had been suspended: the timers of sleeps do not advance.
    func suspend(for duration: Duration) {
        state.change { state in
            state.now = state.now.advanced(by: duration)
            for (number, sleeper) in state.sleepers {
                state.sleepers[number]?.deadline = sleeper.deadline.advanced(by: duration)
            }
        }
    }

    /// Waits until a task sleeps that will wake after a given time.
    func waitForSleep(_ length: Duration) async throws {
        try await waitUntil("a task sleeps for \(length)") {
            let current = state.state
            let deadline = current.now.advanced(by: length)
            return current.sleepers.values.contains { $0.deadline == deadline }
        }
    }
}

/// Store in memory that records requests, and whose requests wait or fail as specified by a test.
final class ScriptedStore: ClusterStore {
    enum Request: Sendable, Equatable {
        case identify
        case range(KeyRange)
        case summary
        case commit(StoreTransaction)
        case grantLease
        case keepAlive
        case revoke
        case watch
    }

    /// Called for a request. It may wait, and returns the kind of error with which the request fails, or `nil`.
    typealias Script = @Sendable (Request) async -> StoreError.Kind?

    private struct HeldChanges {
        var isHolding = false
        var changes: [KeyChange] = []
    }

    let base: MemoryStore
    /// Requests so far, including failed requests.
    let requests = AwaitableState<[Request]>([])
    private let scriptBefore = AwaitableState<Script>({ _ in nil })
    private let scriptAfter = AwaitableState<Script>({ _ in nil })
    private let heldChanges = Mutex(HeldChanges())

    /// - Parameter executor: Executor that reports changes of watched keys and runs the members that use the store.
    init(on executor: QueueExecutor = QueueExecutor(), clock: any SuspendAwareClock) {
        base = MemoryStore(on: executor, clock: clock)
    }

    /// Sets the script that is called before a request is executed.
    func beforeRequests(_ script: @escaping Script) { scriptBefore.change { $0 = script } }

    /// Sets the script that is called after a request was executed. If it returns an error, the reply is lost.
    func afterRequests(_ script: @escaping Script) { scriptAfter.change { $0 = script } }

    /// Sets whether the watches hold back changes. Held changes are reported together with the next change.
    func holdChanges(_ isHolding: Bool) { heldChanges.withLock { $0.isHolding = isHolding } }

    /// Transactions so far that put a key.
    func commits(of key: String) -> [StoreTransaction] {
        requests.state.compactMap { request in
            guard case .commit(let transaction) = request, transaction.puts(key) else { return nil }
            return transaction
        }
    }

    /// Writes or deletes a key, as another host does.
    func write(_ key: String, _ value: String?, lease: Int64 = 0) async throws {
        let operation = value.map { StoreOperation.put(key, Array($0.utf8), lease: lease) }
        _ = try await base.commit(
            StoreTransaction(if: [], then: [operation ?? .delete(key)]))
    }

    /// Returns the value of a key as text, or `nil` if the key does not exist.
    func text(of key: String) async throws -> String? {
        try await base.range(KeyRange(key)).entries.first.map {
            String(decoding: $0.value, as: UTF8.self)
        }
    }

    private func begin(_ request: Request) async throws(StoreError) {
        requests.change { $0.append(request) }
        let script = scriptBefore.state
        if let kind = await script(request) { throw StoreError(kind, "the test") }
    }

    private func end(_ request: Request) async throws(StoreError) {
        let script = scriptAfter.state
        if let kind = await script(request) { throw StoreError(kind, "the test") }
    }

    func identify(
        _ keyspace: Keyspace, known: ClusterIdentity?
    ) async throws(StoreError) -> ClusterIdentity {
        try await begin(.identify)
        return try await base.identify(keyspace, known: known)
    }

    func range(_ range: KeyRange) async throws(StoreError) -> RangeReply {
        try await begin(.range(range))
        let reply = try await base.range(range)
        try await end(.range(range))
        return reply
    }

    func summary(ofKeysBelow prefix: String) async throws(StoreError) -> KeySummary {
        try await begin(.summary)
        let reply = await base.summary(ofKeysBelow: prefix)
        try await end(.summary)
        return reply
    }

    func commit(_ transaction: StoreTransaction) async throws(StoreError) -> TransactionReply {
        try await begin(.commit(transaction))
        let reply = try await base.commit(transaction)
        try await end(.commit(transaction))
        return reply
    }

    func grantLease(_ length: Duration) async throws(StoreError) -> Int64 {
        try await begin(.grantLease)
        return try await base.grantLease(length)
    }

    func keepAlive(lease: Int64, within limit: Duration) async throws(StoreError) -> Duration? {
        try await begin(.keepAlive)
        return await base.keepAlive(lease: lease, within: limit)
    }

    func revoke(lease: Int64) async throws(StoreError) {
        try await begin(.revoke)
        try await base.revoke(lease: lease)
    }

    func watch(
        keysBelow prefix: String, from revision: Int64,
        report: @escaping @Sendable ([KeyChange]) -> Void
    ) async throws(StoreError) -> Never {
        try await begin(.watch)
        heldChanges.withLock { $0.changes = [] }
        try await base.watch(keysBelow: prefix, from: revision) { [self] changes in
            let reported = heldChanges.withLock { held -> [KeyChange] in
                held.changes += changes
                if held.isHolding { return [] }
                defer { held.changes = [] }
                return held.changes
            }
            if !reported.isEmpty { report(reported) }
        }
    }

    func endWatches() async { await base.endWatches() }
}

extension StoreTransaction {
    /// Returns whether the transaction puts a key if its conditions hold.
    func puts(_ key: String) -> Bool {
        successOperations.contains { operation in
            guard case .put(let other, _, _) = operation else { return false }
            return other == key
        }
    }
}

/// Host `a` of a cluster with a store in memory and a clock that the test advances. Its lease has a length of 60 s.
struct SteppedHost {
    let keyspace = Keyspace(cluster: "test")
    let clock = SteppedClock()
    let store: ScriptedStore
    let member: ClusterMember
    let events = AwaitableState<[ClusterEvent]>([])

    init(
        of applications: [String] = ["org.example.Jobs"],
        savedFacts: SavedClusterFacts = SavedClusterFacts()
    ) {
        let queue = QueueExecutor()
        store = ScriptedStore(on: queue, clock: clock)
        member = ClusterMember(
            "a", in: keyspace, of: Set(applications.map { ExactString($0) }), by: store,
            for: .seconds(60), savedFacts: savedFacts, on: queue, clock: clock,
            report: { [events] event in events.change { $0.append(event) } })
    }

    /// Runs the host for a body.
    ///
    /// - Parameter isReady: Whether the body is called only after the host has joined the cluster and waits for its
    ///   timers.
    func run(isReady: Bool = true, _ body: () async throws -> Void) async throws {
        let running = Task { [member] in await member.run() }
        let result: Result<Void, any Error>
        do {
            if isReady {
                await events.wait { $0.contains(.joined) }
                try await waitUntil("the host knows its own key") {
                    member.clusterState.hosts["a"] != nil
                }
                try await waitForTimers()
            }
            try await body()
            result = .success(())
        } catch {
            result = .failure(error)
        }
        running.cancel()
        await store.endWatches()
        await running.value
        try result.get()
    }

    /// Waits until the renewal of the lease, the check of its deadline and the check of the owners wait for the clock.
    func waitForTimers() async throws {
        try await waitUntil("three timers are set") { clock.sleeperCount == 3 }
    }

    /// Advances the clock, and waits until the host has set its timers again.
    func advance(by duration: Duration) async throws {
        clock.advance(by: duration)
        await settle()
        try await waitForTimers()
    }

    /// Lets the tasks of the host run, so that a task that does not wait gets far enough to be noticed.
    func settle() async {
        for _ in 1...100 {
            await member.pass()
            await Task.yield()
        }
    }

    /// Adds another host to the cluster, and returns its lease.
    @discardableResult
    func add(_ host: String) async throws -> Int64 {
        let lease = try await store.base.grantLease(.seconds(100_000))
        try await store.write(keyspace.hostKey(host), #"{"host":"\#(host)"}"#, lease: lease)
        return lease
    }
}

extension ClusterMember {
    /// Starts a task on this actor. When a later call of this actor begins, the task has already waited for something
    /// or ended.
    func start<Value: Sendable>(
        _ body: @escaping @Sendable (isolated ClusterMember) async -> Value
    ) -> Task<Value, Never> {
        Task { await body(self) }
    }

    /// Waits until this actor has executed its pending jobs.
    func pass() {}
}
