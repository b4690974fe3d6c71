#if Etcd
    import ExactText

    /// State of an etcd server, as reported by the server.
    package struct EtcdServerStatus: Sendable, Equatable {
        /// Address in `cluster.endpoints`.
        package let endpoint: String
        /// Version of etcd, or `nil` if the server does not reply.
        package var version: String?
        /// Size of the database in bytes, or `nil` if the server does not reply.
        package var databaseByteCount: Int64?
        /// Whether the server is the leader of the etcd cluster.
        package var isLeader = false
        /// Time that the server took to reply, or `nil` if it does not reply.
        package var latency: Duration?
        /// Problem of the server, as a sentence, or `nil` if there is no problem.
        package var problem: String?
        /// Whether the server has the data of another cluster, or no data of this cluster.
        package var isForeign = false

        package init(endpoint: String) { self.endpoint = endpoint }
    }

    extension EtcdClient {
        /// Requests the state of all servers at the same time (`Maintenance.Status`).
        package func servers() async -> [EtcdServerStatus] {
            let asked = endpoints.map { endpoint in Task { await status(of: endpoint) } }
            var statuses: [EtcdServerStatus] = []
            for status in asked { statuses.append(await status.value) }
            return statuses
        }

        private func status(of endpoint: EtcdEndpoint) async -> EtcdServerStatus {
            var status = EtcdServerStatus(endpoint: "\(endpoint)")
            let beginning = clock.now
            do throws(StoreError) {
                let reply: EtcdStatusReply = try await ask(
                    "/v3/maintenance/status", EtcdStatusRequest(), at: endpoint)
                status.latency = beginning.duration(to: clock.now)
                status.version = reply.version
                status.databaseByteCount = reply.dbSize?.value
                status.isLeader = reply.leader != nil && reply.leader == reply.header?.member_id
                if let error = reply.errors?.first {
                    status.problem = "it reports: \(Self.shown(error))"
                } else if (reply.leader ?? "0") == "0" {
                    status.problem = "it has no leader"
                } else if let identity {
                    try identity.check(try await read(identity.key, at: endpoint), at: endpoint)
                }
            } catch {
                status.problem = "\(error)"
                status.isForeign = error.kind == .otherCluster
            }
            return status
        }

        /// Returns the granted and the remaining time of a lease (`Lease.LeaseTimeToLive`).
        ///
        /// - Returns: The times, or `nil` if the lease has expired.
        package func times(
            ofLease lease: Int64
        ) async throws(StoreError) -> (granted: Duration, remaining: Duration)? {
            let reply: EtcdLeaseTimes = try await ask(
                "/v3/lease/timetolive", EtcdLeaseNumber(ID: EtcdNumber(lease)))
            guard let granted = reply.grantedTTL, reply.TTL.value >= 0 else { return nil }
            return (.seconds(granted.value), .seconds(reply.TTL.value))
        }
    }
#endif
