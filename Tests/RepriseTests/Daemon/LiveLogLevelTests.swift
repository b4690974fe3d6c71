import Logging
import TestSupport
import Testing

@testable import Reprise

@Suite struct LiveLogLevelTests {
    private func logger(_ level: LiveLogLevel) -> Logger {
        var logger = Logger.quiet
        logger.handler = LiveLogHandler(logger.handler, level)
        return logger
    }

    @Test(arguments: Logger.Level.allCases)
    func `a new level applies to every logger`(level: Logger.Level) {
        let shared = LiveLogLevel(.info)
        let first = logger(shared)
        let second = logger(shared)
        #expect(first.logLevel == .info)
        shared.level = level
        #expect(shared.level == level)
        #expect(first.logLevel == level)
        #expect(second.logLevel == level)
    }

    @Test func `a logger can have a stricter level that does not affect other loggers`() {
        let shared = LiveLogLevel(.info)
        let first = logger(shared)
        var quiet = first
        quiet.logLevel = .error
        #expect(quiet.logLevel == .error)
        #expect(first.logLevel == .info)
        shared.level = .critical
        #expect(quiet.logLevel == .critical)
        shared.level = .trace
        #expect(quiet.logLevel == .error)
    }
}
