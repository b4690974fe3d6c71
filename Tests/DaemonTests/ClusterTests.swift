#if Etcd
    import DaemonHost
    import Glibc
    import Subprocess
    import SystemPackage
    import TestSupport
    import Testing

    /// Messages to an operator of a cluster with two hosts and one etcd server.
    @Suite(.timeLimit(.minutes(3))) struct ClusterTests {
        private static let application = "org.reprise.ChildViews"

        /// Runs a body with the address of an etcd server and a closure that kills the server.
        private func withEtcd(
            _ body: (String, () throws -> Void) async throws -> Void
        ) async throws {
            try await Host.with { host in
                let urls = try (0..<2).map { _ in "http://127.0.0.1:\(try freePort())" }
                let arguments = [
                    "--data-dir", host.directory.appending("etcd").string, "--listen-client-urls",
                    urls[0], "--advertise-client-urls", urls[0], "--listen-peer-urls", urls[1],
                    "--initial-advertise-peer-urls", urls[1], "--initial-cluster",
                    "default=\(urls[1])",
                ]
                let ended = try await run(
                    .name("etcd"), arguments: Arguments(arguments), input: .none,
                    output: .discarded, error: .discarded
                ) { execution in
                    let result: Result<Void, any Error>
                    do {
                        try await body(urls[0]) { try execution.send(signal: .kill) }
                        result = .success(())
                    } catch {
                        result = .failure(error)
                    }
                    do {
                        try execution.send(signal: .kill)
                    } catch is SubprocessError {
                        // The body killed the server.
                    }
                    return result
                }
                try ended.closureResult.get()
            }
        }

        private func configure(_ host: Host, as name: String, using server: String) throws {
            try host.configuration.write(
                """
                applications:
                  - bundleIdentifier: \(Self.application)
                    scenes: [main]
                    storyboards: [ChildViews.yaml]
                cluster:
                  name: test
                  host: \(name)
                  endpoints: ["\(server)"]
                  lease: 5s

                """.utf8)
        }

        /// Repeats a command until its output contains a text.
        private func awaitOutput(
            _ host: Host, _ arguments: String..., contains text: String
        ) async throws -> ProgramResult {
            let clock = ContinuousClock()
            let end = clock.now.advanced(by: .seconds(40))
            while true {
                let result = try await host.control(arguments)
                if result.output.contains(text) { return result }
                try #require(clock.now < end, "\(arguments) did not print \(text): \(result)")
                try await Task.sleep(for: .milliseconds(200))
            }
        }

        @Test func `pauses and outages are explained on each host`() async throws {
            try await withEtcd { server, killServer in
                try await Host.with { one in
                    try await Host.with { two in
                        try configure(one, as: "one", using: server)
                        try configure(two, as: "two", using: server)
                        let name = Self.application
                        try await two.run { daemon in
                            _ = try await awaitOutput(two, "list", contains: "\(name)  running")
                            try await one.run { _ in
                                _ = try await awaitOutput(
                                    one, "list", contains: "\(name)  runs on two")
                                try await one.mustControl(
                                    "cluster", "pause", "--reason", "switches")
                                let again = try await two.control("cluster", "pause")
                                #expect(again.output.contains("this replaces the pause that began"))
                                #expect(again.output.contains("on the host one: switches"))
                                let refused = try await one.control("cluster", "take", name)
                                #expect(
                                    refused.errors.contains(
                                        "run `reprisectl cluster take --force \(name)` on this host"
                                    ))
                                try await one.mustControl("cluster", "take", "--force", name)
                            }
                            let paused = try await awaitOutput(
                                two, "cluster", contains: "the application last ran on the host one"
                            )
                            #expect(paused.output.contains("`reprisectl cluster take \(name)`"))
                            let log = try daemon.log()
                            #expect(
                                log.contains(
                                    "\(name) stops on this host, because user \(getuid()) ran `reprisectl cluster take "
                                        + "--force \(name)` on the host \"one\""))
                            try await two.mustControl("cluster", "resume")
                            _ = try await awaitOutput(two, "list", contains: "\(name)  running")
                            try killServer()
                            let outage = try await awaitOutput(
                                two, "status", "--check",
                                contains:
                                    "it stopped on this host, because the lease of the host expired"
                            )
                            #expect(outage.status == .exited(2))
                            #expect(
                                outage.output.contains(
                                    "0 of 1 etcd servers respond, and 1 is needed"))
                            let list = try await awaitOutput(
                                two, "list", contains: "no host is known to run it")
                            #expect(list.status.isSuccess)
                        }
                    }
                }
            }
        }
    }
#endif
