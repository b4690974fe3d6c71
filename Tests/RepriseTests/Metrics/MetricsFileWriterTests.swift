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
    private struct Writing {
        let written = Awaited<[String]>([])
        let registry = MetricsRegistry()
        let clock = TestClock()
        /// Semaphore that each write waits for, or `nil` to write immediately.
        var disk: DispatchSemaphore?

        func serving(_ body: (ServiceGroup) async throws -> Void) async throws {
            var configuration = Configuration(applications: [])
            configuration.metrics.file = "/metrics.prom"
            var service = MetricsFileWriter(
                daemonState: DaemonState(configuration),
                applications: ApplicationList(applications: []),
                text: { [registry] _ in
                    registry.readings.map { "\($0.key.label) \($0.reading)" }.joined()
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
        let writing = Writing()
        let counter = Counter(label: "calls", factory: writing.registry)
        try await writing.serving { _ in
            await writing.clock.waitForSleepers()
            counter.increment()
            counter.increment()
            writing.clock.advance(by: MetricsFileWriter.minimumInterval)
            await writing.written.wait { $0.count == 2 }
            await writing.clock.waitForSleepers()
            counter.increment()
        }
        #expect(
            writing.written.state == [
                "calls counter(0)", "calls counter(2)", "calls counter(3)",
            ])
    }

    @Test func `a change outside the metrics also causes a write`() async throws {
        let writing = Writing()
        try await writing.serving { _ in
            await writing.clock.waitForSleepers()
            writing.registry.signalChange()
            writing.clock.advance(by: MetricsFileWriter.minimumInterval)
            await writing.written.wait { $0.count == 2 }
        }
    }

    @Test func `a hanging disk does not delay the stop`() async throws {
        let disk = DispatchSemaphore(value: 0)
        let writing = Writing(disk: disk)
        try await writing.serving { _ in }
        #expect(writing.written.state.count == 1)
        disk.signal()
        disk.signal()
    }
}
