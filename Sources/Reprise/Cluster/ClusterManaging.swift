import Preservation
import Replication
import RepriseControl

/// Interface to a cluster. Code that uses it does not depend on etcd.
protocol ClusterManaging: Sendable {
    /// Returns the error for calls to an application that does not run on this host.
    ///
    /// The result is `nil` if the application runs on this host or belongs to no cluster.
    func ownershipError(_ application: String) -> ControlError?

    /// Returns the state of the cluster, as reported by `Status`.
    func describe() async -> ClusterDescription

    /// Returns the owner of an application, as reported by `Status`, or `nil` if the application belongs to no cluster.
    func ownership(of application: String) async -> OwnershipDescription?

    /// Returns the state of the cluster, as reported by the metrics.
    func metrics() async -> ClusterMetrics

    /// Returns the hosts, servers and applications of the cluster.
    func clusterReply() async -> ClusterCall.Reply

    /// Returns the latest ownership changes, oldest first.
    ///
    /// - Parameter application: The application's bundle identifier, or `nil` for all applications in the cluster.
    func ownerHistory(of application: String?) async throws(ControlError)
        -> [OwnerChangeDescription]

    /// Pauses automatic takeovers on all hosts.
    ///
    /// - Parameters:
    ///   - reason: The reason that the operator gave, or `nil` if none was given.
    ///   - user: A phrase that identifies the operator, such as `user 1000`.
    /// - Returns: The earlier pause that this pause replaces, or `nil` if takeovers were not paused.
    func pauseTakeovers(
        because reason: String?, by user: String
    ) async throws(ControlError) -> TakeoverPauseDescription?

    /// Ends the pause in automatic takeovers.
    func resumeTakeovers() async throws(ControlError)

    /// Makes this host the owner of an application, and waits until the application is running here.
    ///
    /// - Parameters:
    ///   - force: Whether to take over the application even if another host owns it.
    ///   - user: A phrase that identifies the operator, such as `user 1000`.
    func takeOver(_ application: String, force: Bool, by user: String) async throws(ControlError)

    /// Moves an application to another host.
    ///
    /// - Throws: `ControlError` if the application did not move.
    func move(_ application: String, to host: String) async throws(ControlError)

    /// Starts or ends draining this host.
    ///
    /// Draining moves every application to another host, and prevents this host from taking over applications.
    ///
    /// - Returns: The applications that moved, with their new hosts.
    func setDraining(_ isDraining: Bool) async throws(ControlError) -> [MovedApplication]
}

/// State of the cluster, as reported to monitoring systems.
struct ClusterMetrics: Sendable {
    /// Whether this host has a valid lease.
    let hasValidLease: Bool
    /// Number of hosts that are known to be in the cluster.
    let hostCount: Int
    /// Applications that this host owns, and the epoch of each ownership.
    let epochs: [(application: String, epoch: UInt64)]
    /// Duration of the latest read from the cluster's servers, or `nil` if there has been no read yet.
    let storeLatency: Duration?
}
