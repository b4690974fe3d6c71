import Preservation
import Replication
import RepriseControl

/// Access to a cluster for code that does not depend on etcd.
protocol ClusterManaging: Sendable {
    /// Returns the error for a call to an application that does not run on this host.
    ///
    /// The result is `nil` if the application runs on this host or does not belong to a cluster.
    func ownershipError(_ application: String) -> ControlError?

    /// Returns the state of the cluster, for `Status`.
    func describe() async -> ClusterDescription

    /// Returns the owner of an application as reported by `Status`, or `nil` if the application belongs to no cluster.
    func ownership(of application: String) async -> OwnershipDescription?

    /// Returns the state of the cluster, for the metrics.
    func metrics() async -> ClusterMetrics

    /// Returns the hosts, servers and applications of the cluster.
    func state() async -> ClusterCall.Reply

    /// Returns the latest ownership changes of one application or of all applications, oldest first.
    ///
    /// - Parameter application: Bundle identifier, or `nil` for all applications in the cluster.
    func history(of application: String?) async throws(ControlError) -> [OwnerChangeDescription]

    /// Pauses automatic takeovers on all hosts.
    ///
    /// - Parameters:
    ///   - reason: Reason that the operator gave, or `nil` if the operator gave no reason.
    ///   - user: Phrase that identifies the operator, such as `user 1000`.
    /// - Returns: The earlier pause that this pause replaces, or `nil` if takeovers were not paused.
    func pause(
        because reason: String?, by user: String
    ) async throws(ControlError) -> TakeoverPauseDescription?

    /// Ends the pause in automatic takeovers.
    func resume() async throws(ControlError)

    /// Makes this host the owner of an application, and waits until the application runs here.
    ///
    /// - Parameters:
    ///   - force: Whether to take over the application even if another host owns it.
    ///   - user: Phrase that identifies the operator, such as `user 1000`.
    func takeOver(_ application: String, force: Bool, by user: String) async throws(ControlError)

    /// Moves an application to another host.
    ///
    /// - Throws: `ControlError` if the application did not move.
    func move(_ application: String, to host: String) async throws(ControlError)

    /// Drains this host, or ends the drain.
    ///
    /// A drain moves every application to another host, and prevents this host from taking over applications.
    ///
    /// - Returns: The applications that moved, with their new hosts.
    func setDraining(_ isDraining: Bool) async throws(ControlError) -> [MovedApplication]
}

/// State of the cluster for a monitoring system.
struct ClusterMetrics: Sendable {
    /// Whether this host has a valid lease.
    let isMember: Bool
    /// Number of hosts in the cluster that this host knows of.
    let hostCount: Int
    /// Applications that this host owns, with the epoch of each ownership.
    let epochs: [(application: String, epoch: UInt64)]
    /// Duration of the latest read from the cluster's servers, or `nil` if this host has not read from them yet.
    let storeLatency: Duration?
}
