/// Key-value store that is shared by the hosts of a cluster, for example etcd.
///
/// Every implementation must give the following guarantees. They ensure that an application never runs on two hosts at
/// the same time, and that no acknowledged change is lost.
///
/// Requests:
///
/// - All reads and transactions take effect one after another, in an order that is consistent with real time.
/// - A transaction takes effect completely or not at all. When it is acknowledged, it is durable on enough servers to
///   survive every tolerated failure.
/// - A failed request has the outcome that is documented for its ``StoreError/Kind``. A request that receives no reply
///   may take effect at any later time.
/// - A transaction is refused if one of its branches puts a key twice, or puts a key that the same branch deletes.
/// - A transaction may have up to 128 operations in each branch and contain 1 MiB of keys and values.
///
/// Revisions:
///
/// - Each transaction that changes a key increases the store's revision. Revisions are positive, and increase in the
///   order in which the transactions take effect.
/// - The revision at which a key was created does not change until the key is deleted.
/// - A read at a revision that is not available fails with ``StoreError/Kind/compacted``.
///
/// Leases:
///
/// - Lease numbers are positive. The store never uses a number twice, even after it has been restored from a backup.
/// - When a lease expires or is revoked, all keys attached to it are deleted at the same revision.
/// - A lease never expires before its duration has passed since the last renewal, as measured by the store's clock.
///   During this time, the store's clock may advance by up to a fifth more than a host's clock.
/// - If the servers lose track of the time, for example when another server becomes the leader, they extend all leases.
/// - While the store is full, leases can be renewed and revoked, and keys can be deleted and read.
///
/// Watches:
///
/// - A watch reports all changes to its keys in order, starting at the given revision, or fails. It may also stop
///   reporting without an error, because the hosts check at intervals whether they have missed a change.
///
/// After the store has been restored from a backup, revisions may repeat, and hosts find that their keys are missing.
/// An application may then run on two hosts for up to the duration of a lease, because the restored store does not
/// contain the latest owner's lease.
///
/// `StoreConformanceTests` checks the guarantees that a single client can observe.
package protocol ClusterStore: Sendable {
    /// Number of servers that a client tries one after another.
    ///
    /// The default is 1.
    var serverCount: Int { get }

    /// Determines the identity of a cluster's data, and restricts the store to servers that have this identity.
    ///
    /// - Parameters:
    ///   - keyspace: The names of the cluster's keys.
    ///   - known: The identity that the host remembers, or `nil` if the host has never joined the cluster. In that
    ///     case, the identity is read from the store, or created if the store has none.
    func identify(
        _ keyspace: Keyspace, known: ClusterIdentity?
    ) async throws(StoreError) -> ClusterIdentity

    /// Reads a range of keys.
    func range(_ range: KeyRange) async throws(StoreError) -> RangeReply

    /// Returns a summary of all keys with a prefix.
    func summary(ofKeysBelow prefix: String) async throws(StoreError) -> KeySummary

    /// Executes a transaction.
    func commit(_ transaction: StoreTransaction) async throws(StoreError) -> TransactionReply

    /// Creates a lease.
    ///
    /// - Returns: The number of the lease, which is positive.
    func grantLease(_ duration: Duration) async throws(StoreError) -> Int64

    /// Renews a lease.
    ///
    /// - Parameter timeout: The timeout for the reply.
    /// - Returns: The time until the lease expires, or `nil` if it has expired.
    func keepAlive(lease: Int64, within timeout: Duration) async throws(StoreError) -> Duration?

    /// Revokes a lease, which deletes all keys attached to the lease.
    func revoke(lease: Int64) async throws(StoreError)

    /// Watches all keys with a prefix for changes, until the watch fails.
    ///
    /// - Parameters:
    ///   - prefix: The prefix of the keys.
    ///   - revision: The first revision whose changes are reported.
    ///   - report: A closure that receives the changes made at one or more revisions, in the order of the revisions. It
    ///     is called on the executor of the ``ClusterMember`` that uses this store.
    func watch(
        keysBelow prefix: String, from revision: Int64,
        report: @escaping @Sendable ([KeyChange]) -> Void
    ) async throws(StoreError) -> Never

    /// Ends all watches. Each watch then throws an error.
    func endWatches() async
}

extension ClusterStore {
    package var serverCount: Int { 1 }
}
