#if Etcd
    import ExactText

    extension ClusterIdentity {
        /// Throws an error unless the entry returned by a server contains this identifier.
        func check(_ entry: KeyEntry?, at endpoint: EtcdEndpoint) throws(StoreError) {
            guard let entry else {
                throw .missingClusterData(endpoint: "\(endpoint)", cluster: cluster)
            }
            if entry.value != bytes {
                throw .otherCluster(endpoint: "\(endpoint)", cluster: cluster)
            }
        }
    }

    extension EtcdClient {
        package func identify(
            _ keyspace: Keyspace, known: ClusterIdentity?
        ) async throws(StoreError) -> ClusterIdentity {
            let identity = if let known { known } else { try await findIdentity(in: keyspace) }
            requireIdentity(identity)
            return identity
        }

        /// Reads a cluster's identifier from the servers, and creates an identifier if there is none.
        ///
        /// More than half of the servers must reply, and all servers that reply must store the same identifier.
        ///
        /// - Throws: ``StoreError`` if the identifier cannot be determined, for example because two servers belong to
        ///   different etcd clusters.
        private func findIdentity(
            in keyspace: Keyspace
        ) async throws(StoreError) -> ClusterIdentity {
            let key = keyspace.identityKey
            var result = try await readFromAllServers(key)
            if result.entry == nil {
                let newIdentity = ClusterIdentity(in: keyspace)
                _ = try await commit(
                    StoreTransaction(
                        if: [.createRevision(of: key, is: 0)], then: [.put(key, newIdentity.bytes)]),
                    at: result.endpoint)
                result = try await readFromAllServers(key)
            }
            guard let entry = result.entry else {
                throw .missingClusterData(endpoint: "\(result.endpoint)", cluster: keyspace.cluster)
            }
            return ClusterIdentity(in: keyspace, id: String(decoding: entry.value, as: UTF8.self))
        }

        /// Reads a key from each server, and checks that all replies contain the same value.
        ///
        /// More than half of the servers must reply.
        ///
        /// - Returns: The first server that replied, and its entry.
        private func readFromAllServers(
            _ key: String
        ) async throws(StoreError) -> (endpoint: EtcdEndpoint, entry: KeyEntry?) {
            var replies: [(endpoint: EtcdEndpoint, entry: KeyEntry?)] = []
            var failure: StoreError?
            for endpoint in endpoints {
                do throws(StoreError) {
                    let entry = try await read(key, at: endpoint)
                    replies.append((endpoint, entry))
                } catch {
                    failure = failure ?? error
                }
            }
            if let failure, replies.count <= endpoints.count / 2 { throw failure }
            guard let firstReply = replies.first else {
                throw .unreachable(endpoint: "\(endpoint)", reason: "no server replied")
            }
            if let differentReply = replies.first(where: {
                $0.entry?.value != firstReply.entry?.value
            }) {
                throw .differentEtcdClusters(
                    endpoint: "\(differentReply.endpoint)", firstEndpoint: "\(firstReply.endpoint)")
            }
            return firstReply
        }
    }
#endif
