#if Etcd
    import ExactText
    import Logging
    import Replication
    import TestSupport
    import Testing

    @testable import Reprise

    /// Messages about a cluster.
    @Suite struct ClusterLogTests {
        private func message(of event: ClusterEvent) throws -> (String, DaemonEvent?) {
            let recorder = LogRecorder()
            DaemonLog(logger: recorder.logger()).log(event, cluster: "c", host: "one")
            let entry = try #require(recorder.entries.first)
            return (entry.message, entry.metadata["MESSAGE_ID"].flatMap(DaemonEvent.init))
        }

        @Test func `both hosts log who forced a takeover`() throws {
            let takeover = ForcedTakeover(
                bundleIdentifier: "org.a", previousHost: "two", host: "one", user: "user 1000")
            let winner = try message(of: .takeoverForced(takeover))
            #expect(winner.1 == .takeoverForced)
            #expect(
                winner.0
                    == "org.a is taken over from the host \"two\" by force, because user 1000 ran `reprisectl "
                    + "cluster take --force org.a` on this host; changes that the host \"two\" has not replicated "
                    + "become a generation there")
            var lost = takeover
            (lost.previousHost, lost.host) = ("one", "two")
            let loser = try message(of: .takeoverForced(lost))
            #expect(loser.1 == .takeoverForced)
            #expect(
                loser.0
                    == "org.a stops on this host, because user 1000 ran `reprisectl cluster take --force org.a` on the "
                    + "host \"two\"; changes that this host has not replicated become a generation here"
            )
        }

        @Test func `the message about a replaced pause describes both pauses`() throws {
            let first = TakeoverPause(host: "two", time: 0, reason: "switches", user: "user 0")
            let second = TakeoverPause(host: "one", time: 1, reason: nil, user: nil)
            #expect(
                try message(of: .takeoversPaused(first, replacing: nil)).0
                    == "automatic takeover was paused by user 0 on the host \"two\": \"switches\"")
            #expect(
                try message(of: .takeoversPaused(second, replacing: first)).0
                    == "automatic takeover was paused on the host \"one\"; this replaces the pause that began at "
                    + "1970-01-01T00:00:00Z by user 0 on the host \"two\": \"switches\"")
        }

        @Test func `a host that returns after an outage is logged`() throws {
            let (text, event) = try message(of: .rejoined)
            #expect(event == .clusterJoined)
            #expect(
                text
                    == "joined the cluster c again as the host one, after it could not renew its lease in time"
            )
        }

        @Test func `etcd data older than the state of this host is logged`() throws {
            let (text, event) = try message(
                of: .storeRestoredBeforeStart(OlderStore(revision: 5, expectedRevision: 9)))
            #expect(event == .etcdRestoredBeforeStart)
            #expect(
                text.hasPrefix("etcd is older than the state of this host: its revision was 5 when")
            )
        }

        @Test func `servers that fail and recover are each logged once`() {
            let recorder = LogRecorder()
            let log = DaemonLog(logger: recorder.logger())
            var server = EtcdServerStatus(endpoint: "a")
            let good = EtcdServerHealth([
                EtcdServerStatus(endpoint: "a"), EtcdServerStatus(endpoint: "b"),
            ])
            server.problem = "it has no leader"
            let bad = EtcdServerHealth([server, EtcdServerStatus(endpoint: "b")])
            log.log(good, after: good, count: 2)
            log.log(bad, after: good, count: 2)
            log.log(bad, after: bad, count: 2)
            log.log(good, after: bad, count: 2)
            #expect(
                recorder.entries.map { $0.metadata["MESSAGE_ID"] } == [
                    DaemonEvent.etcdServersFailing.rawValue,
                    DaemonEvent.etcdServersAvailable.rawValue,
                ])
            #expect(recorder.entries.last?.message == "all 2 etcd servers are available again")
        }

        @Test func `every problem with the servers is logged`() {
            let recorder = LogRecorder()
            var servers = ["a", "b", "c"].map { EtcdServerStatus(endpoint: $0) }
            servers[0].problem = "foreign"
            servers[0].lacksClusterData = true
            servers[1].problem = "it has no leader"
            let good = EtcdServerHealth(["a", "b", "c"].map { EtcdServerStatus(endpoint: $0) })
            DaemonLog(logger: recorder.logger()).log(
                EtcdServerHealth(servers), after: good, count: 3)
            #expect(
                recorder.entries.map { $0.metadata["MESSAGE_ID"] }
                    == Array(repeating: DaemonEvent.etcdServersFailing.rawValue, count: 2))
            #expect(recorder.count("1 of 3 etcd servers belongs to another cluster") == 1)
            #expect(recorder.count("1 of 3 etcd servers does not serve this host") == 1)
        }

        @Test func `commands in hints name the application`() {
            #expect(
                ClusterPhrases.pause(preventing: "org.a", lastOwner: "two")
                    == "automatic takeover is paused, and the application last ran on the host two, which starts it "
                    + "when that host is available again; `reprisectl cluster resume` ends the pause, and "
                    + "`reprisectl cluster take org.a` starts the application on this host")
            #expect(
                ClusterPhrases.outage(isStopped: true, reason: "etcd at a does not answer")
                    == "it stopped on this host, because the lease of the host expired: etcd at a does not answer. It "
                    + "runs again when a majority of the etcd servers responds: `reprisectl cluster` shows the state "
                    + "of each server")
        }
    }
#endif
