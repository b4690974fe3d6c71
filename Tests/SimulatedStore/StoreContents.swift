import ExactText
package import Replication

/// Keys, leases and changes of a store in memory. A copy is a backup.
package struct StoreContents: Sendable {
    private struct Lease {
        var length: Duration
        var deadline: ContinuousClock.Instant
    }

    /// A change together with the entry that it replaced, so that earlier revisions can be read.
    private struct Step {
        var change: KeyChange
        var before: KeyEntry?
    }

    package private(set) var revision: Int64 = 1
    private var keys: [ExactString: KeyEntry] = [:]
    private var leases: [Int64: Lease] = [:]
    private var steps: [Step] = []
    /// Whether transactions that put keys fail, because the store is full.
    package var isFull = false

    package init() {}

    // MARK: Keys

    package func range(_ range: KeyRange) -> RangeReply {
        var entries = keys(at: range.revision ?? revision).values.filter { entry in
            guard let end = range.end else { return entry.key == range.start }
            return !(entry.key < range.start) && entry.key < end
        }
        entries.sort { $0.key < $1.key }
        let limit = range.limit ?? entries.count
        return RangeReply(
            entries: Array(entries.prefix(limit)), hasMore: entries.count > limit,
            storeRevision: revision)
    }

    package func summary(ofKeysBelow prefix: String) -> KeySummary {
        let found = range(KeyRange(prefix, to: prefix.endOfPrefix)).entries
        return KeySummary(
            count: Int64(found.count), newest: found.map(\.modRevision).max() ?? 0,
            storeRevision: revision)
    }

    private func keys(at past: Int64) -> [ExactString: KeyEntry] {
        var keys = keys
        for step in steps.reversed() {
            if step.change.revision <= past { break }
            keys[step.change.key] = step.before
        }
        return keys
    }

    /// Executes a transaction.
    ///
    /// - Throws: A refusal if an operation is not valid. Nothing has changed in this case.
    package mutating func commit(
        _ transaction: StoreTransaction
    ) throws(StoreError) -> TransactionReply {
        let succeeds = transaction.conditions.allSatisfy { holds($0) }
        let operations = succeeds ? transaction.success : transaction.failure
        try check(operations)
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
                for entry in new.range(KeyRange(key, to: end)).entries {
                    new.set(entry.key, nil, at: next)
                }
            case .range(let range): entries += new.range(range).entries
            }
        }
        self = new
        return TransactionReply(succeeded: succeeds, entries: entries, storeRevision: revision)
    }

    private func holds(_ condition: StoreCondition) -> Bool {
        switch condition {
        case .createRevision(let key, let revision):
            keys[key]?.createRevision ?? 0 == revision
        case .exists(let key): keys[key] != nil
        case .value(let key, let value): keys[key]?.value == value
        }
    }

    private func check(_ operations: [StoreOperation]) throws(StoreError) {
        var written: Set<ExactString> = []
        for case .put(let key, _, let lease) in operations {
            if isFull { throw StoreError(.full, "the store is full") }
            if !written.insert(ExactString(key)).inserted {
                throw StoreError(.refused(code: 3), "the key \(key) is put twice")
            }
            if lease != 0, leases[lease] == nil {
                throw StoreError(.refused(code: 5), "the lease \(lease) does not exist")
            }
        }
    }

    private mutating func set(_ key: String, _ entry: KeyEntry?, at revision: Int64) {
        steps.append(
            Step(
                change: KeyChange(key: key, entry: entry, revision: revision), before: keys[key]))
        keys[key] = entry
        self.revision = revision
    }

    /// Returns the changes of all keys with a prefix, starting at a revision.
    package func changes(ofKeysBelow prefix: String, from first: Int64) -> [KeyChange] {
        let start = steps.partitioningIndex { $0.change.revision >= first }
        return steps[start...].map(\.change).filter { $0.key.utf8.starts(with: prefix.utf8) }
    }

    // MARK: Leases

    package mutating func grantLease(
        _ lease: Int64, for length: Duration, at now: ContinuousClock.Instant
    ) {
        leases[lease] = Lease(length: length, deadline: now.advanced(by: length))
    }

    package mutating func keepAlive(
        lease: Int64, at now: ContinuousClock.Instant
    ) -> Duration? {
        guard let length = leases[lease]?.length else { return nil }
        leases[lease]?.deadline = now.advanced(by: length)
        return length
    }

    package mutating func revoke(lease: Int64) throws(StoreError) {
        guard leases.removeValue(forKey: lease) != nil else {
            throw StoreError(.refused(code: 5), "the lease \(lease) does not exist")
        }
        let next = revision + 1
        for entry in keys.values.filter({ $0.lease == lease }).sorted(by: { $0.key < $1.key }) {
            set(entry.key, nil, at: next)
        }
    }

    /// Revokes the leases whose time is over.
    package mutating func expireLeases(at now: ContinuousClock.Instant) {
        for (lease, description) in leases.sorted(by: { $0.key < $1.key })
        where description.deadline <= now {
            do throws(StoreError) { try revoke(lease: lease) } catch {}
        }
    }

    /// Extends all leases as if they had just been renewed, as etcd does when a server becomes the leader.
    package mutating func extendLeases(at now: ContinuousClock.Instant) {
        for lease in leases.keys { _ = keepAlive(lease: lease, at: now) }
    }
}

extension Array {
    /// Index of the first element of a sorted array for which a condition holds, or the end index.
    fileprivate func partitioningIndex(where isSo: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if isSo(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
