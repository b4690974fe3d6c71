import FoundationEssentials
import Testing

@testable import reprisectl

/// Elapsed time, as shown to the user.
@Suite struct TimeSpanTests {
    @Test(
        arguments: [
            (-1, nil), (0, "0 seconds"), (1, "1 second"), (59, "59 seconds"), (60, "1 minute"),
            (3599, "59 minutes"), (3600, "1 hour"), (86_399, "23 hours"), (86_400, "1 day"),
            (200_000, "2 days"),
        ] as [(Double, String?)])
    func `a time span is shown in the largest unit that fits`(seconds: Double, text: String?) {
        let now = Date(timeIntervalSince1970: 1_000_000_000 + seconds)
        #expect(TimeSpan(since: "2001-09-09T01:46:40Z", now: now)?.description == text)
    }

    @Test func `text that is not a time has no time span`() {
        #expect(TimeSpan(since: "yesterday") == nil)
        #expect(TimeSpan(since: "") == nil)
    }
}
