import CoreMetrics
import RestorationTesting
import TestSupport
import Testing

@testable import Preservation

@Suite struct OperationTimerTests {
    @Test(arguments: [(Duration.milliseconds(1_000), 0), (.milliseconds(1_001), 1)])
    func `only an operation that takes longer than the limit is logged as slow`(
        duration: Duration, expectedCount: Int
    ) {
        let (clock, recorder) = (TestClock(), LogRecorder())
        let log = ApplicationLog(
            recorder.logger(), bundleIdentifier: "a", usesJournalFields: true, now: { 0 },
            metrics: ApplicationMetrics(
                NOOPMetricsHandler.instance, bundleIdentifier: "a", launchReasons: []),
            tracing: ApplicationTracing(nil, bundleIdentifier: "a"))
        let timer = OperationTimer(slowOperationThreshold: .seconds(1), clock: clock, log: log)
        let operation = timer.begin()
        clock.advance(by: duration)
        timer.end(operation, "the operation")
        #expect(recorder.count(.operationSlow) == expectedCount)
    }
}
