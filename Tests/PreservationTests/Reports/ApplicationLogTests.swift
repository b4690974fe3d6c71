import CoreMetrics
import Logging
import SavedState
import TestSupport
import Testing

@testable import Preservation

/// Messages that an application logs, and the problem that its status shows.
@Suite struct ApplicationLogTests {
    private func log(
        _ recorder: LogRecorder, from level: Logger.Level = .trace,
        usesJournalFields: Bool = true, now: @escaping () -> Int64 = { 0 }
    ) -> ApplicationLog {
        var logger = recorder.logger()
        logger.logLevel = level
        return ApplicationLog(
            logger, bundleIdentifier: "a", usesJournalFields: usesJournalFields, now: now,
            metrics: ApplicationMetrics(
                NOOPMetricsHandler.instance, bundleIdentifier: "a", launchReasons: []),
            tracing: ApplicationTracing(nil, bundleIdentifier: "a"))
    }

    @Test(arguments: Logger.Level.allCases)
    func `entries below the logger's level are not logged`(level: Logger.Level) {
        let recorder = LogRecorder()
        let log = log(recorder, from: level)
        for other in Logger.Level.allCases {
            #expect(log.isLogged(other) == (other >= level))
            log.log(other, .launched, "\(other)")
        }
        let expected = Logger.Level.allCases.filter { $0 >= level }
        #expect(recorder.entries.map(\.level) == expected)
    }

    @Test(arguments: [
        (
            true,
            [
                "MESSAGE_ID": "5f2c1d1f3f9e4a0c9d6a0f6a51b0c10b", "REPRISE_APPLICATION": "a",
                "REPRISE_SCENE": "main", "REPRISE_GENERATION": "1", "REPRISE_REASON": "demand",
            ]
        ),
        (
            false,
            ["application": "a", "scene": "main", "generation": "1", "reason": "demand"]
        ),
    ])
    func `entries have journal fields only if the settings ask for them`(
        usesJournalFields: Bool, metadata: [String: String]
    ) {
        let recorder = LogRecorder()
        let log = log(recorder, usesJournalFields: usesJournalFields)
        log.log(
            .notice, .generationMade, "saved", scene: "main", generation: "1", reason: "demand")
        #expect(recorder.entries.map(\.metadata) == [metadata])
        #expect(recorder.entries.map(\.message) == ["a main: saved"])
    }

    @Test func `a problem keeps the time of its first occurrence and is reported once`() {
        var time: Int64 = 0
        let log = log(LogRecorder(), now: { time })
        var reported: [String] = []
        log.onProblem = { problem in
            reported.append("\(problem.sentence) \(problem.time)")
            #expect(log.lastProblem == problem.sentence)
            #expect(log.lastProblemTime == problem.time)
        }
        for (now, sentence) in [(1, "full"), (2, "full"), (3, "broken"), (4, "full"), (5, "full")] {
            time = Int64(now)
            log.recordProblem(sentence)
        }
        #expect(reported == ["full 1", "broken 3", "full 4"])
        #expect(log.lastProblem == "full")
        #expect(log.lastProblemTime == 4)
    }
}
