import ExactText
package import Replication

/// Keys, leases and changes of a store in memory. A copy is a backup.
package struct StoreContents: Sendable {
    /// Default limits of etcd servers for a transaction.
    private static let maximum = (operationCount: 128, byteCount: 3 << 19)

    private struct Lease {
        var length: Duration
        var deadline: ContinuousClock.Instant
    }

    /// Change together with the entry that it replaced. It allows earlier revisions to be read.
    private struct HistoryEntry {
        var change: KeyChange
        var previous: KeyEntry?
    }

    package private(set) var revision: Int64 = 1
    private var keys: [ExactString: KeyEntry] = [:]
    private var leases: [Int64: Lease] = [:]
    private var history: [HistoryEntry] = []
    /// Oldest revision that can be read.
    private var oldestRevision: Int64 = 1
    /// Whether requests that need space fail because the store is full.
    ///
    /// This property is part of a backup, like the alarm of etcd.
    package var isFull = false

    package init() {}

    // MARK: Keys

    /// Reads keys.
    ///
    /// - Throws: ``StoreError/Kind/compacted`` if the store does not have the revision.
    package func range(_ range: KeyRange) throws(StoreError) -> RangeReply {
        if let requested = range.revision { try check(revision: requested) }
        return matches(range)
    }

    private func check(revision requested: Int64) throws(StoreError) {
        guard (oldestRevision...revision).contains(requested) else {
            throw StoreError(.compacted, "the store does not have the revision \(requested)")
        }
    }

    private func matches(_ range: KeyRange) -> RangeReply {
        var entries = keys(at: range.revision ?? revision).values.filter { entry in
            guard let endKey = range.endKey else { return entry.key == range.startKey }
            return !(entry.key < range.startKey) && entry.key < endKey
        }
        entries.sort { $0.key < $1.key }
        let limit = range.limit ?? entries.count
        return RangeReply(
            entries: Array(entries.prefix(limit)), hasMore: entries.count > limit,
            storeRevision: revision)
    }

    /// Returns a summary of all keys with a prefix.
    package func summary(ofKeysBelow prefix: String) -> KeySummary {
        let matches = matches(KeyRange(prefix, to: prefix.endOfPrefix)).entries
        return KeySummary(
            count: Int64(matches.count), newestRevision: matches.map(\.modRevision).max() ?? 0,
            storeRevision: revision)
    }

    private func keys(at past: Int64) -> [ExactString: KeyEntry] {
        var keys = keys
        for entry in history.reversed() {
            if entry.change.revision <= past { break }
            keys[entry.change.key] = entry.previous
        }
        return keys
    }

    /// Discards all revisions before the current one.
    package mutating func compact() {
        oldestRevision = revision
        history = []
    }

    /// Executes a transaction.
    ///
    /// - Throws: ``StoreError`` if an operation is not valid or the store is full. Nothing has changed in this case.
    package mutating func commit(
        _ transaction: StoreTransaction
    ) throws(StoreError) -> TransactionReply {
        try check(transaction)
        let succeeds = transaction.conditions.allSatisfy { holds($0) }
        let operations = succeeds ? transaction.successOperations : transaction.failureOperations
        try checkLeases(of: operations)
        var new = self
        var entries: [KeyEntry] = []
        let next = revision + 1
        for operation in operations {
            switch operation {
            case .put(let key, let value, let lease):
                let created = new.keys[key]?.createRevision ?? next
                new.set(
                    key,
                    KeyEntry(
                        key: key, value: value, createRevision: created, modRevision: next,
                        lease: lease), at: next)
            case .delete(let key, let end):
                for entry in new.matches(KeyRange(key, to: end)).entries {
                    new.set(entry.key, nil, at: next)
                }
            case .range(let range): entries += try new.range(range).entries
            }
        }
        self = new
        return TransactionReply(succeeded: succeeds, entries: entries, storeRevision: revision)
    }

    private func holds(_ condition: StoreCondition) -> Bool {
        switch condition {
        case .createRevision(let key, let revision):
            keys[key]?.createRevision ?? 0 == revision
        case .modRevision(let key, let revision): keys[key]?.modRevision ?? 0 == revision
        case .exists(let key): keys[key] != nil
        case .value(let key, let value): keys[key]?.value == value
        }
    }

    /// Checks both branches of a transaction, as etcd does before it compares the conditions.
    private func check(_ transaction: StoreTransaction) throws(StoreError) {
        let branches = [transaction.successOperations, transaction.failureOperations]
        guard
            max(transaction.conditions.count, branches.map(\.count).max() ?? 0)
                <= Self.maximum.operationCount
        else { throw StoreError(.refused, "the transaction has too many operations") }
        let byteCount =
            transaction.conditions.reduce(0) { $0 + $1.byteCount }
            + branches.joined().reduce(0) { $0 + $1.byteCount }
        guard byteCount <= Self.maximum.byteCount else {
            throw StoreError(.refused, "the transaction is too large")
        }
        for branch in branches { try checkKeys(of: branch) }
        if isFull, branches.joined().contains(where: { $0.putKey != nil }) { throw Self.full }
    }

    /// Checks that no key is put twice, and that no key is both put and deleted.
    private func checkKeys(of operations: [StoreOperation]) throws(StoreError) {
        var written: Set<ExactString> = []
        for key in operations.compactMap(\.putKey) {
            guard written.insert(ExactString(key)).inserted,
                !operations.contains(where: { $0.deletes(key) })
            else { throw StoreError(.refused, "the transaction changes the key \(key) twice") }
        }
    }

    private func checkLeases(of operations: [StoreOperation]) throws(StoreError) {
        for case .put(_, _, let lease) in operations where lease != 0 && leases[lease] == nil {
            throw StoreError(.refused, "the lease \(lease) does not exist")
        }
    }

    private static var full: StoreError { StoreError(.full, "the store is full") }

    private mutating func set(_ key: String, _ entry: KeyEntry?, at revision: Int64) {
        history.append(
            HistoryEntry(
                change: KeyChange(key: key, entry: entry, revision: revision), previous: keys[key]))
        keys[key] = entry
        self.revision = revision
    }

    /// Returns the changes of all keys with a prefix, starting at a revision.
    ///
    /// - Throws: ``StoreError/Kind/compacted`` if the store no longer has these changes.
    package func changes(
        ofKeysBelow prefix: String, from first: Int64
    ) throws(StoreError) -> [KeyChange] {
        if first <= oldestRevision, oldestRevision > 1 { try check(revision: first - 1) }
        let start = history.partitioningIndex { $0.change.revision >= first }
        return history[start...].map(\.change).filter { $0.key.utf8.starts(with: prefix.utf8) }
    }

    // MARK: Leases

    /// Creates a lease, unless the store is full.
    package mutating func grantLease(
        _ lease: Int64, for length: Duration, at now: ContinuousClock.Instant
    ) throws(StoreError) {
        if isFull { throw Self.full }
        leases[lease] = Lease(length: length, deadline: now.advanced(by: length))
    }

    /// Renews a lease. Returns its length, or `nil` if the lease does not exist.
    package mutating func keepAlive(
        lease: Int64, at now: ContinuousClock.Instant
    ) -> Duration? {
        guard let length = leases[lease]?.length else { return nil }
        leases[lease]?.deadline = now.advanced(by: length)
        return length
    }

    /// Deletes a lease with its keys.
    package mutating func revoke(lease: Int64) throws(StoreError) {
        guard leases.removeValue(forKey: lease) != nil else {
            throw StoreError(.refused, "the lease \(lease) does not exist")
        }
        let next = revision + 1
        for entry in keys.values.filter({ $0.lease == lease }).sorted(by: { $0.key < $1.key }) {
            set(entry.key, nil, at: next)
        }
    }

    /// Revokes expired leases.
    package mutating func expireLeases(at now: ContinuousClock.Instant) {
        for (lease, properties) in leases.sorted(by: { $0.key < $1.key })
        where properties.deadline <= now {
            do throws(StoreError) { try revoke(lease: lease) } catch {}
        }
    }

    /// Extends all leases as if they had just been renewed, as etcd does when a server becomes the leader.
    package mutating func extendLeases(at now: ContinuousClock.Instant) {
        for lease in leases.keys { _ = keepAlive(lease: lease, at: now) }
    }
}

extension StoreCondition {
    fileprivate var byteCount: Int {
        switch self {
        case .createRevision(let key, _), .modRevision(let key, _), .exists(let key):
            key.utf8.count
        case .value(let key, let value): key.utf8.count + value.count
        }
    }
}

extension StoreOperation {
    fileprivate var byteCount: Int {
        switch self {
        case .put(let key, let value, _): key.utf8.count + value.count
        case .delete(let key, let end): key.utf8.count + (end?.utf8.count ?? 0)
        case .range(let range): range.startKey.utf8.count + (range.endKey?.utf8.count ?? 0)
        }
    }

    /// Key that the operation puts, or `nil` if it does not put a key.
    fileprivate var putKey: String? {
        if case .put(let key, _, _) = self { key } else { nil }
    }

    /// Returns whether the operation deletes a key.
    fileprivate func deletes(_ key: String) -> Bool {
        guard case .delete(let start, let end) = self else { return false }
        guard let end else { return ExactString(key) == ExactString(start) }
        return !(ExactString(key) < ExactString(start)) && ExactString(key) < ExactString(end)
    }
}

extension Array {
    /// Returns the index of the first element of a sorted array for which a condition holds, or the end index.
    fileprivate func partitioningIndex(where predicate: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if predicate(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
