/// Facts about a cluster that a host remembers from one process to the next.
package struct HostMemory: Sendable {
    /// Lease of an earlier process of this host that may still be valid, or `nil` if there is none.
    package var lease: Int64?
    /// Identifier of the cluster's data in the store, or `nil` if this host has never joined the cluster.
    package var identity: String?
    /// Name of another cluster to which this host's state belongs, or `nil` if there is no such cluster.
    package var otherCluster: String?
    /// Revision of the store that an earlier process of this host stored, or `nil` if there is none.
    package var revision: Int64?
    /// Stores the number of a lease.
    package var storeLease: @Sendable (Int64) -> Void
    /// Stores the identifier of the cluster's data.
    package var storeIdentity: @Sendable (String) -> Void
    /// Stores a revision of the store, with the identifier of the cluster's data.
    package var storeRevision: @Sendable (Int64, String) -> Void

    /// Creates the memory of a host.
    package init(
        lease: Int64? = nil, identity: String? = nil, otherCluster: String? = nil,
        revision: Int64? = nil,
        storeLease: @escaping @Sendable (Int64) -> Void = { _ in },
        storeIdentity: @escaping @Sendable (String) -> Void = { _ in },
        storeRevision: @escaping @Sendable (Int64, String) -> Void = { _, _ in }
    ) {
        self.lease = lease
        self.identity = identity
        self.otherCluster = otherCluster
        self.revision = revision
        self.storeLease = storeLease
        self.storeIdentity = storeIdentity
        self.storeRevision = storeRevision
    }
}
