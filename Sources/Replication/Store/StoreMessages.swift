import ExactText

/// Keys to read from a store.
package struct KeyRange: Sendable, Equatable {
    /// First key.
    package var start: String
    /// Exclusive end of the range, or `nil` for a single key.
    package var end: String?
    /// Maximum number of entries in the reply, or `nil` for all entries.
    package var limit: Int?
    /// Revision at which the keys are read, or `nil` for the current revision.
    package var revision: Int64?

    /// Creates a range of one key or, if there is an end, of the keys from `start` up to but not including the end.
    package init(
        _ start: String, to end: String? = nil, limit: Int? = nil, revision: Int64? = nil
    ) {
        self.start = start
        self.end = end
        self.limit = limit
        self.revision = revision
    }
}

/// Key with its value.
package struct KeyEntry: Sendable, Equatable {
    package var key: String
    package var value: [UInt8]
    /// Revision that created the key.
    package var createRevision: Int64
    /// Revision of the last change to the key.
    package var modRevision: Int64
    /// Number of the lease to which the key is attached, or 0 if there is no lease.
    package var lease: Int64

    package init(
        key: String, value: [UInt8], createRevision: Int64, modRevision: Int64, lease: Int64 = 0
    ) {
        self.key = key
        self.value = value
        self.createRevision = createRevision
        self.modRevision = modRevision
        self.lease = lease
    }
}

/// Change to a key.
package struct KeyChange: Sendable, Equatable {
    package var key: String
    /// Entry of the key, or `nil` if the key was deleted.
    package var entry: KeyEntry?
    /// Revision of the change.
    package var revision: Int64

    package init(key: String, entry: KeyEntry?, revision: Int64) {
        self.key = key
        self.entry = entry
        self.revision = revision
    }

    /// Creates a change from the current entry of a key.
    init(_ entry: KeyEntry) {
        self.init(key: entry.key, entry: entry, revision: entry.modRevision)
    }
}

/// Reply to ``ClusterStore/range(_:)``.
package struct RangeReply: Sendable {
    /// Entries in the order of their keys' bytes.
    package var entries: [KeyEntry]
    /// Whether the range has more keys than the limit.
    package var hasMore: Bool
    /// Current revision of the store.
    package var storeRevision: Int64

    package init(entries: [KeyEntry], hasMore: Bool, storeRevision: Int64) {
        self.entries = entries
        self.hasMore = hasMore
        self.storeRevision = storeRevision
    }
}

/// Summary that distinguishes different states of the keys with a prefix.
package struct KeySummary: Sendable, Equatable {
    /// Number of keys.
    package var count: Int64
    /// Revision of the last change to a key that still exists, or 0 if there is no key.
    package var newest: Int64
    /// Current revision of the store.
    package var storeRevision: Int64

    package init(count: Int64, newest: Int64, storeRevision: Int64) {
        self.count = count
        self.newest = newest
        self.storeRevision = storeRevision
    }
}

/// Condition of a transaction.
package enum StoreCondition: Sendable, Equatable {
    /// The key was created by the given revision. Revision 0 means that the key does not exist.
    case createRevision(of: String, is: Int64)
    /// The key exists.
    case exists(String)
    /// The key has the given value.
    case value(of: String, is: [UInt8])
}

/// Operation of a transaction.
package enum StoreOperation: Sendable, Equatable {
    /// Writes a key and attaches it to a lease, or makes it permanent if `lease` is 0.
    case put(String, [UInt8], lease: Int64 = 0)
    /// Deletes a key, or the keys from this key up to but not including the end.
    case delete(String, to: String? = nil)
    /// Reads a range of keys.
    case range(KeyRange)
}

/// Operations that are executed together, depending on conditions.
package struct StoreTransaction: Sendable, Equatable {
    /// Conditions of the transaction.
    package var conditions: [StoreCondition]
    /// Operations to execute if all conditions hold.
    package var success: [StoreOperation]
    /// Operations to execute if a condition does not hold.
    package var failure: [StoreOperation]

    /// Creates a transaction.
    package init(
        if conditions: [StoreCondition], then success: [StoreOperation],
        otherwise failure: [StoreOperation] = []
    ) {
        self.conditions = conditions
        self.success = success
        self.failure = failure
    }
}

/// Reply to ``ClusterStore/commit(_:)``.
package struct TransactionReply: Sendable {
    /// Whether all conditions held.
    package var succeeded: Bool
    /// Entries that the transaction read, in the order of its operations.
    package var entries: [KeyEntry]
    /// Revision of the store after the transaction.
    package var storeRevision: Int64

    package init(succeeded: Bool, entries: [KeyEntry], storeRevision: Int64) {
        self.succeeded = succeeded
        self.entries = entries
        self.storeRevision = storeRevision
    }
}
