package import Encryption
import ExactText
package import SavedState
package import StateRecords
import Synchronization

/// Writer that replicates one application's saved changes to the cluster's store during one epoch.
///
/// Changes are replicated in the order in which they were saved. Each transaction checks the revision at which this
/// host became the owner. After another host has become the owner, no transaction succeeds, regardless of what the
/// hosts' clocks show. While a transaction is in progress, new changes are collected for the next transaction.
package final class ReplicaWriter: StateReplica {
    /// Period during which a host owns an application.
    package struct Epoch: Sendable {
        /// Bundle identifier of the application.
        package let bundleIdentifier: String
        /// Name of the owner's host.
        package let host: String
        /// Number of the epoch, which is the store's revision at which the host became the owner.
        package let number: UInt64

        package init(bundleIdentifier: String, host: String, number: UInt64) {
            self.bundleIdentifier = bundleIdentifier
            self.host = host
            self.number = number
        }
    }

    /// Reason why the writer has stopped.
    package enum StopReason: Sendable, Equatable {
        /// The writer was cancelled.
        case cancelled
        /// Another host owns the application, or another process has become the writer.
        case lost
        /// The store has denied all writes by this host for some time.
        case denied(StoreError)
    }

    /// Data that a writer requests in addition to the individual changes.
    package enum Request: Sendable {
        /// The complete saved state.
        case state
        /// The complete saved state and all documents in the model data.
        case stateAndDocuments
    }

    /// Saved change that has not been replicated yet.
    private struct PendingChange {
        var records: RecordList
        var turn: UInt64
        /// Whether the records contain the complete state.
        var isCompleteState: Bool
        /// Sequence number of the change, counted from the writer's first change.
        var number: UInt64
    }

    private struct State {
        var progress = ReplicaProgress()
        var lineage: Lineage?
        var pendingChanges: [PendingChange] = []
        var pendingDocuments: [ExactString: [UInt8]] = [:]
        var pendingByteCount = 0
        /// Approximate size of the complete state in bytes.
        var completeStateByteCount = 0
        /// Whether the next change must contain the complete state, for example because changes were dropped when too
        /// much data was pending.
        var needsCompleteState = true
        /// Whether the writer has requested the complete state and not received it yet.
        var isAwaitingCompleteState = false
        /// Whether the writer must write changes immediately instead of collecting them first.
        var isFlushing = false
        /// Whether the writer is collecting changes, so that accepted changes must not wake it.
        var isCollecting = false
        var hasStopped = false
        /// Whether the time limit of ``ReplicaWriter/waitUntilComplete(within:)`` has passed.
        var hasFlushTimedOut = false
        var isCancelled = false
        /// Reason why the writer gave up, or `nil` if it has not given up.
        var denialError: StoreError?
        /// Continuation of the task that runs the writer, while the task waits for changes.
        var writerContinuation: CheckedContinuation<Void, Never>?
        /// Continuation of the task that is waiting until all changes are replicated.
        var completionContinuation: CheckedContinuation<Void, Never>?

        /// Drops all pending changes, so that the next batch must contain the complete state.
        mutating func dropPendingChanges() {
            pendingChanges = []
            pendingByteCount = 0
            needsCompleteState = true
        }

        mutating func popCompletionContinuation() -> CheckedContinuation<Void, Never>? {
            progress.isComplete || hasStopped || hasFlushTimedOut
                ? completionContinuation.take() : nil
        }
    }

    /// Lower and upper bounds for the maximum number of pending bytes.
    ///
    /// Within these bounds, the maximum is twice the size of the complete state. If more bytes are pending, the
    /// complete state replaces the pending changes.
    private static let pendingByteLimits = (minimum: 64 << 10, maximum: 16 << 20)
    /// Approximate maximum number of bytes in a transaction.
    private static let maximumTransactionBytes = 768 << 10
    /// Maximum number of documents in a batch.
    ///
    /// etcd permits at most 128 operations in a transaction.
    private static let maximumDocuments = 32
    /// First and longest delay before a write is retried.
    private static let retryDelays = (first: Duration.milliseconds(50), last: Duration.seconds(1))

    private let state = Mutex(State())
    /// Identifier that distinguishes this writer from all other writers.
    ///
    /// The identifier has at most 53 bits, so that a JSON number can represent it exactly.
    package let writerID = UInt64.random(in: 1..<1 << 53)
    private let store: any ClusterStore
    private let keyspace: Keyspace
    private let layout: ReplicaLayout
    package let epoch: Epoch
    private let collectionInterval: @Sendable () -> Duration
    private let denialTimeout: Duration
    private let clock: any Clock<Duration>
    private let onProgress: @Sendable () async -> Void
    private let requestState: @Sendable (Request) -> Void
    private let onCommit: @Sendable (Int64) -> Void

    /// Creates a writer for an epoch of an application.
    ///
    /// - Parameters:
    ///   - keys: The keys that encrypt written values, if encryption is configured.
    ///   - interval: A closure that returns the time for which changes are collected, or zero to write changes
    ///     immediately.
    ///   - denialTimeout: The time after which the writer gives up if the store denies every write.
    ///   - onProgress: A closure that is called after ``progress`` has changed.
    ///   - requestState: A closure that is called when the writer needs the complete state. The caller must respond
    ///     with ``replace(with:turn:)``. If documents are requested as well, the caller must first pass each document
    ///     to ``replaceDocument(_:with:)``.
    ///   - onCommit: A closure that receives the store's revision after each successful transaction.
    package init(
        _ epoch: Epoch, in keyspace: Keyspace, sealedBy keys: EncryptionKeys,
        by store: any ClusterStore,
        interval: @escaping @Sendable () -> Duration, denialTimeout: Duration,
        clock: any Clock<Duration>,
        onProgress: @escaping @Sendable () async -> Void,
        requestState: @escaping @Sendable (Request) -> Void,
        onCommit: @escaping @Sendable (Int64) -> Void = { _ in }
    ) {
        self.epoch = epoch
        self.keyspace = keyspace
        layout = ReplicaLayout(epoch: epoch, keyspace: keyspace, keys: keys, writerID: writerID)
        self.store = store
        self.collectionInterval = interval
        self.denialTimeout = denialTimeout
        self.clock = clock
        self.onProgress = onProgress
        self.requestState = requestState
        self.onCommit = onCommit
    }

    // MARK: Accepting changes

    package var progress: ReplicaProgress { state.withLock(\.progress) }

    package func setLineage(_ lineage: Lineage) { state.withLock { $0.lineage = lineage } }

    package func append(_ records: RecordList, turn: UInt64) {
        enqueue { state in
            if state.needsCompleteState { return }
            state.pendingChanges.append(
                PendingChange(
                    records: records, turn: turn, isCompleteState: false,
                    number: state.progress.acceptedCount))
            state.pendingByteCount += records.payloadByteCount
        }
    }

    package func replace(with records: RecordList, turn: UInt64) {
        enqueue { state in
            // The complete state supersedes all earlier changes.
            state.pendingChanges = [
                PendingChange(
                    records: records, turn: turn, isCompleteState: true,
                    number: state.progress.acceptedCount)
            ]
            state.pendingByteCount = 0
            state.completeStateByteCount = records.payloadByteCount
            state.needsCompleteState = false
            state.isAwaitingCompleteState = false
        }
    }

    package func replaceDocument(_ name: String, with bytes: [UInt8]) {
        enqueue { $0.pendingDocuments[ExactString(name)] = bytes }
    }

    private func enqueue(_ body: (inout State) -> Void) {
        let waiter = state.withLock { state in
            state.progress.acceptedCount += 1
            let neededCompleteState = state.needsCompleteState
            body(&state)
            let maximumPendingByteCount = min(
                max(Self.pendingByteLimits.minimum, 2 * state.completeStateByteCount),
                Self.pendingByteLimits.maximum)
            if state.pendingByteCount > maximumPendingByteCount { state.dropPendingChanges() }
            // A task that is waiting for the complete state must not be woken by any other change.
            return state.isCollecting
                || state.needsCompleteState && neededCompleteState && state.isAwaitingCompleteState
                ? nil : state.writerContinuation.take()
        }
        waiter?.resume()
    }

    /// Waits until all accepted changes are replicated, or until a time limit has passed.
    ///
    /// - Returns: Whether all accepted changes are replicated.
    package func waitUntilComplete(within timeout: Duration) async -> Bool {
        state.withLock { ($0.isFlushing, $0.hasFlushTimedOut) = (true, false) }
        defer { state.withLock { $0.isFlushing = false } }
        stopCollecting()
        // The wait continues after the caller's task has been cancelled, because the state must not be lost.
        let timer = Task {
            await sleep(timeout)
            if Task.isCancelled { return }
            let completionContinuation = state.withLock { state in
                state.hasFlushTimedOut = true
                return state.popCompletionContinuation()
            }
            completionContinuation?.resume()
        }
        defer { timer.cancel() }
        await withCheckedContinuation { continuation in
            let completionContinuation = state.withLock { state in
                state.completionContinuation = continuation
                return state.popCompletionContinuation()
            }
            completionContinuation?.resume()
        }
        return progress.isComplete
    }

    /// Stops the writer.
    package func cancel() {
        let waiters = state.withLock { state in
            state.hasStopped = true
            state.isCancelled = true
            return (state.writerContinuation.take(), state.popCompletionContinuation())
        }
        waiters.0?.resume()
        waiters.1?.resume()
    }

    // MARK: Writing

    /// Writes accepted changes until the writer is cancelled, gives up, or is superseded by another owner or process.
    ///
    /// - Parameter previousState: The state that was replicated before this writer started, or `nil` if there is none.
    package func run(after previousState: ReplicatedState?) async -> StopReason {
        var position = ReplicaPosition(
            currentState: previousState?.currentState,
            writtenBatchCount: previousState?.lastWriteNumber(in: epoch.number) ?? 0)
        if let previousState {
            // After this step, transactions that earlier writers have sent can no longer succeed.
            let fencingStep = layout.makeFencingStep(previousState.currentState, at: position)
            guard case .committed = await commitWithRetries(fencingStep) else { return finish() }
            position = fencingStep.position
        }
        var request = Request.state
        while await wait(until: { !$0.progress.isComplete }) {
            await collectChanges(for: collectionInterval())
            if state.withLock(\.needsCompleteState) { await waitForCompleteState(request) }
            guard let batch = popBatch() else { continue }
            let step = layout.makeStep(
                writing: batch, of: state.withLock(\.lineage), at: position)
            switch await commitWithRetries(step) {
            case .committed:
                position = step.position
                position.lastKey = step.writes.last?.key ?? position.lastKey
                request = .state
                await recordReplicated(batch)
                if position.isLogTooLong { state.withLock { $0.needsCompleteState = true } }
            case .lastWriteMissing(let currentState):
                position = ReplicaPosition(
                    currentState: currentState, writtenBatchCount: position.writtenBatchCount)
                request = .stateAndDocuments
                state.withLock { $0.dropPendingChanges() }
            case .stopped: return finish()
            }
        }
        return finish()
    }

    private func finish() -> StopReason {
        let (stopReason, waiter) = state.withLock { state in
            state.hasStopped = true
            let stopReason = state.denialError.map { .denied($0) } ?? StopReason.lost
            return (state.isCancelled ? .cancelled : stopReason, state.popCompletionContinuation())
        }
        waiter?.resume()
        return stopReason
    }

    /// Collects changes for a given time, unless a caller is waiting for their replication.
    private func collectChanges(for interval: Duration) async {
        guard interval > .zero,
            state.withLock({ state in
                state.isCollecting = !state.isFlushing
                return state.isCollecting
            })
        else { return }
        // A child task, unlike an unstructured task, runs on the executor that the current task prefers.
        async let _: Void = stopCollecting(after: interval)
        _ = await wait { !$0.isCollecting }
    }

    private func stopCollecting(after interval: Duration) async {
        // If the task is cancelled, it does not sleep, and the collection ends at once.
        await sleep(interval)
        stopCollecting()
    }

    private func stopCollecting() {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.isCollecting else { return nil }
            state.isCollecting = false
            return state.writerContinuation.take()
        }
        waiter?.resume()
    }

    private func waitForCompleteState(_ request: Request) async {
        // If changes are dropped after the complete state has arrived, the state must be requested again.
        while state.withLock({ $0.needsCompleteState && !$0.hasStopped }) {
            state.withLock { $0.isAwaitingCompleteState = true }
            requestState(request)
            _ = await wait { !$0.isAwaitingCompleteState }
        }
    }

    /// Commits a step, retrying until the commit succeeds or the writer stops.
    private func commitWithRetries(_ step: ReplicaStep) async -> CommitOutcome {
        var currentRetryDelay = Self.retryDelays.first
        var denialDuration: Duration = .zero
        while !state.withLock(\.hasStopped) {
            do throws(StoreError) {
                return try await commit(step)
            } catch {
                state.withLock { $0.progress.failure = "\(error)" }
                await onProgress()
                if error.kind == .denied {
                    denialDuration += currentRetryDelay
                } else {
                    denialDuration = .zero
                }
                if denialDuration > denialTimeout {
                    state.withLock { $0.denialError = error }
                    return .stopped
                }
                await sleep(currentRetryDelay)
                currentRetryDelay = min(currentRetryDelay * 2, Self.retryDelays.last)
            }
        }
        return .stopped
    }

    private func recordReplicated(_ batch: ReplicaBatch) async {
        let waiter = state.withLock { state in
            state.progress.replicatedCount = max(
                state.progress.replicatedCount, batch.replicatedCount)
            state.progress.failure = nil
            return state.popCompletionContinuation()
        }
        waiter?.resume()
        await onProgress()
    }

    private func sleep(_ duration: Duration) async {
        do { try await clock.sleep(for: duration) } catch {}
    }

    /// Waits until a condition holds.
    ///
    /// - Returns: `true` if the condition holds, or `false` if the writer has stopped.
    private func wait(until condition: @escaping @Sendable (State) -> Bool) async -> Bool {
        while true {
            let (hasStopped, isFulfilled) = state.withLock { state in
                (state.hasStopped, condition(state))
            }
            if hasStopped { return false }
            if isFulfilled { return true }
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    if state.hasStopped || condition(state) { return true }
                    state.writerContinuation = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        }
    }

    /// Removes and returns the changes for the next batch, or returns `nil` if no changes are pending.
    private func popBatch() -> ReplicaBatch? {
        state.withLock { state in
            var batch = ReplicaBatch()
            // Documents are written before any state that refers to them (P19).
            for name in state.pendingDocuments.keys.prefix(Self.maximumDocuments) {
                batch.documents[name] = state.pendingDocuments.removeValue(forKey: name)
            }
            var byteCount = batch.documents.values.reduce(0) { $0 + $1.count }
            var changeCount = 0
            for change in state.pendingChanges where state.pendingDocuments.isEmpty {
                byteCount += change.isCompleteState ? 0 : change.records.payloadByteCount
                // A complete state is written in a separate batch.
                if changeCount > 0,
                    batch.completeState != nil || change.isCompleteState
                        || byteCount > Self.maximumTransactionBytes
                {
                    break
                }
                changeCount += 1
                if change.isCompleteState {
                    batch.completeState = (change.records, change.turn)
                    continue
                }
                batch.records.append(change.records)
                batch.turn = change.turn
                state.pendingByteCount -= change.records.payloadByteCount
            }
            state.pendingChanges.removeFirst(changeCount)
            let hasRemainder = state.needsCompleteState || !state.pendingDocuments.isEmpty
            batch.replicatedCount =
                hasRemainder
                ? state.progress.replicatedCount
                : state.pendingChanges.first.map { $0.number - 1 } ?? state.progress.acceptedCount
            return changeCount == 0 && batch.documents.isEmpty ? nil : batch
        }
    }

    /// Outcome of an attempt to write a step to the store.
    private enum CommitOutcome {
        case committed
        /// The store lacks this writer's last write, so it must have been restored from a backup.
        ///
        /// The value is the current state in the store, or `nil` if there is no state.
        case lastWriteMissing(CurrentState?)
        /// Another host is the owner, another process is the writer, or this writer has stopped or given up.
        case stopped
    }

    /// Commits the writes in a step, using one or more transactions.
    ///
    /// Each transaction succeeds only if this host is the owner and the store contains the preceding write.
    private func commit(_ step: ReplicaStep) async throws(StoreError) -> CommitOutcome {
        var operations: [StoreOperation] = []
        var byteCount = 0
        var (previousKey, lastKey) = (step.previousKey, step.previousKey)
        for write in step.writes {
            if byteCount + write.value.count > Self.maximumTransactionBytes
                || operations.count >= 64,
                !operations.isEmpty
            {
                let outcome = try await commit(operations, of: step, after: previousKey)
                guard case .committed = outcome else { return outcome }
                (operations, byteCount, previousKey) = ([], 0, lastKey)
            }
            operations.append(.put(write.key, write.value))
            byteCount += write.value.count
            lastKey = write.key
        }
        return try await commit(operations + step.finalOperations, of: step, after: previousKey)
    }

    private func commit(
        _ operations: [StoreOperation], of step: ReplicaStep, after previousKey: String?
    ) async throws(StoreError) -> CommitOutcome {
        let (ownerKey, currentStateKey) = (
            keyspace.ownerKey(epoch.bundleIdentifier),
            keyspace.currentStateKey(epoch.bundleIdentifier)
        )
        let reply = try await store.commit(
            StoreTransaction(
                if: step.conditions + (previousKey.map { [.exists($0)] } ?? []), then: operations,
                otherwise: [.range(KeyRange(ownerKey)), .range(KeyRange(currentStateKey))]))
        if reply.succeeded {
            onCommit(reply.storeRevision)
            return .committed
        }
        guard
            reply.entries.contains(where: {
                $0.key == ownerKey && $0.createRevision == Int64(epoch.number)
            })
        else { return .stopped }
        let currentEntry = reply.entries.first { $0.key == currentStateKey }
        // An earlier attempt may already have made the new state current although its reply was lost.
        if step.position.currentState != step.previousState,
            currentEntry?.value == step.position.currentState?.bytes
        {
            return .committed
        }
        guard let currentEntry else { return .lastWriteMissing(nil) }
        // A later process on this host may have become the writer in the same epoch.
        guard let state = CurrentState(currentEntry.value), state.writer == writerID else {
            return .stopped
        }
        return .lastWriteMissing(state)
    }
}
