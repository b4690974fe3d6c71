/// Key-value store that the hosts of a cluster share, for example etcd.
///
/// No host runs an application that another host runs, and no acknowledged change is lost, if the store keeps these
/// promises:
///
/// - All reads and transactions take effect one after the other, in an order that agrees with real time. A request that
///   fails may take effect later, unless its error says otherwise.
/// - Each transaction that changes a key increases the store's revision. A key keeps the revision that created it until
///   the key is deleted.
/// - When a lease expires or is revoked, the keys that are attached to it are deleted. A lease never expires before its
///   time has passed since the last renewal, as measured by the store's clock.
/// - A watch reports all changes of its keys in order, starting at the given revision, or fails. It may stop reporting
///   without an error, because the hosts check their view at intervals.
///
/// After the store was restored from a backup, revisions may repeat. The hosts notice this by the missing keys.
///
/// `StoreConformanceTests` checks those promises that a single client can observe.
package protocol ClusterStore: Sendable {
    /// Determines the identity of a cluster's data, and uses only servers that have this identity from now on.
    ///
    /// - Parameters:
    ///   - keyspace: Names of the cluster's keys.
    ///   - known: Identity that the host remembers, or `nil` if the host has never joined the cluster. In that case, the
    ///     identity is read from the store, or created if the store has none.
    func identify(
        _ keyspace: Keyspace, known: ClusterIdentity?
    ) async throws(StoreError) -> ClusterIdentity

    /// Reads keys.
    func range(_ range: KeyRange) async throws(StoreError) -> RangeReply

    /// Returns a summary of all keys with a prefix.
    func summary(ofKeysBelow prefix: String) async throws(StoreError) -> KeySummary

    /// Executes a transaction.
    func commit(_ transaction: StoreTransaction) async throws(StoreError) -> TransactionReply

    /// Creates a lease.
    ///
    /// - Returns: The number of the lease.
    func grantLease(_ length: Duration) async throws(StoreError) -> Int64

    /// Renews a lease.
    ///
    /// - Parameter limit: Timeout for the reply.
    /// - Returns: The time until the lease expires, or `nil` if it has expired.
    func keepAlive(lease: Int64, within limit: Duration) async throws(StoreError) -> Duration?

    /// Revokes a lease, which deletes all keys that are attached to it.
    func revoke(lease: Int64) async throws(StoreError)

    /// Watches the changes of all keys with a prefix, until the watch fails.
    ///
    /// - Parameters:
    ///   - prefix: Prefix of the keys.
    ///   - revision: First revision whose changes are reported.
    ///   - report: Receives the changes of one or more revisions, in order. It is called on the executor of the
    ///     ``ClusterMember`` that uses this store.
    func watch(
        keysBelow prefix: String, from revision: Int64,
        report: @escaping @Sendable ([KeyChange]) -> Void
    ) async throws(StoreError) -> Never

    /// Ends all watches, which then fail.
    func endWatches() async
}
