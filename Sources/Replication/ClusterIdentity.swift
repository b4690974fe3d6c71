#if Etcd
    import ExactText

    /// Identifier of a cluster's data in etcd.
    ///
    /// The first host of a cluster writes a random identifier once. Each host remembers the identifier, and uses only
    /// servers that have it. A name or etcd's own cluster identifier is not sufficient, because separate etcd clusters
    /// can have the same ones.
    package struct ClusterIdentity: Sendable, Equatable {
        /// Name of the cluster.
        let cluster: String
        /// Key that stores the identifier.
        let key: String
        /// The identifier, in hexadecimal digits.
        package let id: String

        /// - Parameter id: The identifier, or `nil` for a new random one.
        package init(in keyspace: Keyspace, id: String? = nil) {
            cluster = keyspace.cluster
            key = keyspace.identity
            self.id =
                id ?? hexadecimal(.random(in: 0 ... .max)) + hexadecimal(.random(in: 0 ... .max))
        }

        var bytes: [UInt8] { Array(id.utf8) }

        /// Throws an error if a server's value is not this identifier.
        func check(_ found: EtcdEntry?, at endpoint: EtcdEndpoint) throws(EtcdError) {
            guard let found else {
                throw .withoutCluster(endpoint: "\(endpoint)", cluster: cluster)
            }
            if found.bytes != bytes {
                throw .otherCluster(endpoint: "\(endpoint)", cluster: cluster)
            }
        }
    }

    extension EtcdClient {
        /// Reads the identifier of a cluster that this host does not know yet, and writes a new one if there is none.
        ///
        /// More than half of the servers must reply, and all servers that reply must have the same identifier.
        ///
        /// - Throws: The reason why the identifier is not known, for example because two servers belong to different
        ///   etcd clusters.
        func identify(_ keyspace: Keyspace) async throws(EtcdError) -> ClusterIdentity {
            let key = keyspace.identity
            var found = try await same(key)
            if found.entry == nil {
                let new = ClusterIdentity(in: keyspace)
                _ = try await commit(
                    EtcdTransaction(
                        if: [.createRevision(of: key, is: 0)], then: [.put(key, new.bytes)]),
                    at: found.endpoint)
                found = try await same(key)
            }
            guard let entry = found.entry else {
                throw .withoutCluster(endpoint: "\(found.endpoint)", cluster: keyspace.cluster)
            }
            return ClusterIdentity(in: keyspace, id: String(decoding: entry.bytes, as: UTF8.self))
        }

        /// Reads a key from each server, and returns the value that all servers have, with the first of the servers.
        private func same(
            _ key: String
        ) async throws(EtcdError) -> (endpoint: EtcdEndpoint, entry: EtcdEntry?) {
            var found: [(endpoint: EtcdEndpoint, entry: EtcdEntry?)] = []
            var failure: EtcdError?
            for endpoint in endpoints {
                do throws(EtcdError) {
                    let reply = try await range(EtcdRange(key), at: endpoint)
                    found.append((endpoint, reply.entries.first))
                } catch {
                    failure = failure ?? error
                }
            }
            if let failure, found.count <= endpoints.count / 2 { throw failure }
            guard let first = found.first else {
                throw .unreachable(endpoint: "\(endpoint)", reason: "no server replied")
            }
            if let other = found.first(where: { $0.entry?.bytes != first.entry?.bytes }) {
                throw .otherServers(endpoint: "\(other.endpoint)", first: "\(first.endpoint)")
            }
            return first
        }
    }
#endif
