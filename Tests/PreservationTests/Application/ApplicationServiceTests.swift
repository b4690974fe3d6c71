import CoreMetrics
import RestorationTesting
import ServiceLifecycle
import StateRestoration
import Synchronization
import TestSupport
import Testing

@testable import Preservation

/// Work of a running application's service, and callers that wait for it.
@Suite(.timeLimit(.minutes(5))) struct ApplicationServiceTests {
    @Test func `a caller that waits for the service of a shared application is resumed`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withStoppedNotes(in: scratch) { hosted async throws in
                let application = hosted.application
                await application.markShared()
                let isStarted = AwaitableState(false)
                let waiting = Task.immediate {
                    await application.waitUntilServiceStarted()
                    isStarted.change { $0 = true }
                }
                // The call has begun to wait when the actor replies.
                #expect(await application.status().phase == .stopped)
                let services = ServiceGroup(services: [application], logger: .quiet)
                async let running: Void = services.run()
                try await waitUntil("the service has started") { isStarted.state }
                await waiting.value
                await services.triggerGracefulShutdown()
                try await running
            }
        }
    }

    @Test func `observers of an application see the state that they are notified of`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            try await withNotes(notes, in: scratch) { hosted async throws in
                let application = hosted.application
                // No other change follows this command.
                _ = try await hosted.text()
                let failureCounts = Mutex<[Int]>([])
                application.observeChanges { [weak application] in
                    let count = application?.assumeIsolated { $0.failureCount } ?? 0
                    failureCounts.withLock { $0.append(count) }
                }
                notes.behavior.failingScenes = ["other"]
                await #expect(throws: ApplicationError.self) {
                    try await application.open(scene: "other")
                }
                #expect(failureCounts.withLock { $0.contains(1) })
            }
        }
    }

    @Test func `obsolete records are removed from a large archive while the application runs`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                for letter in "abcdefgh" {
                    try await hosted.write(String(repeating: letter, count: 300_000))
                }
                await hosted.log.wait(for: 1, .compacted)
                #expect(try #require(scratch.bytes(of: Notes.bundleIdentifier)) < 2_400_000)
                try await hosted.write("small")
            }
            #expect(try await withNotes(in: scratch) { try await $0.text() } == "small")
        }
    }

    @Test func `launches are counted separately for each launch reason`() async throws {
        try await withScratchDirectory { scratch async throws in
            let counts = LaunchCounts()
            var settings = PreservationSettings()
            settings.metrics = counts
            let application = try Application(
                definition: Notes().definition(),
                stateDirectory: ApplicationStateDirectory(path: scratch.stateDirectory),
                settings: settings, logger: .quiet)
            async let running: Void = application.run()
            try await application.waitUntilLaunched()
            for _ in 0..<2 {
                try await application.quitUntilLaunch()
                try await application.launch()
            }
            try await application.rollBack(to: "1")
            #expect(counts.countsByReason == ["pristine": 1, "restore": 2, "replace": 1])
            try await application.quit()
            try await running
        }
    }
}

/// Metrics that count the launches for each reason.
private final class LaunchCounts: MetricsFactory {
    private final class LaunchCounter: CounterHandler {
        let count = Atomic<Int64>(0)

        func increment(by amount: Int64) { count.wrappingAdd(amount, ordering: .relaxed) }
        func reset() { count.store(0, ordering: .relaxed) }
    }

    private let counters = Mutex<[String: LaunchCounter]>([:])

    /// Number of launches for each reason that has occurred.
    var countsByReason: [String: Int64] {
        counters.withLock { counters in
            counters.mapValues { $0.count.load(ordering: .relaxed) }.filter { $0.value > 0 }
        }
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        guard let reason = dimensions.first(where: { $0.0 == "reason" })?.1 else {
            return NOOPMetricsHandler.instance
        }
        return counters.withLock { counters in
            let counter = counters[reason] ?? LaunchCounter()
            counters[reason] = counter
            return counter
        }
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        NOOPMetricsHandler.instance
    }

    func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        NOOPMetricsHandler.instance
    }

    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
}

extension Application {
    /// Number of scenes that could not be launched.
    fileprivate var failureCount: Int { hostedScenes?.table.failures.count ?? 0 }
}
