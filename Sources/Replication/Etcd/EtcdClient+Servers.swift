#if Etcd
    import ExactText

    /// Status of an etcd server, as reported by the server.
    package struct EtcdServerStatus: Sendable, Equatable {
        /// Address of the server, as written in `cluster.endpoints`.
        package let endpoint: String
        /// Version of etcd, or `nil` if the server did not reply.
        package var version: String?
        /// Size of the database in bytes, or `nil` if the server did not reply.
        package var databaseByteCount: Int64?
        /// Whether the server is the leader of the etcd cluster.
        package var isLeader = false
        /// Time that the server took to reply, or `nil` if it did not reply.
        package var latency: Duration?
        /// Problem with the server, as a sentence, or `nil` if there is none.
        package var problem: String?
        /// Whether the server has the data of a different cluster or lacks the data of this cluster.
        package var lacksClusterData = false

        package init(endpoint: String) { self.endpoint = endpoint }
    }

    extension EtcdClient {
        /// Requests the status of all servers concurrently (`Maintenance.Status`).
        package func serverStatuses() async -> [EtcdServerStatus] {
            let requests = endpoints.map { endpoint in Task { await status(of: endpoint) } }
            var statuses: [EtcdServerStatus] = []
            for request in requests { statuses.append(await request.value) }
            return statuses
        }

        private func status(of endpoint: EtcdEndpoint) async -> EtcdServerStatus {
            var status = EtcdServerStatus(endpoint: "\(endpoint)")
            let requestTime = clock.now
            do throws(StoreError) {
                let reply: EtcdStatusReply = try await call(
                    "/v3/maintenance/status", EtcdStatusRequest(), at: endpoint)
                status.latency = requestTime.duration(to: clock.now)
                status.version = reply.version
                status.databaseByteCount = reply.dbSize?.value
                status.isLeader = reply.leader != nil && reply.leader == reply.header?.member_id
                if let error = reply.errors?.first {
                    status.problem = "it reports: \(Self.truncated(error))"
                } else if (reply.leader ?? "0") == "0" {
                    status.problem = "it has no leader"
                } else if let identity {
                    try identity.check(try await read(identity.key, at: endpoint), at: endpoint)
                }
            } catch {
                status.problem = "\(error)"
                status.lacksClusterData = error.kind == .otherCluster
            }
            return status
        }

        /// Returns the duration of a lease and the time until it expires (`Lease.LeaseTimeToLive`).
        ///
        /// - Returns: The duration and the remaining time, or `nil` if the lease has expired.
        package func timeToLive(
            ofLease lease: Int64
        ) async throws(StoreError) -> (grantedDuration: Duration, remainingTime: Duration)? {
            let reply: EtcdTimeToLiveReply = try await call(
                "/v3/lease/timetolive", EtcdLeaseRequest(ID: EtcdNumber(lease)))
            guard let granted = reply.grantedTTL, reply.TTL.value >= 0 else { return nil }
            return (.seconds(granted.value), .seconds(reply.TTL.value))
        }
    }
#endif
