import Preservation
import Replication
import RepriseControl

/// View of a cluster for code that does not depend on etcd.
protocol ClusterView: Sendable {
    /// Returns the error for a call to an application that runs on another host.
    ///
    /// The result is `nil` if the application runs on this host or belongs to no cluster.
    func elsewhere(_ application: String) -> ControlError?

    /// Returns the state of the cluster, for `Status`.
    func describe() async -> ClusterDescription

    /// Returns the owner of an application, for `Status`, or `nil` if the application belongs to no cluster.
    func ownership(of application: String) async -> OwnershipDescription?

    /// Returns the state of the cluster, for the metrics.
    func metrics() async -> ClusterMetrics

    /// Moves an application to another host.
    ///
    /// - Throws: The reason why the application did not move.
    func move(_ application: String, to host: String) async throws(ControlError)

    /// Moves every application away from this host and stops taking over applications, or allows takeovers again.
    ///
    /// - Returns: The applications that moved, with their new hosts.
    func drain(_ isDraining: Bool) async throws(ControlError) -> [MovedApplication]
}

/// State of the cluster for a monitoring system.
struct ClusterMetrics: Sendable {
    /// Whether this host has a valid lease.
    let isMember: Bool
    /// Number of hosts in the cluster, as far as this host knows.
    let hostCount: Int
    /// Applications that this host owns, with the epoch of each ownership.
    let epochs: [(application: String, epoch: UInt64)]
}
