#if Etcd
    import ExactText
    import NIOPosix
    import Replication
    import TestSupport
    import Testing

    /// Tests of the sentences about a cluster's servers.
    @Suite(.serialized, .timeLimit(.minutes(10))) struct ServerSurveyTests {
        private func server(
            _ name: String, version: String? = "3.5.16", problem: String? = nil,
            isForeign: Bool = false
        ) -> EtcdServerStatus {
            var status = EtcdServerStatus(endpoint: name)
            (status.version, status.problem, status.isForeign) = (version, problem, isForeign)
            return status
        }

        private func silent(_ name: String) -> EtcdServerStatus {
            server(name, version: nil, problem: "etcd at \(name) cannot be reached: refused")
        }

        @Test func `servers without a problem need no sentence`() {
            #expect(ServerSurvey([server("a"), server("b")]).problems.isEmpty)
        }

        @Test func `a server that cannot be reached is not an outage while the others serve`() {
            let survey = ServerSurvey([server("a"), silent("b"), server("c")])
            #expect(
                survey.problems == [
                    "1 of 3 etcd servers does not serve this host (etcd at b cannot be reached: refused); "
                        + "2 other servers serve it, so changes are still replicated: repair this before another "
                        + "server fails"
                ])
            #expect(survey.failingEndpoints == ["b"])
        }

        @Test func `too few servers for a quorum are counted, and the others named`() {
            let survey = ServerSurvey([
                server("a", problem: "it has no leader"), silent("b"), silent("c"),
            ])
            #expect(
                survey.problems == [
                    "1 of 3 etcd servers responds, and 2 are needed: nothing is replicated, and applications stop when "
                        + "the lease of their host ends; start etcd on b, c, or check the network between this host "
                        + "and these servers"
                ])
        }

        @Test func `servers that answer and cannot be used are no lack of a quorum`() {
            let survey = ServerSurvey([
                server("a", problem: "it reports: NOSPACE"),
                server("b", problem: "it reports: NOSPACE"),
            ])
            #expect(
                survey.problems == [
                    "2 of 2 etcd servers respond, but none of them can be used: a: it reports: NOSPACE"
                ])
        }

        @Test func `servers of another cluster are named although another server serves`() {
            let survey = ServerSurvey([
                server("a", problem: "foreign", isForeign: true), server("b"),
                server("c", problem: "foreign", isForeign: true),
            ])
            #expect(
                survey.problems == [
                    "2 of 3 etcd servers belong to another cluster and are not used: a, c; correct "
                        + "cluster.endpoints, which must list only servers of this cluster, then restart the daemon"
                ])
        }

        @Test func `if no server has the data of the cluster, each server's remedy is shown`() {
            let survey = ServerSurvey([server("a", problem: "foreign", isForeign: true)])
            #expect(
                survey.problems == [
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
                    let servers = await client.servers()
                    #expect(servers.map(\.isForeign) == [false, true])
                    #expect(ServerSurvey(servers).failingEndpoints == ["\(other.endpoint)"])
                    await client.close()
                }
            }
        }

        @Test func `a lease that is not renewed shows how long its host was not seen`() async throws
        {
            #expect(LeaseAbsence(granted: .seconds(10), remaining: .seconds(5)) == nil)
            #expect(
                LeaseAbsence(granted: .seconds(10), remaining: .seconds(4))?.description
                    == "not seen for 6 s; its lease ends in 4 s")
            try await EtcdServer.with { server in
                let lease = try await server.client.grantLease(.seconds(60))
                let times = try #require(try await server.client.times(ofLease: lease))
                #expect(times.granted == .seconds(60))
                #expect(times.remaining <= .seconds(60) && times.remaining > .zero)
                try await server.client.revoke(lease: lease)
                #expect(try await server.client.times(ofLease: lease) == nil)
            }
        }
    }
#endif
