#if Etcd
    import ExactText
    import NIOPosix
    import Replication
    import TestSupport
    import Testing

    /// Tests of the sentences about a cluster's servers.
    @Suite(.serialized, .timeLimit(.minutes(10))) struct EtcdServerHealthTests {
        private func server(
            _ name: String, version: String? = "3.5.16", problem: String? = nil,
            lacksClusterData: Bool = false
        ) -> EtcdServerStatus {
            var status = EtcdServerStatus(endpoint: name)
            (status.version, status.problem, status.lacksClusterData) = (
                version, problem, lacksClusterData
            )
            return status
        }

        private func silent(_ name: String) -> EtcdServerStatus {
            server(name, version: nil, problem: "etcd at \(name) cannot be reached: refused")
        }

        @Test func `servers without problems produce no message`() {
            #expect(EtcdServerHealth([server("a"), server("b")]).problems.isEmpty)
        }

        @Test func `a server that cannot be reached is not an outage while the others serve`() {
            let health = EtcdServerHealth([server("a"), silent("b"), server("c")])
            #expect(
                health.problems == [
                    "1 of 3 etcd servers does not serve this host (etcd at b cannot be reached: refused); "
                        + "2 other servers serve it, so changes are still replicated: repair this before another "
                        + "server fails"
                ])
            #expect(health.failingEndpoints == ["b"])
        }

        @Test func `every server that cannot be used is described while others serve`() {
            let health = EtcdServerHealth([silent("a"), server("b"), silent("c")])
            #expect(
                health.problems == [
                    "2 of 3 etcd servers do not serve this host (etcd at a cannot be reached: refused; etcd at c "
                        + "cannot be reached: refused); the other server serves it, so changes are still replicated: "
                        + "repair this before another server fails"
                ])
            #expect(health.failingEndpoints == ["a", "c"])
        }

        @Test func `a server of another cluster does not count towards the quorum`() {
            let health = EtcdServerHealth([
                server("a", problem: "foreign", lacksClusterData: true), silent("b"),
                silent("c"),
            ])
            #expect(health.problems.count == 2)
            #expect(
                health.problems.last?.hasPrefix(
                    "0 of 3 etcd servers respond, and 2 are needed: nothing is replicated") == true)
            #expect(health.problems.last?.contains("start etcd on b, c, or check") == true)
            #expect(health.failingEndpoints == ["a", "b", "c"])
            #expect(
                EtcdServerHealth([silent("a")]).problems.first?.hasPrefix(
                    "0 of 1 etcd servers respond, and 1 is needed: ") == true)
        }

        @Test
        func `if there is no quorum, the message counts responding servers and lists the others`() {
            let health = EtcdServerHealth([
                server("a", problem: "it has no leader"), silent("b"), silent("c"),
            ])
            #expect(
                health.problems == [
                    "1 of 3 etcd servers responds, and 2 are needed: nothing is replicated, and applications stop when "
                        + "the lease of their host ends; start etcd on b, c, or check the network between this host "
                        + "and these servers"
                ])
        }

        @Test func `servers that respond but cannot be used are not reported as a missing quorum`()
        {
            let health = EtcdServerHealth([
                server("a", problem: "it reports: NOSPACE"),
                server("b", problem: "it reports: NOSPACE"),
            ])
            #expect(
                health.problems == [
                    "2 of 2 etcd servers respond, but none of them can be used: a: it reports: NOSPACE"
                ])
        }

        @Test func `servers of another cluster are listed even if another server serves`() {
            let health = EtcdServerHealth([
                server("a", problem: "foreign", lacksClusterData: true), server("b"),
                server("c", problem: "foreign", lacksClusterData: true),
            ])
            #expect(
                health.problems == [
                    "2 of 3 etcd servers belong to another cluster and are not used: a, c; correct "
                        + "cluster.endpoints, which must list only servers of this cluster, then restart the daemon"
                ])
        }

        @Test func `if no server belongs to the cluster, the message refers to reprisectl cluster`()
        {
            let health = EtcdServerHealth([
                server("a", problem: "foreign", lacksClusterData: true)
            ])
            #expect(
                health.problems == [
                    "1 of 1 etcd servers belongs to another cluster and is not used: a; `reprisectl cluster` shows "
                        + "what to do"
                ])
        }

        @Test func `a server of another cluster is recognized`() async throws {
            try await EtcdServer.with { own in
                try await EtcdServer.with { other in
                    let client = try EtcdClient(
                        [own.endpoint, other.endpoint], within: .seconds(20), on: own.group.next())
                    let keyspace = Keyspace(cluster: "test")
                    let identity = try await own.client.identify(keyspace, known: nil)
                    _ = try await client.identify(keyspace, known: identity)
                    let servers = await client.serverStatuses()
                    #expect(servers.map(\.lacksClusterData) == [false, true])
                    #expect(EtcdServerHealth(servers).failingEndpoints == ["\(other.endpoint)"])
                    await client.close()
                }
            }
        }

        @Test func `the remaining time of a lease shows how long its host has not been seen`()
            async throws
        {
            #expect(OverdueLease(grantedDuration: .seconds(10), remainingTime: .seconds(5)) == nil)
            #expect(
                OverdueLease(grantedDuration: .seconds(10), remainingTime: .seconds(4))?.description
                    == "not seen for 6 s; its lease ends in 4 s")
            try await EtcdServer.with { server in
                let lease = try await server.client.grantLease(.seconds(60))
                let timeToLive = try #require(try await server.client.timeToLive(ofLease: lease))
                #expect(timeToLive.grantedDuration == .seconds(60))
                #expect(
                    timeToLive.remainingTime <= .seconds(60) && timeToLive.remainingTime > .zero)
                try await server.client.revoke(lease: lease)
                #expect(try await server.client.timeToLive(ofLease: lease) == nil)
            }
        }
    }
#endif
