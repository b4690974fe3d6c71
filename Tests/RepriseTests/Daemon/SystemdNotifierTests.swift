import Dispatch
import Logging
import Preservation
import RestorationTesting
import ServiceLifecycle
import Systemd
import TestSupport
import Testing

@testable import Reprise

@Suite(.timeLimit(.minutes(10))) struct SystemdNotifierTests {
    /// Service manager that records the notifications of a service.
    private struct Manager {
        let sentNotifications = AwaitableState<[[Systemd.ServiceNotification]]>([])
        let clock = TestClock()
        let readiness = Readiness()

        /// Runs the service during the body, and then stops it gracefully.
        func withRunningService(
            _ host: ReloadingHost, watchdog: Duration? = nil, _ body: () async throws -> Void
        ) async throws {
            try await withRunningService(
                for: host.applications, host.daemonState, watchdog: watchdog, body)
        }

        /// Runs the service of these applications during the body, and then stops it gracefully.
        func withRunningService(
            for applications: ApplicationList, _ daemonState: DaemonState,
            watchdog: Duration? = nil, _ body: () async throws -> Void
        ) async throws {
            let service = SystemdNotifier(
                notifications: ServiceNotificationQueue(
                    send: { [sentNotifications] notifications in
                        sentNotifications.change { $0.append(notifications) }
                    },
                    onFailure: { _ in }),
                applications: applications, readiness: readiness,
                daemonState: daemonState, watchdogTimeout: watchdog, clock: clock)
            let services = ServiceGroup(services: [service], logger: .quiet)
            async let running: Void = services.run()
            await clock.waitForSleepers(
                (watchdog == nil ? 0 : 1) + (readiness.isDaemonReady ? 0 : 1))
            try await body()
            await services.triggerGracefulShutdown()
            try await running
        }

        /// Yields until all tasks that can run have run.
        func settle() async {
            for _ in 0..<10_000 { await Task.yield() }
        }
    }

    private static let hosting = Systemd.ServiceNotification.status(
        "Hosting 2 applications with 2 scenes, everything is saved.")

    @Test func `until the daemon is ready, systemd is only asked to extend the timeout`()
        async throws
    {
        try await ReloadingHost.with { host in
            let manager = Manager()
            try await manager.withRunningService(host, watchdog: .seconds(20)) {
                host.daemonState.update { $0.configurationError = "wrong" }
                host.daemonState.update { $0.configurationError = nil }
                await manager.settle()
                manager.clock.advance(by: .seconds(10))
                await manager.sentNotifications.wait { !$0.isEmpty }
                await manager.settle()
                #expect(manager.sentNotifications.state == [[.extendTimeout(.seconds(20))]])
                manager.readiness.signal()
                await manager.sentNotifications.wait { $0.contains([.ready, Self.hosting]) }
            }
            await manager.sentNotifications.wait { $0.contains { $0.first == .stopping } }
        }
    }

    @Test func `changes are reported to systemd, but a reload defers them and extends the timeout`()
        async throws
    {
        try await ReloadingHost.with { host in
            let manager = Manager()
            manager.readiness.signal()
            try await manager.withRunningService(host) {
                host.daemonState.update { $0.configurationError = "wrong" }
                await manager.sentNotifications.wait { Self.containsStatus("wrong", $0) }
                await manager.settle()
                host.daemonState.update { $0.isReloading = true }
                host.daemonState.update { $0.configurationError = "other" }
                await manager.clock.waitForSleepers()
                manager.clock.advance(by: .seconds(10))
                await manager.sentNotifications.wait { $0.contains([.extendTimeout(.seconds(20))]) }
                #expect(!Self.containsStatus("other", manager.sentNotifications.state))
                await manager.clock.waitForSleepers()
                host.daemonState.update { $0.isReloading = false }
                await manager.sentNotifications.wait { Self.containsStatus("other", $0) }
                // No task sleeps any longer, so the service does not wake up.
                manager.clock.advance(by: .seconds(10))
                await manager.settle()
                #expect(manager.clock.sleeperCount == 0)
            }
        }
    }

    /// Returns whether the service sent a status that ends with a string.
    private static func containsStatus(
        _ end: String, _ sentNotifications: [[Systemd.ServiceNotification]]
    )
        -> Bool
    {
        sentNotifications.joined().contains { notification in
            if case .status(let text) = notification { text.hasSuffix(end) } else { false }
        }
    }

    @Test func `the watchdog is notified only when all applications respond`() async throws {
        try await ReloadingHost.with { host in
            let manager = Manager()
            manager.readiness.signal()
            try await manager.withRunningService(host, watchdog: .seconds(2)) {
                await manager.sentNotifications.wait { !$0.isEmpty }
                let hung = Signal()
                let end = DispatchSemaphore(value: 0)
                let application = try host.application(ReloadingHost.pictures)
                let command = Task {
                    try await application.perform { _ in
                        hung.send()
                        end.wait()
                    }
                }
                await hung.wait()
                manager.clock.advance(by: .seconds(1))
                await manager.settle()
                #expect(!manager.sentNotifications.state.contains([.watchdog]))
                end.signal()
                await manager.sentNotifications.wait { $0.contains([.watchdog]) }
                _ = try await command.value
            }
        }
    }

    /// Returns the last status that the service sent.
    private static func lastStatus(
        _ sentNotifications: [[Systemd.ServiceNotification]]
    ) -> String {
        if case .status(let text)? = sentNotifications.last?.last { text } else { "" }
    }

    @Test func `every change of every application is reported`() async throws {
        try await ReloadingHost.with { host in
            let manager = Manager()
            manager.readiness.signal()
            try await manager.withRunningService(host) {
                for name in [ReloadingHost.notes, ReloadingHost.pictures] {
                    let application = try host.application(name)
                    for _ in 1...2 {
                        try await application.quitUntilLaunch()
                        await manager.sentNotifications.wait {
                            Self.lastStatus($0).hasPrefix("Hosting 1 application with ")
                        }
                        try await application.launch()
                        await manager.sentNotifications.wait {
                            Self.lastStatus($0).hasPrefix("Hosting 2 applications with ")
                        }
                    }
                }
            }
        }
    }

    @Test(arguments: [50, 51])
    func `changes during the pause after a report share a report if there are many applications`(
        count: Int
    ) async throws {
        let scratch = try ScratchDirectory()
        let directory = try ApplicationStateDirectory(path: scratch.file("state"))
        let applications = try (1...count).map { number in
            try Application(
                bundleIdentifier: "org.example.A\(number)", bundleVersion: "1",
                stateDirectory: directory, logger: .quiet)
        }
        let daemonState = DaemonState(Configuration(applications: []))
        let manager = Manager()
        manager.readiness.signal()
        try await manager.withRunningService(
            for: ApplicationList(applications: applications), daemonState
        ) {
            // The report of readiness may follow the first report of a change.
            await manager.sentNotifications.wait { $0.joined().contains(.ready) }
            if count > 50 { await manager.clock.waitForSleepers() }
            daemonState.update { $0.configurationError = "wrong" }
            await manager.settle()
            if count > 50 {
                #expect(!Self.containsStatus("wrong", manager.sentNotifications.state))
                manager.clock.advance(by: .milliseconds(500))
            }
            await manager.sentNotifications.wait { Self.containsStatus("wrong", $0) }
            await manager.settle()
            #expect((manager.clock.sleeperCount > 0) == (count > 50))
        }
    }
}
