#if Etcd
    import FoundationEssentials
    import NIOPosix
    import TestSupport
    import Testing

    @testable import Replication

    /// Tests of the identity of a cluster, which prevents a host from using servers of another cluster.
    @Suite(.serialized, .timeLimit(.minutes(10))) struct ClusterIdentityTests {
        private static let keyspace = Keyspace(cluster: "test")

        private func client(
            _ servers: EtcdServer..., and others: [String] = []
        ) throws -> EtcdClient {
            try EtcdClient(
                servers.map(\.endpoint) + others.compactMap(EtcdEndpoint.init),
                within: .seconds(20), on: servers[0].group.next())
        }

        @Test func `the first host creates the identity, and each later host finds it`()
            async throws
        {
            try await EtcdServer.with { server in
                let first = try await server.client.identify(Self.keyspace, known: nil)
                #expect(try await server.client.identify(Self.keyspace, known: nil) == first)
                #expect(
                    try await server.client.identify(Keyspace(cluster: "other"), known: nil).id
                        != first.id)
                await server.client.requireIdentity(first)
                _ = try await server.client.range(KeyRange("key"))
            }
        }

        @Test func `a host without a known identity refuses servers of different etcd clusters`()
            async throws
        {
            try await EtcdServer.with { first in
                try await EtcdServer.with { second in
                    let client = try client(first, second)
                    for _ in 1...2 {
                        await #expect(
                            throws: StoreError.differentEtcdClusters(
                                endpoint: "\(second.endpoint)", firstEndpoint: "\(first.endpoint)")
                        ) { try await client.identify(Self.keyspace, known: nil) }
                    }
                    await client.close()
                }
            }
        }

        @Test func `a host without a known identity needs replies from a majority of the servers`()
            async throws
        {
            try await EtcdServer.with { server in
                let partial = try client(server, and: ["http://127.0.0.1:1"])
                await #expect(throws: StoreError.self) {
                    try await partial.identify(Self.keyspace, known: nil)
                }
                await partial.close()
                // The failed attempt has written nothing.
                let key = KeyRange(Self.keyspace.identityKey)
                #expect(try await server.client.range(key).entries.isEmpty)
            }
        }

        @Test func `a host uses no server that lacks the identity or has a different one`()
            async throws
        {
            try await EtcdServer.with { own in
                let identity = try await own.client.identify(Self.keyspace, known: nil)
                try await EtcdServer.with { other in
                    let client = try client(other, own)
                    await client.requireIdentity(identity)
                    await #expect(
                        throws: StoreError.missingClusterData(
                            endpoint: "\(other.endpoint)", cluster: "test")
                    ) { try await client.range(KeyRange("key")) }
                    // The next server has the identity.
                    _ = try await client.range(KeyRange("key"))
                    await client.close()
                    _ = try await other.client.identify(Self.keyspace, known: nil)
                    let again = try self.client(other)
                    await again.requireIdentity(of: own.client)
                    let expected = StoreError.otherCluster(
                        endpoint: "\(other.endpoint)", cluster: "test")
                    await #expect(throws: expected) { try await again.grantLease(.seconds(60)) }
                    await #expect(throws: expected) {
                        try await again.watch(keysBelow: "a", from: 1) { _ in }
                    }
                    let put = StoreTransaction(if: [], then: [.put("key", [1])])
                    await #expect(throws: expected) { try await again.commit(put) }
                    #expect(try await other.client.range(KeyRange("key")).entries.isEmpty)
                    await again.close()
                }
            }
        }
    }
#endif
