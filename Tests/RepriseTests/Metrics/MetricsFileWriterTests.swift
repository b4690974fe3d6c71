import CoreMetrics
import Dispatch
import LinuxIO
import Preservation
import RestorationTesting
import ServiceLifecycle
import TestSupport
import Testing

@testable import Reprise

@Suite(.timeLimit(.minutes(10))) struct MetricsFileWriterTests {
    /// Service that writes the metrics file, and the contents that it has written.
    private struct WriterFixture {
        let written = AwaitableState<[String]>([])
        let registry = MetricsRegistry()
        let clock = TestClock()
        /// Semaphore that each write waits for, or `nil` to write immediately.
        var disk: DispatchSemaphore?

        func withRunningService(_ body: (ServiceGroup) async throws -> Void) async throws {
            var configuration = Configuration(applications: [])
            configuration.metrics.filePath = "/metrics.prom"
            var service = MetricsFileWriter(
                daemonState: DaemonState(configuration),
                applications: ApplicationList(applications: []),
                makeText: { [registry] _ in
                    registry.currentValues.map { "\($0.key.label) \($0.value)" }.joined()
                }, registry: registry, clock: clock,
                log: DaemonLog(logger: LogRecorder().logger()))
            service.writeFile = { [written, disk] bytes, _ in
                written.change { $0.append(String(decoding: bytes, as: UTF8.self)) }
                disk?.wait()
            }
            let services = ServiceGroup(services: [service], logger: .quiet)
            async let running: Void = services.run()
            await written.wait { !$0.isEmpty }
            try await body(services)
            await services.triggerGracefulShutdown()
            if disk != nil {
                await clock.waitForSleeper(for: MetricsFileWriter.finalWriteTimeout)
                clock.advance(by: MetricsFileWriter.finalWriteTimeout)
            }
            try await running
        }
    }

    @Test func `the file is written again after changes and at the end`() async throws {
        let fixture = WriterFixture()
        let counter = Counter(label: "calls", factory: fixture.registry)
        try await fixture.withRunningService { _ in
            await fixture.clock.waitForSleepers()
            counter.increment()
            counter.increment()
            fixture.clock.advance(by: MetricsFileWriter.minimumInterval)
            await fixture.written.wait { $0.count == 2 }
            await fixture.clock.waitForSleepers()
            counter.increment()
        }
        #expect(
            fixture.written.state == [
                "calls counter(0)", "calls counter(2)", "calls counter(3)",
            ])
    }

    @Test func `a change outside the metrics also causes a write`() async throws {
        let fixture = WriterFixture()
        try await fixture.withRunningService { _ in
            await fixture.clock.waitForSleepers()
            fixture.registry.signalChange()
            fixture.clock.advance(by: MetricsFileWriter.minimumInterval)
            await fixture.written.wait { $0.count == 2 }
        }
    }

    @Test func `a hanging disk does not delay the stop`() async throws {
        let disk = DispatchSemaphore(value: 0)
        let fixture = WriterFixture(disk: disk)
        try await fixture.withRunningService { _ in }
        #expect(fixture.written.state.count == 1)
        disk.signal()
        disk.signal()
    }

    /// Runs a service during the body, and then stops it gracefully.
    private func withRunning(
        _ service: MetricsFileWriter, _ body: () async throws -> Void
    ) async throws {
        let services = ServiceGroup(services: [service], logger: .quiet)
        async let running: Void = services.run()
        try await body()
        await services.triggerGracefulShutdown()
        try await running
    }

    private func service(
        _ daemonState: DaemonState, _ applications: ApplicationList, log: LogRecorder,
        text: @escaping @Sendable () async -> String
    ) -> MetricsFileWriter {
        MetricsFileWriter(
            daemonState: daemonState, applications: applications, makeText: { _ in await text() },
            registry: MetricsRegistry(), clock: ImmediateClock(),
            log: DaemonLog(logger: log.logger()))
    }

    @Test func `a file is written each time that the configuration names another file`()
        async throws
    {
        let daemonState = DaemonState(Configuration(applications: []))
        let paths = AwaitableState<[String]>([])
        var writer = service(
            daemonState, ApplicationList(applications: []), log: LogRecorder()
        ) { "" }
        writer.writeFile = { _, path in paths.change { $0.append(path) } }
        try await withRunning(writer) {
            for path in ["/a.prom", "/b.prom", "/c.prom"] {
                daemonState.update { $0.configuration.metrics.filePath = path }
                var count = 0
                try await waitUntil("\(path) is written") {
                    // The service may not follow the configuration yet.
                    count += 1
                    daemonState.update { $0.configurationError = "\(path) \(count)" }
                    return paths.state.last == path
                }
            }
        }
    }

    @Test func `the file is written after a change in any application`() async throws {
        try await ReloadingHost.with { host in
            var configuration = Configuration(applications: [])
            configuration.metrics.filePath = "/metrics.prom"
            let texts = AwaitableState<[String]>([])
            let application = try host.application(ReloadingHost.pictures)
            var writer = service(
                DaemonState(configuration), host.applications, log: LogRecorder()
            ) {
                let status = await application.status()
                return "\(status.phase)"
            }
            writer.writeFile = { bytes, _ in
                texts.change { $0.append(String(decoding: bytes, as: UTF8.self)) }
            }
            try await withRunning(writer) {
                await texts.wait { $0.last == "running" }
                try await application.quitUntilLaunch()
                await texts.wait { $0.last == "stopped" }
            }
        }
    }
}
