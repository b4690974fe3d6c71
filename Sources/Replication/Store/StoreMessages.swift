import ExactText

/// Range of keys to read from a store.
package struct KeyRange: Sendable, Equatable {
    /// First key.
    package var startKey: String
    /// Exclusive end of the range, or `nil` to read a single key.
    package var endKey: String?
    /// Maximum number of entries in the reply, or `nil` to return all entries.
    package var limit: Int?
    /// Revision at which the keys are read, or `nil` to read them at the current revision.
    package var revision: Int64?

    /// Creates a range of keys from `startKey` up to but not including `endKey`.
    ///
    /// If `endKey` is `nil`, the range contains only `startKey`.
    package init(
        _ startKey: String, to endKey: String? = nil, limit: Int? = nil, revision: Int64? = nil
    ) {
        self.startKey = startKey
        self.endKey = endKey
        self.limit = limit
        self.revision = revision
    }
}

/// Key with its value.
package struct KeyEntry: Sendable, Equatable {
    package var key: String
    package var value: [UInt8]
    /// Revision at which the key was created.
    package var createRevision: Int64
    /// Revision at which the key was last changed.
    package var modRevision: Int64
    /// Identifier of the lease to which the key is attached, or 0 if there is no lease.
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
    /// Entry for the key after the change, or `nil` if the key was deleted.
    package var entry: KeyEntry?
    /// Revision at which the change was made.
    package var revision: Int64

    package init(key: String, entry: KeyEntry?, revision: Int64) {
        self.key = key
        self.entry = entry
        self.revision = revision
    }

    /// Creates a change from a key's current entry.
    init(_ entry: KeyEntry) {
        self.init(key: entry.key, entry: entry, revision: entry.modRevision)
    }
}

/// Reply to ``ClusterStore/range(_:)``.
package struct RangeReply: Sendable {
    /// Entries, sorted by the bytes of their keys.
    package var entries: [KeyEntry]
    /// Whether the range contains more keys than the limit.
    package var hasMore: Bool
    /// Current revision of the store.
    package var storeRevision: Int64

    package init(entries: [KeyEntry], hasMore: Bool, storeRevision: Int64) {
        self.entries = entries
        self.hasMore = hasMore
        self.storeRevision = storeRevision
    }
}

/// Summary of all keys with a prefix. It changes whenever one of the keys changes.
package struct KeySummary: Sendable, Equatable {
    /// Number of keys.
    package var count: Int64
    /// Newest revision at which an existing key was changed, or 0 if there are no keys.
    package var newestRevision: Int64
    /// Current revision of the store.
    package var storeRevision: Int64

    package init(count: Int64, newestRevision: Int64, storeRevision: Int64) {
        self.count = count
        self.newestRevision = newestRevision
        self.storeRevision = storeRevision
    }
}

/// Condition in a transaction.
package enum StoreCondition: Sendable, Equatable {
    /// The key was created at the given revision, or does not exist if the revision is 0.
    case createRevision(of: String, is: Int64)
    /// The key was last changed at the given revision.
    case modRevision(of: String, is: Int64)
    /// The key exists.
    case exists(String)
    /// The key has the given value.
    case value(of: String, is: [UInt8])
}

/// Operation in a transaction.
package enum StoreOperation: Sendable, Equatable {
    /// Writes a key and attaches it to a lease, or makes it permanent if `lease` is 0.
    case put(String, [UInt8], lease: Int64 = 0)
    /// Deletes a key or, if `to` is given, all keys from this key up to but not including `to`.
    case delete(String, to: String? = nil)
    /// Reads a range of keys.
    case range(KeyRange)
}

/// Transaction that executes one of two groups of operations, depending on conditions.
package struct StoreTransaction: Sendable, Equatable {
    /// Conditions that determine whether ``successOperations`` or ``failureOperations`` is executed.
    package var conditions: [StoreCondition]
    /// Operations to execute if all conditions hold.
    package var successOperations: [StoreOperation]
    /// Operations to execute if any condition does not hold.
    package var failureOperations: [StoreOperation]

    /// Creates a transaction.
    package init(
        if conditions: [StoreCondition], then successOperations: [StoreOperation],
        otherwise failureOperations: [StoreOperation] = []
    ) {
        self.conditions = conditions
        self.successOperations = successOperations
        self.failureOperations = failureOperations
    }
}

/// Reply to ``ClusterStore/commit(_:)``.
package struct TransactionReply: Sendable {
    /// Whether all conditions held.
    package var succeeded: Bool
    /// Entries that the transaction read, in the order of its operations.
    package var entries: [KeyEntry]
    /// Store revision after the transaction.
    package var storeRevision: Int64

    package init(succeeded: Bool, entries: [KeyEntry], storeRevision: Int64) {
        self.succeeded = succeeded
        self.entries = entries
        self.storeRevision = storeRevision
    }
}
