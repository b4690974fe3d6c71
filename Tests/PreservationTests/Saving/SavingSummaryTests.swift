import Logging
import StateRecords
import StateRestoration
import Testing

@testable import Preservation

/// Summaries of what was saved, and which entries of the journal are events.
@Suite struct SavingSummaryTests {
    private func pass(unmarked: Int = 0) -> PassOutput {
        let passMetadata = PassMetadata(bundleVersion: "1", timestamp: 0, systemVersion: "T")
        var pass = PassOutput(passMetadata: passMetadata, isFullPass: true)
        pass.records.objects.encode(.object) { $0 += [1, 2, 3] }
        pass.records.placements = [ObjectHeader(number: 2, parent: 1, kind: 1, identifier: "a")]
        pass.records.removals = [3]
        pass.missedInvalidationCount = unmarked
        return pass
    }

    @Test func `a summary contains the totals since the last summary once an interval has elapsed`()
    {
        var summary = SavingSummary()
        #expect(!summary.hasPasses)
        summary.markDue()
        #expect(summary.consume(durableUpTo: 0) == nil)
        summary.add(pass())
        #expect(summary.hasPasses)
        #expect(summary.consume(durableUpTo: 0) == nil)
        summary.markDue()
        #expect(summary.consume(durableUpTo: nil) == nil)
        summary.add(pass(unmarked: 1))
        #expect(
            summary.consume(durableUpTo: 1_000_000)
                == "saved: 2 passes, 6 objects, 1 of them not invalidated, 6 bytes; durable up to "
                + "1970-01-01T00:00:01Z")
        #expect(!summary.hasPasses)
        #expect(summary.consume(durableUpTo: 0) == nil)
    }

    @Test func `a replaced archive is a problem only at the level warning or higher`() {
        let levels: [Logger.Level] = [.info, .notice, .warning, .error]
        #expect(
            levels.map { LogEvent.archiveReplaced.followerEventKind(at: $0) }
                == [nil, nil, .problem, .problem])
    }
}
