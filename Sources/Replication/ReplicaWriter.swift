package import Encryption
import ExactText
package import SavedState
package import StateRecords
import Synchronization

/// Writer that stores the saved state of one application in the cluster's store, in the order of its log, during one
/// epoch.
///
/// Each transaction compares the revision that made this host the owner. After another host becomes the owner, no
/// transaction succeeds, regardless of the clocks. While a transaction is in progress, new changes are collected for
/// the next transaction.
package final class ReplicaWriter: StateReplica {
    /// Period in which a host owns an application.
    package struct Epoch: Sendable {
        /// Bundle identifier of the application.
        package let bundleIdentifier: String
        /// Name of the owner's host.
        package let host: String
        /// Number of the epoch, which is the revision that made the host the owner.
        package let number: UInt64

        package init(bundleIdentifier: String, host: String, number: UInt64) {
            self.bundleIdentifier = bundleIdentifier
            self.host = host
            self.number = number
        }
    }

    /// Reason why the writer has stopped.
    package enum End: Sendable, Equatable {
        /// The writer was cancelled.
        case cancelled
        /// Another host owns the application.
        case lost
        /// The store has denied this host every write for some time.
        case denied(StoreError)
    }

    /// Data that a writer requests in addition to the changes.
    package enum Request: Sendable {
        /// The whole saved state.
        case state
        /// The whole saved state and all documents of the model data.
        case stateAndDocuments
    }

    /// Saved change.
    private struct Item {
        var records: RecordList
        var turn: UInt64
        /// Whether the records are the complete state.
        var isWhole: Bool
        /// Number of changes that the writer has accepted, including this change.
        var number: UInt64
    }

    private struct State {
        var progress = ReplicaProgress()
        var lineage: Lineage?
        var items: [Item] = []
        var documents: [ExactString: [UInt8]] = [:]
        var byteCount = 0
        /// Approximate size of the whole state in bytes.
        var wholeByteCount = 0
        /// Whether items were dropped because too much data was pending. Only a whole state can replace the dropped
        /// items.
        var needsWhole = true
        /// Whether the whole state has been requested.
        var isWholeAwaited = false
        /// Whether changes must be written without being collected first.
        var isHurried = false
        /// Whether the writer is collecting changes, so that accepted changes do not wake it.
        var isGathering = false
        var isOver = false
        var isCancelled = false
        /// Reason why the writer gave up, or `nil` if it has not given up.
        var denial: StoreError?
        var waiting: CheckedContinuation<Void, Never>?
        /// Task that waits until all changes are replicated.
        var completion: CheckedContinuation<Void, Never>?

        /// Drops all items. The whole state must then follow.
        mutating func dropItems() {
            items = []
            byteCount = 0
            needsWhole = true
        }

        mutating func popCompletion() -> CheckedContinuation<Void, Never>? {
            progress.isComplete || isOver ? completion.take() : nil
        }
    }

    /// Limits for the number of pending bytes.
    ///
    /// Between these limits, up to twice the size of the whole state may be pending. If more bytes are pending, the
    /// whole state replaces them, because it is shorter.
    private static let waiting = (minimum: 64 << 10, maximum: 16 << 20)
    /// Approximate maximum number of bytes in one transaction.
    private static let maximumTransactionBytes = 768 << 10
    /// Maximum number of documents in one batch. etcd permits at most 128 operations in a transaction.
    private static let maximumDocuments = 32
    /// First and longest delay before a retry.
    private static let pauses = (first: Duration.milliseconds(50), last: Duration.seconds(1))

    private let state = Mutex(State())
    /// Identifier that distinguishes this writer from all other writers. It has 53 bits so that it fits in a JSON
    /// number.
    package let writer = UInt64.random(in: 1..<1 << 53)
    private let store: any ClusterStore
    private let keyspace: Keyspace
    private let layout: ReplicaLayout
    package let epoch: Epoch
    private let interval: @Sendable () -> Duration
    private let denialTimeout: Duration
    private let clock: any Clock<Duration>
    private let onProgress: @Sendable () async -> Void
    private let requestWhole: @Sendable (Request) -> Void
    private let onCommit: @Sendable (Int64) -> Void

    /// Creates a writer for an epoch.
    ///
    /// - Parameters:
    ///   - keys: Keys that encrypt written values, if encryption is configured.
    ///   - interval: Returns the time for which changes are collected, or zero to write changes immediately.
    ///   - denialTimeout: Time after which the writer gives up if the store denies it every write.
    ///   - onProgress: Called after ``progress`` has changed.
    ///   - requestWhole: Called when the writer needs the whole state through ``replace(with:turn:)``, and possibly all
    ///     documents through ``replaceDocument(_:with:)`` before the state.
    ///   - onCommit: Called with the store's revision after each successful transaction.
    package init(
        _ epoch: Epoch, in keyspace: Keyspace, sealedBy keys: EncryptionKeys,
        by store: any ClusterStore,
        interval: @escaping @Sendable () -> Duration, denialTimeout: Duration,
        clock: any Clock<Duration>,
        onProgress: @escaping @Sendable () async -> Void,
        requestWhole: @escaping @Sendable (Request) -> Void,
        onCommit: @escaping @Sendable (Int64) -> Void = { _ in }
    ) {
        self.epoch = epoch
        self.keyspace = keyspace
        layout = ReplicaLayout(epoch: epoch, keyspace: keyspace, keys: keys, writer: writer)
        self.store = store
        self.interval = interval
        self.denialTimeout = denialTimeout
        self.clock = clock
        self.onProgress = onProgress
        self.requestWhole = requestWhole
        self.onCommit = onCommit
    }

    // MARK: Accepting changes

    package var progress: ReplicaProgress { state.withLock(\.progress) }

    package func begin(_ lineage: Lineage) { state.withLock { $0.lineage = lineage } }

    package func append(_ records: RecordList, turn: UInt64) {
        enqueue { state in
            if state.needsWhole { return }
            state.items.append(
                Item(
                    records: records, turn: turn, isWhole: false, number: state.progress.taken))
            state.byteCount += records.payloadByteCount
        }
    }

    package func replace(with records: RecordList, turn: UInt64) {
        enqueue { state in
            // The whole state supersedes all earlier items.
            state.items = [
                Item(records: records, turn: turn, isWhole: true, number: state.progress.taken)
            ]
            state.byteCount = 0
            state.wholeByteCount = records.payloadByteCount
            state.needsWhole = false
        }
    }

    package func replaceDocument(_ name: String, with bytes: [UInt8]) {
        enqueue { $0.documents[ExactString(name)] = bytes }
    }

    private func enqueue(_ body: (inout State) -> Void) {
        let waiting = state.withLock { state in
            state.progress.taken += 1
            let neededWhole = state.needsWhole
            body(&state)
            let maximum = min(
                max(Self.waiting.minimum, 2 * state.wholeByteCount), Self.waiting.maximum)
            if state.byteCount > maximum { state.dropItems() }
            // A change that does not contain the whole state must not wake a task that waits for the whole state.
            return state.isGathering || state.needsWhole && neededWhole && state.isWholeAwaited
                ? nil : state.waiting.take()
        }
        waiting?.resume()
    }

    /// Waits until all accepted changes are replicated, or until a time limit is reached.
    ///
    /// - Returns: Whether all accepted changes are replicated.
    package func waitUntilComplete(within limit: Duration) async -> Bool {
        state.withLock { $0.isHurried = true }
        defer { state.withLock { $0.isHurried = false } }
        endGathering()
        let timer = Task {
            await sleep(limit)
            if !Task.isCancelled { state.withLock { $0.completion.take() }?.resume() }
        }
        defer { timer.cancel() }
        await withCheckedContinuation { continuation in
            let ready = state.withLock { state in
                state.completion = continuation
                return state.popCompletion()
            }
            ready?.resume()
        }
        return progress.isComplete
    }

    /// Stops the writer.
    package func cancel() {
        let waiting = state.withLock { state in
            state.isOver = true
            state.isCancelled = true
            return (state.waiting.take(), state.popCompletion())
        }
        waiting.0?.resume()
        waiting.1?.resume()
    }

    // MARK: Writing

    /// Writes accepted changes until the writer is cancelled or another host is the owner.
    ///
    /// - Parameter before: Replicated state at the beginning of the epoch, or `nil` if there was none.
    package func run(after before: ReplicatedState?) async -> End {
        var position = ReplicaPosition(
            current: before?.current, number: before?.number(in: epoch.number) ?? 0)
        if let before {
            // From now on, transactions of an earlier writer that are still in transit fail.
            let fence = layout.fence(before.current, at: position)
            guard case .committed = await put(fence) else { return end() }
            position = fence.position
        }
        var request = Request.state
        while await wait(until: { !$0.progress.isComplete }) {
            await gather(for: interval())
            if state.withLock(\.needsWhole) { await waitForWhole(request) }
            guard let batch = popBatch() else { continue }
            let step = layout.step(
                writing: batch, of: state.withLock(\.lineage), at: position)
            switch await put(step) {
            case .committed:
                position = step.position
                position.lastKey = step.writes.last?.key ?? position.lastKey
                request = .state
                await recordReplicated(batch)
                if position.isLong { state.withLock { $0.needsWhole = true } }
            case .gap(let current):
                position = ReplicaPosition(current: current, number: position.number)
                request = .stateAndDocuments
                state.withLock { $0.dropItems() }
            case .over: return end()
            }
        }
        return end()
    }

    private func end() -> End {
        let (end, waiting) = state.withLock { state in
            state.isOver = true
            let end = state.denial.map { .denied($0) } ?? End.lost
            return (state.isCancelled ? .cancelled : end, state.popCompletion())
        }
        waiting?.resume()
        return end
    }

    /// Collects changes for a time, unless a caller is waiting for their replication.
    private func gather(for interval: Duration) async {
        guard interval > .zero,
            state.withLock({ state in
                state.isGathering = !state.isHurried
                return state.isGathering
            })
        else { return }
        let timer = Task {
            await sleep(interval)
            if !Task.isCancelled { endGathering() }
        }
        defer { timer.cancel() }
        _ = await wait { !$0.isGathering }
    }

    private func endGathering() {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.isGathering else { return nil }
            state.isGathering = false
            return state.waiting.take()
        }
        waiting?.resume()
    }

    private func waitForWhole(_ request: Request) async {
        state.withLock { $0.isWholeAwaited = true }
        requestWhole(request)
        _ = await wait { !$0.needsWhole }
        state.withLock { $0.isWholeAwaited = false }
    }

    /// Commits a step, and retries until the commit succeeds or the writer stops.
    ///
    private func put(_ step: ReplicaStep) async -> Outcome {
        var pause = Self.pauses.first
        var denied: Duration = .zero
        while !state.withLock(\.isOver) {
            do throws(StoreError) {
                return try await commit(step)
            } catch {
                state.withLock { $0.progress.failure = "\(error)" }
                await onProgress()
                if error.kind == .denied { denied += pause } else { denied = .zero }
                if denied > denialTimeout {
                    state.withLock { $0.denial = error }
                    return .over
                }
                await sleep(pause)
                pause = min(pause * 2, Self.pauses.last)
            }
        }
        return .over
    }

    private func recordReplicated(_ batch: ReplicaBatch) async {
        let waiting = state.withLock { state in
            state.progress.replicated = max(state.progress.replicated, batch.taken)
            state.progress.failure = nil
            return state.popCompletion()
        }
        waiting?.resume()
        await onProgress()
    }

    private func sleep(_ duration: Duration) async {
        do { try await clock.sleep(for: duration) } catch {}
    }

    /// Waits until a condition holds.
    ///
    /// - Returns: Whether the condition holds. Otherwise, the writer has stopped.
    private func wait(until isSo: @escaping @Sendable (State) -> Bool) async -> Bool {
        while true {
            let (isOver, isNow) = state.withLock { state in
                (state.isOver, isSo(state))
            }
            if isOver { return false }
            if isNow { return true }
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    if state.isOver || isSo(state) { return true }
                    state.waiting = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        }
    }

    private func popBatch() -> ReplicaBatch? {
        state.withLock { state in
            var batch = ReplicaBatch()
            // Documents are written before the state that refers to them (P19).
            for name in state.documents.keys.prefix(Self.maximumDocuments) {
                batch.documents[name] = state.documents.removeValue(forKey: name)
            }
            var bytes = batch.documents.values.reduce(0) { $0 + $1.count }
            var count = 0
            for item in state.items where state.documents.isEmpty {
                bytes += item.isWhole ? 0 : item.records.payloadByteCount
                // A whole state is written in a separate batch.
                if count > 0,
                    batch.whole != nil || item.isWhole || bytes > Self.maximumTransactionBytes
                {
                    break
                }
                count += 1
                if item.isWhole {
                    batch.whole = (item.records, item.turn)
                    continue
                }
                batch.records.append(item.records)
                batch.turn = item.turn
                state.byteCount -= item.records.payloadByteCount
            }
            state.items.removeFirst(count)
            let isRest = state.needsWhole || !state.documents.isEmpty
            batch.taken =
                isRest
                ? state.progress.replicated
                : state.items.first.map { $0.number - 1 } ?? state.progress.taken
            return count == 0 && batch.documents.isEmpty ? nil : batch
        }
    }

    private enum Outcome {
        case committed
        /// The store does not have the last write of this writer, so it must have been restored from a backup. The
        /// value is the current state in the store, or `nil` if there is no state.
        case gap(CurrentState?)
        /// Another host or another process is the owner, or the writer has stopped or given up.
        case over
    }

    /// Commits the writes of a step in transactions.
    ///
    /// Each transaction succeeds only if this host is the owner, and if the store has the write before it.
    private func commit(_ step: ReplicaStep) async throws(StoreError) -> Outcome {
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
        return try await commit(operations + step.last, of: step, after: previousKey)
    }

    private func commit(
        _ operations: [StoreOperation], of step: ReplicaStep, after previousKey: String?
    ) async throws(StoreError) -> Outcome {
        let (owner, current) = (
            keyspace.owner(epoch.bundleIdentifier), keyspace.current(epoch.bundleIdentifier)
        )
        let reply = try await store.commit(
            StoreTransaction(
                if: step.guards + (previousKey.map { [.exists($0)] } ?? []), then: operations,
                otherwise: [.range(KeyRange(owner)), .range(KeyRange(current))]))
        if reply.succeeded {
            onCommit(reply.storeRevision)
            return .committed
        }
        guard
            reply.entries.contains(where: {
                $0.key == owner && $0.createRevision == Int64(epoch.number)
            })
        else { return .over }
        let found = reply.entries.first { $0.key == current }
        // An attempt whose reply was lost may already have made the new state current.
        if step.position.current != step.before, found?.value == step.position.current?.bytes {
            return .committed
        }
        guard let found else { return .gap(nil) }
        // A later process of this host may have become the writer in the same epoch.
        guard let state = CurrentState(found.value), state.writer == writer else {
            return .over
        }
        return .gap(state)
    }
}
