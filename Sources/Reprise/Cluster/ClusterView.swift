import Preservation
import Replication
import RepriseControl

/// What is told of a cluster, and what can be asked of it, by who knows nothing of etcd.
protocol ClusterView: Sendable {
    /// Why a call about an application is to go elsewhere; nil: it runs here, or belongs to no cluster.
    func elsewhere(_ application: String) -> ControlError?

    /// What is known of the cluster, for `Status`.
    func describe() async -> ClusterDescription

    /// Who owns an application, for `Status`; nil: it belongs to no cluster.
    func ownership(of application: String) async -> OwnershipDescription?

    /// Has an application go to another host.
    ///
    /// - Throws: why it stays.
    func move(_ application: String, to host: String) async throws(ControlError)

    /// Has all go that run here, and takes nothing over; or takes over again.
    ///
    /// - Returns: where each went.
    func drain(_ isDraining: Bool) async throws(ControlError) -> [MovedApplication]
}
