import Logging
import NIOCore
import NIOEmbedded
import PositionedYAML
import RepriseControl
import TestSupport
import Testing
import Varlink

@testable import Reprise

@Suite struct DaemonLogTests {
    private let recorder = LogRecorder()

    @Test func `events at or above the level of the logger are logged with their identifier`() {
        var logger = recorder.logger()
        logger.logLevel = .notice
        let log = DaemonLog(logger: logger)
        for level in Logger.Level.allCases {
            log.log(level, .starting, "\(level)", ["REPRISE_FILE": "/f"])
        }
        #expect(recorder.entries.map(\.level) == [.notice, .warning, .error, .critical])
        #expect(recorder.entries.map(\.message) == ["notice", "warning", "error", "critical"])
        #expect(
            recorder.entries.first?.metadata
                == ["MESSAGE_ID": DaemonEvent.starting.rawValue, "REPRISE_FILE": "/f"])
    }

    @Test func `each warning is logged with its file`() {
        let warnings = ["/a", "/b", "/c"].map {
            ConfigurationWarning(socket: "s", in: $0, insteadOf: "/s")
        }
        DaemonLog(logger: recorder.logger()).log(warnings)
        #expect(recorder.entries.map { $0.metadata["REPRISE_FILE"] } == ["/a", "/b", "/c"])
        #expect(recorder.entries.allSatisfy { $0.level == .warning })
    }

    @Test(arguments: [0, 7])
    func `each error of a configuration is logged, and errors that are not listed are counted`(
        omittedCount: Int
    ) {
        let errors = ["first", "second"].map {
            PositionedError($0, at: SourcePosition(file: "/c"))
        }
        DaemonLog(logger: recorder.logger()).log(
            .refused(PositionedErrors(errors, omittedCount: omittedCount)))
        #expect(recorder.entries.count == (omittedCount == 0 ? 2 : 3))
        for (entry, sentence) in zip(recorder.entries, ["first", "second"]) {
            #expect(entry.message.hasSuffix(sentence))
            #expect(entry.metadata["REPRISE_FILE"] == "/c")
        }
        if omittedCount > 0 {
            #expect(recorder.entries.last?.message == "7 more problems are not listed")
        }
    }

    @Test func `followers receive events regardless of the log level`() async throws {
        let loop = NIOAsyncTestingEventLoop()
        let feed = EventFeed(eventLoop: loop, now: { 0 })
        let received = AwaitableState<[MonitorCall.Reply]>([])
        let following = Task {
            try await feed.follow(EventFilter(), after: nil) { replies in
                let replies = try replies.map {
                    try JSONText.read(MonitorCall.Reply.self, from: $0)
                }
                received.change { $0 += replies }
            }
        }
        defer { following.cancel() }
        try await waitUntil("the client follows") { received.state.count == 1 }
        var logger = recorder.logger()
        logger.logLevel = .critical
        let log = DaemonLog(logger: logger, feed: feed)
        // Followers do not receive every kind of event.
        log.log(.info, .starting, "starting")
        log.log(
            .info, .reloaded, "applied",
            ["REPRISE_APPLICATION": "org.example.A", "REPRISE_SCENE": "main"])
        await loop.advanceTime(by: EventFeed.collectionInterval)
        try await waitUntil("the event arrives") { received.state.count > 1 }
        #expect(received.state.count == 2)
        let event = received.state.last?.event
        #expect(event?.kind == .reloaded && event?.message == "applied")
        #expect(event?.application == "org.example.A" && event?.scene == "main")
        #expect(recorder.entries.isEmpty)
    }
}
