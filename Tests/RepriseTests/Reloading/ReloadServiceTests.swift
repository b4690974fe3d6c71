import FileWatching
import Glibc
import Logging
import ServiceLifecycle
import Systemd
import TestSupport
import Testing

@testable import Reprise

@Suite(.timeLimit(.minutes(10))) struct ReloadServiceTests {
    private func service(
        _ host: ReloadingHost, _ readiness: Readiness, _ requests: ReloadRequestQueue,
        notifications: ServiceNotificationQueue = ServiceNotificationQueue { _ in }
    ) -> ReloadService {
        ReloadService(
            reloader: host.reloader, requests: requests,
            watch: ConfigurationWatch(
                source: host.reloader.source,
                watcher: Result { () throws(FileWatchError) in try FileWatcher() },
                requests: requests,
                watchStatus: WatchStatusRecorder(
                    daemonState: host.daemonState, log: host.reloader.log)
            ),
            readiness: readiness, notifications: notifications)
    }

    /// Runs the service during the body, and then stops it gracefully.
    private func withRunningService(
        _ host: ReloadingHost, _ readiness: Readiness,
        _ body: (ReloadRequestQueue) async throws -> Void
    ) async throws {
        let requests = ReloadRequestQueue()
        let quiet = Logger.quiet
        let services = ServiceGroup(
            services: [service(host, readiness, requests)], logger: quiet)
        async let running: Void = services.run()
        try await body(requests)
        await services.triggerGracefulShutdown()
        try await running
    }

    @Test func `a requested reload is carried out when the daemon is ready`() async throws {
        try await ReloadingHost.with { host in
            let readiness = Readiness()
            try host.scratch.write("storyboards/Notes.yaml", ReloadingHost.storyboard("new"))
            try await withRunningService(host, readiness) { requests async throws in
                async let outcome = requests.perform(.command)
                let before = try await host.title(ReloadingHost.notes)
                #expect(before == "old")
                readiness.signal()
                guard case .done = await outcome else {
                    Issue.record("it was not carried out")
                    return
                }
                let after = try await host.title(ReloadingHost.notes)
                #expect(after == "new")
            }
        }
    }

    @Test func `a client that waits for a reload is answered even if the service is cancelled`()
        async throws
    {
        try await ReloadingHost.with { host in
            let requests = ReloadRequestQueue()
            let service = service(host, Readiness(), requests)
            let running = Task { try await service.run() }
            async let outcome = requests.perform(.command)
            running.cancel()
            #expect(await outcome == .daemonStopping)
            try await running.value
        }
    }

    @Test func `a daemon that stops before it is ready does not carry out pending reloads`()
        async throws
    {
        try await ReloadingHost.with { host in
            try await withRunningService(host, Readiness()) { $0.enqueue(.signal) }
            #expect(host.log.events.isEmpty)
        }
    }

    @Test(arguments: [
        ([ReloadTrigger.signal], true), ([.command], true), ([.change], false),
        ([.change, .signal], true), ([.change, .command], true),
    ])
    func `the service manager is notified of reloads that a signal or a client requested`(
        triggers: [ReloadTrigger], isNotified: Bool
    ) async throws {
        try await ReloadingHost.with { host in
            let sent = AwaitableState<[Systemd.ServiceNotification]>([])
            let notifications = ServiceNotificationQueue(
                send: { notifications in sent.change { $0 += notifications } },
                onFailure: { _ in })
            let (readiness, requests) = (Readiness(), ReloadRequestQueue())
            for trigger in triggers { requests.enqueue(trigger) }
            readiness.signal()
            let services = ServiceGroup(
                services: [service(host, readiness, requests, notifications: notifications)],
                logger: .quiet)
            async let running: Void = services.run()
            await host.log.wait { entries in
                entries.contains { entry in
                    entry.metadata["MESSAGE_ID"] == DaemonEvent.reloaded.rawValue
                        && entry.metadata["REPRISE_REASON"]?.hasPrefix(triggers[0].rawValue) == true
                }
            }
            await services.triggerGracefulShutdown()
            try await running
            #expect(try await runOnOwnThread { notifications.flush(within: .seconds(600)) })
            #expect(sent.state.contains(.reloading) == isNotified)
            #expect(sent.state.contains(.ready) == isNotified)
        }
    }

    @Test func `each SIGHUP causes a reload`() async {
        // The services of other tests would receive the signals, too.
        await #expect(processExitsWith: .success) {
            // The service may not receive the first signals.
            signal(SIGHUP, SIG_IGN)
            try await ReloadingHost.with { host in
                let readiness = Readiness()
                readiness.signal()
                try await ReloadServiceTests().withRunningService(host, readiness) { _ in
                    for count in 1...3 {
                        try await waitUntil("reload \(count) is done") {
                            kill(getpid(), SIGHUP)
                            return host.log.events.count { entry in
                                entry.event == .reloaded
                                    && entry.fields["REPRISE_REASON"]?.contains("signal") == true
                            } >= count
                        }
                    }
                }
            }
        }
    }
}
