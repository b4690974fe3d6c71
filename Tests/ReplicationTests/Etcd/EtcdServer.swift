#if Etcd
    import Glibc
    import NIOCore
    import NIOPosix
    import Replication
    import Subprocess
    import SystemPackage
    import TestSupport
    import Testing
    import VarlinkServing

    /// etcd server that one test uses.
    struct EtcdServer: Sendable {
        let endpoint: EtcdEndpoint
        let group: MultiThreadedEventLoopGroup
        let client: EtcdClient

        /// Runs a body with a server.
        ///
        /// - Parameter quota: Maximum size of the database in bytes, or `nil` for etcd's default.
        static func with(
            quota: Int? = nil, _ body: @Sendable @escaping (EtcdServer) async throws -> Void
        ) async throws {
            let scratch = try ScratchDirectory()
            let ports = try (0..<2).map { _ in try freePort() }
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            let urls = ports.map { "http://127.0.0.1:\($0)" }
            let arguments =
                [
                    "--data-dir", scratch.file("etcd"), "--listen-client-urls", urls[0],
                    "--advertise-client-urls", urls[0], "--listen-peer-urls", urls[1],
                    "--initial-advertise-peer-urls", urls[1], "--initial-cluster",
                    "default=\(urls[1])",
                ] + (quota.map { ["--quota-backend-bytes", "\($0)"] } ?? [])
            let outcome = try await run(
                .name("etcd"), arguments: Arguments(arguments),
                input: .none, output: .discarded, error: .discarded
            ) { execution in
                let result: Result<Void, any Error>
                do {
                    let endpoint = try #require(EtcdEndpoint(urls[0]))
                    let client = try EtcdClient([endpoint], within: .seconds(20), on: group.next())
                    try await waitForAnswer(of: client)
                    try await body(EtcdServer(endpoint: endpoint, group: group, client: client))
                    await client.close()
                    result = .success(())
                } catch {
                    result = .failure(error)
                }
                try execution.send(signal: .kill)
                return result
            }
            try await group.shutdownGracefully()
            try outcome.closureResult.get()
        }

        private static func waitForAnswer(of client: EtcdClient) async throws {
            var attempts = 0
            while !(await answers(client)) {
                attempts += 1
                try #require(attempts < 1000, "etcd does not begin")
                usleep(20_000)
            }
        }

        private static func answers(_ client: EtcdClient) async -> Bool {
            do throws(StoreError) {
                _ = try await client.range(KeyRange("ready"))
                return true
            } catch {
                return false
            }
        }
    }
#endif
