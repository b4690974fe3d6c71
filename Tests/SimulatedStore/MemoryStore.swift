import ExactText
package import Replication

/// Store in the memory of this process.
package actor MemoryStore: ClusterStore {
    private struct Watch {
        let prefix: String
        /// First revision that has not been reported yet.
        var next: Int64
        let report: @Sendable ([KeyChange]) -> Void
        let end: CheckedContinuation<StoreError, Never>
    }

    private nonisolated let executor: any SerialExecutor
    private let clock: any SuspendAwareClock
    private var watches: [Int: Watch] = [:]
    private var lastWatch = 0
    private var contents = StoreContents()
    /// Number of the last lease. It is not part of a backup, because no store repeats the number of a lease.
    private var lastLease: Int64 = 0

    package init(on executor: any SerialExecutor, clock: any SuspendAwareClock) {
        self.executor = executor
        self.clock = clock
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Revokes expired leases until the task is cancelled.
    package func run() async {
        while !Task.isCancelled {
            do { try await clock.sleep(for: .milliseconds(100)) } catch { return }
            change { $0.expireLeases(at: clock.now) }
        }
    }

    // MARK: Faults

    /// Sets whether the store is full.
    package func setFull(_ isFull: Bool) { contents.isFull = isFull }

    /// Discards all revisions before the current one.
    package func compact() { contents.compact() }

    /// Copy of all contents of the store.
    package var backup: StoreContents { contents }

    /// Replaces all contents with a backup, and ends all watches.
    package func restore(_ backup: StoreContents) {
        contents = backup
        contents.extendLeases(at: clock.now)
        endWatches()
    }

    // MARK: Requests

    package func identify(
        _ keyspace: Keyspace, known: ClusterIdentity?
    ) throws(StoreError) -> ClusterIdentity {
        let key = keyspace.identityKey
        if known == nil {
            let new = ClusterIdentity(in: keyspace)
            _ = try commit(
                StoreTransaction(
                    if: [.createRevision(of: key, is: 0)],
                    then: [.put(key, Array(new.id.utf8))]))
        }
        guard let found = try range(KeyRange(key)).entries.first else {
            throw StoreError(.otherCluster, "the store does not have the data of the cluster")
        }
        let id = String(decoding: found.value, as: UTF8.self)
        if let known, ExactString(known.id) != ExactString(id) {
            throw StoreError(.otherCluster, "the store has the data of another cluster")
        }
        return ClusterIdentity(in: keyspace, id: id)
    }

    package func range(_ range: KeyRange) throws(StoreError) -> RangeReply {
        try change { contents throws(StoreError) in try contents.range(range) }
    }

    package func summary(ofKeysBelow prefix: String) -> KeySummary {
        change { $0.summary(ofKeysBelow: prefix) }
    }

    package func commit(_ transaction: StoreTransaction) throws(StoreError) -> TransactionReply {
        try change { contents throws(StoreError) in try contents.commit(transaction) }
    }

    package func grantLease(_ length: Duration) throws(StoreError) -> Int64 {
        lastLease += 1
        let lease = lastLease
        try change { contents throws(StoreError) in
            try contents.grantLease(lease, for: length, at: clock.now)
        }
        return lease
    }

    package func keepAlive(lease: Int64, within limit: Duration) -> Duration? {
        change { $0.keepAlive(lease: lease, at: clock.now) }
    }

    package func revoke(lease: Int64) throws(StoreError) {
        try change { contents throws(StoreError) in try contents.revoke(lease: lease) }
    }

    package func watch(
        keysBelow prefix: String, from revision: Int64,
        report: @escaping @Sendable ([KeyChange]) -> Void
    ) async throws(StoreError) -> Never {
        lastWatch += 1
        let number = lastWatch
        let end = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                watches[number] = Watch(
                    prefix: prefix, next: revision, report: report, end: continuation)
                reportChanges()
                if Task.isCancelled { endWatch(number) }
            }
        } onCancel: {
            Task { await self.endWatch(number) }
        }
        throw end
    }

    package func endWatches() {
        for number in watches.keys.sorted() { endWatch(number) }
    }

    private func endWatch(
        _ number: Int, because error: StoreError = StoreError(.unavailable, "the watch ended")
    ) {
        watches.removeValue(forKey: number)?.end.resume(returning: error)
    }

    /// Executes a request after expired leases were revoked, and reports the changes.
    private func change<Reply, Failure: Error>(
        _ body: (inout StoreContents) throws(Failure) -> Reply
    ) throws(Failure) -> Reply {
        contents.expireLeases(at: clock.now)
        defer { reportChanges() }
        return try body(&contents)
    }

    private func reportChanges() {
        for (number, watch) in watches.sorted(by: { $0.key < $1.key })
        where watch.next <= contents.revision {
            let changes: [KeyChange]
            do throws(StoreError) {
                changes = try contents.changes(ofKeysBelow: watch.prefix, from: watch.next)
            } catch {
                endWatch(number, because: error)
                continue
            }
            watches[number]?.next = contents.revision + 1
            if !changes.isEmpty { watch.report(changes) }
        }
    }
}
