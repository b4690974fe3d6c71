/// Facts about a cluster that a host's process saves for the next process.
///
/// The closures return after the value is durable, and must not block the caller's thread, on which the lease is
/// renewed.
package struct SavedClusterFacts: Sendable {
    /// Number of the lease that an earlier process on this host obtained, or `nil` if there is none.
    ///
    /// The lease may have expired.
    package var lease: Int64?
    /// Identifier of the cluster's data in the store, or `nil` if this host has never joined the cluster.
    package var identity: String?
    /// Name of a different cluster that this host's state belongs to, or `nil` if there is none.
    package var otherClusterName: String?
    /// Store revision that an earlier process on this host saved, or `nil` if none was saved.
    package var revision: Int64?
    /// Closure that saves the number of a lease.
    package var saveLease: @Sendable (Int64) async -> Void
    /// Closure that saves the identifier of the cluster's data.
    package var saveIdentity: @Sendable (String) async -> Void
    /// Closure that saves a store revision together with the identifier of the cluster's data.
    package var saveRevision: @Sendable (Int64, String) async -> Void

    /// Creates a set of saved facts.
    package init(
        lease: Int64? = nil, identity: String? = nil, otherClusterName: String? = nil,
        revision: Int64? = nil,
        saveLease: @escaping @Sendable (Int64) async -> Void = { _ in },
        saveIdentity: @escaping @Sendable (String) async -> Void = { _ in },
        saveRevision: @escaping @Sendable (Int64, String) async -> Void = { _, _ in }
    ) {
        self.lease = lease
        self.identity = identity
        self.otherClusterName = otherClusterName
        self.revision = revision
        self.saveLease = saveLease
        self.saveIdentity = saveIdentity
        self.saveRevision = saveRevision
    }
}
