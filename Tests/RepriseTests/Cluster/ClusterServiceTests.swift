#if Etcd
    import Encryption
    import Foundation
    import Logging
    import NIOCore
    import NIOPosix
    import Preservation
    import Replication
    import RepriseControl
    import ServiceLifecycle
    import TestSupport
    import Testing

    @testable import Reprise

    /// Hosts of a cluster in one process, with an etcd server of the test's own.
    @Suite(.timeLimit(.minutes(3))) struct ClusterServiceTests {
        private static let (first, second) = ("org.example.A", "org.example.B")
        /// Application that is not in the cluster.
        private static let local = "org.example.Local"

        private struct ClusterHost {
            let service: ClusterService
            let applications: [Application]
            let log = LogRecorder()

            init(
                _ name: String, using server: String, in scratch: ScratchDirectory,
                on group: MultiThreadedEventLoopGroup
            ) throws {
                let clock = EventLoopClock(loop: group.next())
                let directory = try ApplicationStateDirectory(path: scratch.file(name))
                var settings = Configuration.Cluster()
                (settings.host, settings.endpoints) = (name, [server])
                settings.applications = [first, second]
                let cluster = settings
                applications = try [second, local, first].map { bundleIdentifier in
                    var settings = PreservationSettings()
                    settings.isClustered = cluster.includes(bundleIdentifier)
                    return try Application(
                        bundleIdentifier: bundleIdentifier, bundleVersion: "1",
                        stateDirectory: directory, settings: settings, logger: .quiet)
                }
                service = try ClusterService(
                    settings, interval: { .milliseconds(1) }, of: applications,
                    sealedBy: EncryptionKeys.none, as: EtcdCredentials(in: nil, authorityPath: nil),
                    clusterFiles: ClusterFiles(in: directory.root), metrics: MetricsRegistry(),
                    clock: clock, applicationClock: clock, log: DaemonLog(logger: log.logger()))
            }

            /// Runs the services for a body, and then shuts them down.
            func run(_ body: () async throws -> Void) async throws {
                let services = ServiceGroup(
                    services: applications + [service], logger: .quiet)
                let running = Task { try await services.run() }
                let result: Result<Void, any Error>
                do {
                    result = .success(try await body())
                } catch {
                    result = .failure(error)
                }
                await services.triggerGracefulShutdown()
                try await running.value
                try result.get()
            }

            /// Owner of each application of the cluster, as far as this host knows.
            var owners: [String] {
                get async {
                    var owners: [String] = []
                    for name in [first, second] {
                        let ownership = await service.ownership(of: name)
                        owners.append(ownership?.host ?? "nobody")
                    }
                    return owners
                }
            }

            /// Waits until the history of some applications has a number of changes, and returns them.
            func history(
                of application: String?, count: Int
            ) async throws -> [OwnerChangeDescription] {
                var changes: [OwnerChangeDescription] = []
                try await ClusterServiceTests.wait {
                    do throws(ControlError) {
                        changes = try await service.ownerHistory(of: application)
                    } catch {
                        // The history of an application that begins to run is not written yet.
                    }
                    return changes.count >= count
                }
                return changes
            }

            func waitForOwners(_ owners: [String]) async throws {
                try await ClusterServiceTests.wait {
                    await self.owners == owners
                }
            }
        }

        /// Waits until a condition holds, which depends on the etcd server.
        private static func wait(until condition: () async throws -> Bool) async throws {
            while try await !condition() { await Task.yield() }
        }

        private func withCluster(
            _ body: (_ one: ClusterHost, _ two: ClusterHost) async throws -> Void
        ) async throws {
            let scratch = try ScratchDirectory()
            let urls = try (0..<2).map { _ in "http://127.0.0.1:\(try freePort())" }
            let etcd = Process()
            etcd.executableURL = URL(filePath: "/usr/bin/env")
            etcd.arguments = [
                "etcd", "--data-dir", scratch.file("etcd"), "--listen-client-urls", urls[0],
                "--advertise-client-urls", urls[0], "--listen-peer-urls", urls[1],
                "--initial-advertise-peer-urls", urls[1], "--initial-cluster",
                "default=\(urls[1])",
            ]
            (etcd.standardOutput, etcd.standardError) = (
                FileHandle.nullDevice, FileHandle.nullDevice
            )
            try etcd.run()
            defer {
                etcd.terminate()
                etcd.waitUntilExit()
            }
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            let one = try ClusterHost("one", using: urls[0], in: scratch, on: group)
            let two = try ClusterHost("two", using: urls[0], in: scratch, on: group)
            try await one.run {
                try await one.waitForOwners(["one", "one"])
                try await two.run {
                    try await two.waitForOwners(["one", "one"])
                    try await ClusterServiceTests.wait {
                        one.service.member.clusterState.hosts.count == 2
                    }
                    try await body(one, two)
                }
            }
            try await group.shutdownGracefully()
        }

        private func error(
            _ body: () async throws(ControlError) -> Void
        ) async -> ControlError? {
            do throws(ControlError) {
                try await body()
                return nil
            } catch {
                return error
            }
        }

        @Test func `hosts move, drain and take over applications, and pause automatic takeover`()
            async throws
        {
            let (first, second, local) = (Self.first, Self.second, Self.local)
            try await withCluster { one, two in
                // State
                try await ClusterServiceTests.wait {
                    await two.service.clusterReply().applications.allSatisfy(\.running)
                }
                for host in [one, two] {
                    try await ClusterServiceTests.wait {
                        host.service.member.clusterState.hosts.count == 2
                    }
                    let state = await host.service.clusterReply()
                    #expect(state.cluster.host == (host.service === one.service ? "one" : "two"))
                    #expect(state.cluster.name == "reprise")
                    #expect(state.cluster.hosts == ["one", "two"])
                    #expect(state.cluster.draining == [] && state.cluster.pause == nil)
                    #expect(state.cluster.problem == nil)
                    #expect(state.leaseSeconds == 5)
                    #expect(state.clusterHosts.map(\.name) == ["one", "two"])
                    #expect(state.clusterHosts.map(\.applications) == [2, 0])
                    #expect(state.clusterHosts.map(\.draining) == [false, false])
                    #expect(state.clusterHosts.map(\.problem) == [nil, nil])
                    #expect(state.servers.map(\.leader) == [true])
                    #expect(state.servers.map(\.problem) == [nil])
                    #expect(state.servers.allSatisfy { $0.version != nil })
                    #expect(state.applications.map(\.application) == [first, second])
                    #expect(state.applications.map(\.running) == [true, true])
                    #expect(state.applications.map(\.ownership.host) == ["one", "one"])
                    #expect(await host.service.ownership(of: local) == nil)
                    let metrics = await host.service.metrics()
                    #expect(metrics.hasValidLease && metrics.hostCount == 2)
                    #expect(
                        metrics.epochs.map(\.application)
                            == (host.service === one.service ? [first, second] : []))
                }
                #expect(one.service.ownershipError(first) == nil)
                #expect(two.service.ownershipError(local) == nil)
                #expect(
                    two.service.ownershipError(first)
                        == .ownedElsewhere(application: first, host: "one", reason: nil))

                // The store does not record that the owner has quit an application.
                let quit = try #require(one.applications.first { $0.bundleIdentifier == second })
                try await quit.quitUntilLaunch()
                #expect(
                    await one.service.clusterReply().applications.map(\.running) == [true, false])
                try await quit.launch()

                // Moves
                let noHost = ControlError.noSuchHost(host: "three", hosts: ["one", "two"])
                #expect(
                    await error { () throws(ControlError) in
                        try await one.service.move(first, to: "three")
                    } == noHost)
                #expect(
                    await error { () throws(ControlError) in
                        try await one.service.move(local, to: "two")
                    } == .notInCluster(application: local))
                try await one.service.move(first, to: "one")
                #expect(await one.owners == ["one", "one"])
                try await one.service.move(first, to: "two")
                try await two.waitForOwners(["two", "one"])
                #expect(one.log.entries.contains { $0.message == "\(first) moves to the host two" })
                #expect(one.service.ownershipError(second) == nil)
                #expect(
                    one.service.ownershipError(first)
                        == .ownedElsewhere(application: first, host: "two", reason: nil))

                // History
                let history = try await two.history(of: nil, count: 3)
                #expect(history.map(\.reason) == [.started, .started, .moved])
                #expect(history.last?.application == first && history.last?.host == "two")
                #expect(history.last?.from == "one")
                let epochs = await two.service.metrics().epochs
                #expect(history.last?.epoch == epochs.first.map { Int($0.epoch) })
                #expect(try await one.history(of: second, count: 1).map(\.host) == ["one"])
                #expect(
                    await error { () throws(ControlError) in
                        _ = try await one.service.ownerHistory(of: local)
                    } == .notInCluster(application: local))

                // Drains
                let moved = try await one.service.setDraining(true)
                #expect(moved.map(\.application) == [second] && moved.map(\.host) == ["two"])
                try await two.waitForOwners(["two", "two"])
                #expect(await two.service.describe().draining == ["one"])
                let state = await two.service.clusterReply()
                #expect(state.clusterHosts.map(\.draining) == [true, false])
                #expect(state.clusterHosts.map(\.applications) == [0, 2])
                let notDrained = await error { () throws(ControlError) in
                    _ = try await two.service.setDraining(true)
                }
                #expect(
                    notDrained
                        == .notDrained(
                            reason: "no other host of the cluster is available",
                            staying: [first, second]))
                #expect(try await two.service.setDraining(false) == [])
                #expect(try await one.service.setDraining(false) == [])
                try await ClusterServiceTests.wait {
                    await one.service.describe().draining == []
                }
                try await ClusterServiceTests.wait {
                    await two.service.describe().draining == []
                }
                let drained = try await two.service.setDraining(true)
                #expect(drained.map(\.application) == [first, second])
                #expect(drained.map(\.host) == ["one", "one"])
                try await one.waitForOwners(["one", "one"])
                #expect(try await two.service.setDraining(false) == [])
                try await ClusterServiceTests.wait {
                    await one.service.clusterReply().applications.allSatisfy(\.running)
                }
                for name in [first, second] { try await one.service.move(name, to: "two") }
                try await two.waitForOwners(["two", "two"])

                // Pauses
                // The scalar that exceeds the limit is removed entirely.
                let reason = String(repeating: "r", count: 1023) + "éé"
                #expect(try await one.service.pauseTakeovers(because: reason, by: "user 7") == nil)
                try await ClusterServiceTests.wait {
                    await two.service.describe().pause != nil
                }
                let earlier = try await two.service.pauseTakeovers(because: nil, by: "user 8")
                #expect(earlier?.host == "one" && earlier?.user == "user 7")
                #expect(earlier?.reason == String(repeating: "r", count: 1023))
                try await one.service.resumeTakeovers()
                try await ClusterServiceTests.wait {
                    await two.service.describe().pause == nil
                }

                // Takeovers
                #expect(
                    await error { () throws(ControlError) in
                        try await one.service.takeOver(local, force: true, by: "user 7")
                    } == .notInCluster(application: local))
                let refused = await error { () throws(ControlError) in
                    try await one.service.takeOver(first, force: false, by: "user 7")
                }
                guard case .notTakenOver(first, let sentence) = refused else {
                    Issue.record("\(String(describing: refused))")
                    return
                }
                #expect(sentence.contains("`reprisectl -H two relocate \(first) one`"))
                try await two.service.takeOver(first, force: false, by: "user 7")
                #expect(await two.owners == ["two", "two"])
                try await one.service.takeOver(first, force: true, by: "user 7")
                try await two.waitForOwners(["one", "two"])
                try await ClusterServiceTests.wait {
                    try await two.history(of: first, count: 3).last?.reason == .forced
                }
                let forced = try await two.history(of: first, count: 3).last
                #expect(forced?.reason == .forced && forced?.from == "two")
                await two.log.wait(until: {
                    $0.contains { $0.message.hasPrefix("\(first) stopped on this host") }
                })
                for (host, name) in [(one, first), (one, second), (two, first), (two, second)] {
                    let ownership = await host.service.ownership(of: name)
                    #expect(ownership?.problem == nil)
                }
            }
        }
    }
#endif
