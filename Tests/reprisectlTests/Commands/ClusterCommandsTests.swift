import RepriseControl
import Testing
import Varlink

/// Output of the commands that apply to a cluster.
@Suite(.timeLimit(.minutes(10))) struct ClusterCommandsTests {
    private static let cluster = ClusterCall.Reply.with {
        $0.leaseSeconds = 10
        $0.cluster = .with {
            ($0.name, $0.host, $0.problem, $0.warnings) = ("c", "h1", "slow", ["w1", "w2"])
            $0.pause = .with { ($0.host, $0.time) = ("h2", "noon") }
        }
        $0.clusterHosts = [
            .with { ($0.name, $0.applications) = ("h1", 2) },
            .with { ($0.name, $0.draining) = ("h2", true) },
            .with { ($0.name, $0.problem) = ("h3", "lost") },
        ]
        $0.servers = [
            .with {
                ($0.endpoint, $0.version, $0.leader) = ("e1", "3.5", true)
                ($0.databaseBytes, $0.milliseconds) = (1_572_864, 0.25)
            },
            .with { ($0.endpoint, $0.milliseconds) = ("e2", 12) },
            .with { ($0.endpoint, $0.problem) = ("e3", "refused") },
        ]
        $0.applications = [
            .with {
                ($0.application, $0.running) = ("a", true)
                $0.ownership = .with { ($0.host, $0.epoch, $0.notReplicated) = ("h1", 4, 0) }
            },
            .with { ($0.application, $0.ownership) = ("b", .with { $0.host = "h2" }) },
            .with {
                ($0.application, $0.running) = ("c", true)
                $0.ownership = .with { ($0.host, $0.problem) = ("h2", "no class") }
            },
            .with { $0.application = "d" },
        ]
    }

    @Test func `hosts, servers and applications are printed as tables`() async throws {
        let run = try await ProgramRun("cluster", answers: ["Cluster": .reply(Self.cluster)])
        #expect(
            run.output.replacing(" \n", with: "\n").replacing(" \n", with: "\n") == """
                cluster c, seen from the host h1; a lease lasts 10.0 s
                  slow
                  w1
                  w2
                automatic takeover has been paused since noon, on the host h2
                HOST  APPLICATIONS  STATE
                h1    2             present
                h2    0             draining: takes over no applications
                h3    0             lost

                SERVER  ETCD  DATABASE  LATENCY  STATE
                e1      3.5   1.5 MiB   0.3 ms   leader
                e2                      12.0 ms  follower
                e3                               refused

                APPLICATION  OWNER  EPOCH  NOT REPLICATED  STATE
                a            h1     4      0               running
                b            h2                            not launched yet
                c            h2                            running: no class
                d                                          its host is unknown

                """)
        var known = Self.cluster
        known.cluster.problem = nil
        let other = try await ProgramRun("cluster", answers: ["Cluster": .reply(known)])
        #expect(other.output.hasSuffix("  runs on no host\n"))
        let colored = try await ProgramRun(
            "cluster", answers: ["Cluster": .reply(known)], environment: ["TERM": "xterm"],
            isAtTerminal: true)
        let red = colored.output.split(separator: "\n").filter { $0.hasPrefix("\u{1B}[31m") }
        #expect(red.map { $0.dropFirst(5).prefix(2) } == ["h3", "e3", "c ", "d "])
    }

    @Test func `ownership changes are printed as a table`() async throws {
        let reply = ClusterHistoryCall.Reply.with {
            $0.changes = [
                .with {
                    ($0.application, $0.time, $0.host) = ("a", "noon", "h1")
                    ($0.epoch, $0.reason) = (1, .started)
                },
                .with {
                    ($0.application, $0.time, $0.host, $0.from) = ("a", "one", "h2", "h1")
                    ($0.epoch, $0.reason) = (2, .expired)
                },
            ]
        }
        let run = try await ProgramRun(
            "cluster history a", answers: ["ClusterHistory": .reply(reply)])
        #expect(
            run.output == """
                TIME  APPLICATION  FROM  TO  EPOCH  REASON
                noon  a                  h1  1      started
                one   a            h1    h2  2      expired

                """)
        #expect(run.calls == [#"ClusterHistory {"application":"a"}"#])
        let none = try await ProgramRun(
            "cluster history", answers: ["ClusterHistory": .reply(ClusterHistoryCall.Reply())])
        #expect(none.output == "no owner is recorded yet\n")
        #expect(none.calls == ["ClusterHistory {}"])
    }

    @Test func `takeovers can be paused, resumed and forced`() async throws {
        let replaced = ClusterPauseCall.Reply.with {
            $0.replaced = .with {
                ($0.host, $0.time, $0.reason, $0.user) = ("h2", "noon", "disks", "user 1")
            }
        }
        let pause = try await ProgramRun(
            "cluster pause --reason why", answers: ["ClusterPause": .reply(replaced)])
        #expect(
            pause.output == """
                automatic takeover is paused until you run `reprisectl cluster resume`
                this replaces the pause that began at noon, by user 1 on the host h2: disks

                """)
        #expect(pause.calls == [#"ClusterPause {"reason":"why"}"#])
        for (words, output, call) in [
            (
                "cluster resume", "hosts take over applications automatically again\n",
                "ClusterResume {}"
            ),
            ("cluster take a", "a runs on this host\n", #"ClusterTake {"application":"a"}"#),
            (
                "cluster take a --force", "a runs on this host\n",
                #"ClusterTake {"application":"a","force":true}"#
            ),
        ] {
            let run = try await ProgramRun(words)
            #expect(run.output == output)
            #expect(run.calls == [call])
            #expect(try await ProgramRun("-q \(words)").output == "")
        }
    }

    @Test func `moved applications are printed with their new hosts`() async throws {
        let moved = Answer.reply(RelocateCall.Reply.with { $0.host = "h2" })
        let run = try await ProgramRun("relocate a h2", answers: ["Relocate": moved])
        #expect(run.output == "a runs on h2\n")
        #expect(run.calls == [#"Relocate {"application":"a","host":"h2"}"#])
        let drained = Answer.reply(
            DrainCall.Reply(
                moved: [
                    .with { ($0.application, $0.host) = ("a", "h2") },
                    .with { ($0.application, $0.host) = ("b", "h3") },
                ]))
        for (words, answer, output, call) in [
            ("drain", drained, "a runs on h2\nb runs on h3\n", "Drain {}"),
            (
                "drain", .reply(DrainCall.Reply()), "no clustered application ran on this host\n",
                "Drain {}"
            ),
            (
                "drain --end", .reply(DrainCall.Reply()),
                "this host can take over applications again\n",
                #"Drain {"end":true}"#
            ),
        ] {
            let run = try await ProgramRun(words, answers: ["Drain": answer])
            #expect(run.output == output)
            #expect(run.calls == [call])
        }
    }

    @Test func `a call does not follow an application to another host unless requested`()
        async throws
    {
        let answers = [
            "Tap": Answer.error(.ownedElsewhere(application: "a", host: "h2", reason: nil))
        ]
        let run = try await ProgramRun("tap b", answers: answers)
        #expect(run.status == 1)
        #expect(
            run.errors
                == "reprisectl: a runs on the host h2 of the cluster: connect to that host.\n")
    }
}
