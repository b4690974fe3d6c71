import Preservation
import RepriseControl
import Varlink
import VarlinkServing

/// Methods that operate on the cluster to which the daemon belongs.
struct ClusterMethods: Sendable {
    let applications: ApplicationList

    func serve(in methods: inout ServedMethods) throws {
        try methods.on(RelocateCall.self) { call in
            let application = try applications.find(call.application).bundleIdentifier
            try await cluster(of: application).move(application, to: call.host)
            return .with { $0.host = call.host }
        }
        try methods.on(DrainCall.self) { call in
            let moved = try await cluster().drain(call.end != true)
            return .with { $0.moved = moved }
        }
        try methods.on(ClusterCall.self) { _ in try await cluster().state() }
        try methods.on(ClusterHistoryCall.self) { call in
            let application = try call.application.map {
                try applications.known($0).bundleIdentifier
            }
            let changes = try await cluster(of: application).history(of: application)
            return .with { $0.changes = changes }
        }
        try methods.on(ClusterPauseCall.self) { call, context in
            let replaced = try await cluster().pause(
                because: call.reason, by: "user \(context.peer.uid)")
            return .with { $0.replaced = replaced }
        }
        try methods.on(ClusterResumeCall.self) { _ in
            try await cluster().resume()
            return EmptyReply()
        }
        try methods.on(ClusterTakeCall.self) { call, context in
            let application = try applications.known(call.application).bundleIdentifier
            try await cluster(of: application).take(
                application, force: call.force == true, by: "user \(context.peer.uid)")
            return EmptyReply()
        }
    }

    /// Returns the cluster.
    ///
    /// - Parameter application: Application that the error names, or `nil` if the call applies to the daemon.
    private func cluster(of application: String? = nil) throws(ControlError) -> any ClusterView {
        guard let cluster = applications.cluster else {
            throw .notInCluster(application: application)
        }
        return cluster
    }
}
