#if Etcd
    import ExactText

    extension ClusterIdentity {
        /// Throws an error unless the entry that a server returned contains this identifier.
        func check(_ found: KeyEntry?, at endpoint: EtcdEndpoint) throws(StoreError) {
            guard let found else {
                throw .missingClusterData(endpoint: "\(endpoint)", cluster: cluster)
            }
            if found.value != bytes {
                throw .otherCluster(endpoint: "\(endpoint)", cluster: cluster)
            }
        }
    }

    extension EtcdClient {
        package func identify(
            _ keyspace: Keyspace, known: ClusterIdentity?
        ) async throws(StoreError) -> ClusterIdentity {
            let identity = if let known { known } else { try await findIdentity(in: keyspace) }
            require(identity)
            return identity
        }

        /// Reads a cluster's identifier from the servers, and writes a new identifier if there is none.
        ///
        /// More than half of the servers must reply, and all servers that reply must store the same identifier.
        ///
        /// - Throws: ``StoreError`` if the identifier cannot be determined, for example because two servers belong to
        ///   different etcd clusters.
        private func findIdentity(
            in keyspace: Keyspace
        ) async throws(StoreError) -> ClusterIdentity {
            let key = keyspace.identity
            var found = try await readFromAllServers(key)
            if found.entry == nil {
                let new = ClusterIdentity(in: keyspace)
                _ = try await commit(
                    StoreTransaction(
                        if: [.createRevision(of: key, is: 0)], then: [.put(key, new.bytes)]),
                    at: found.endpoint)
                found = try await readFromAllServers(key)
            }
            guard let entry = found.entry else {
                throw .missingClusterData(endpoint: "\(found.endpoint)", cluster: keyspace.cluster)
            }
            return ClusterIdentity(in: keyspace, id: String(decoding: entry.value, as: UTF8.self))
        }

        /// Reads a key from each server. Returns the entry that all servers have in common, and the first server that
        /// replied.
        private func readFromAllServers(
            _ key: String
        ) async throws(StoreError) -> (endpoint: EtcdEndpoint, entry: KeyEntry?) {
            var found: [(endpoint: EtcdEndpoint, entry: KeyEntry?)] = []
            var failure: StoreError?
            for endpoint in endpoints {
                do throws(StoreError) {
                    let entry = try await read(key, at: endpoint)
                    found.append((endpoint, entry))
                } catch {
                    failure = failure ?? error
                }
            }
            if let failure, found.count <= endpoints.count / 2 { throw failure }
            guard let first = found.first else {
                throw .unreachable(endpoint: "\(endpoint)", reason: "no server replied")
            }
            if let other = found.first(where: { $0.entry?.value != first.entry?.value }) {
                throw .differentEtcdClusters(
                    endpoint: "\(other.endpoint)", first: "\(first.endpoint)")
            }
            return first
        }
    }
#endif
