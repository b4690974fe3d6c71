import Preservation
import RepriseControl
import Varlink
import VarlinkServing

/// Methods that operate on the daemon's cluster.
extension ControlImplementation {
    func relocate(_ call: RelocateCall, _ context: CallContext) async throws -> RelocateCall.Reply {
        let application = try applications.find(call.application).bundleIdentifier
        try await cluster(of: application).move(application, to: call.host)
        return RelocateCall.Reply(host: call.host)
    }

    func drain(_ call: DrainCall, _ context: CallContext) async throws -> DrainCall.Reply {
        DrainCall.Reply(moved: try await cluster().setDraining(call.end != true))
    }

    func cluster(_ context: CallContext) async throws -> ClusterCall.Reply {
        try await cluster().clusterReply()
    }

    func clusterHistory(
        _ call: ClusterHistoryCall, _ context: CallContext
    ) async throws -> ClusterHistoryCall.Reply {
        let application = try call.application.map {
            try applications.findOnAnyHost($0).bundleIdentifier
        }
        return ClusterHistoryCall.Reply(
            changes: try await cluster(of: application).ownerHistory(of: application))
    }

    func clusterPause(
        _ call: ClusterPauseCall, _ context: CallContext
    ) async throws -> ClusterPauseCall.Reply {
        ClusterPauseCall.Reply(
            replaced: try await cluster().pauseTakeovers(
                because: call.reason, by: "user \(context.peer.uid)"))
    }

    func clusterResume(_ context: CallContext) async throws {
        try await cluster().resumeTakeovers()
    }

    func clusterTake(_ call: ClusterTakeCall, _ context: CallContext) async throws {
        let application = try applications.findOnAnyHost(call.application).bundleIdentifier
        try await cluster(of: application).takeOver(
            application, force: call.force == true, by: "user \(context.peer.uid)")
    }

    /// Returns the cluster, or throws an error if the daemon belongs to no cluster.
    ///
    /// - Parameter application: The application to name in the error, or `nil` if the call applies to the daemon.
    private func cluster(of application: String? = nil) throws(ControlError) -> any ClusterManaging
    {
        guard let cluster = applications.cluster else {
            throw .notInCluster(application: application)
        }
        return cluster
    }
}
