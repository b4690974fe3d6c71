import FoundationEssentials
import StateRecords
import StateRestoration

/// Summary of the passes made since the last summary. A summary is logged at most once per preservation interval.
struct SavingSummary {
    private var passCount = 0
    private var objectCount = 0
    private var byteCount = 0
    private var missedInvalidationCount = 0
    /// Whether the interval has elapsed. If so, the summary is logged as soon as all state is durable.
    private var isDue = false

    /// Whether passes have saved changes since the last summary.
    var hasPasses: Bool { passCount > 0 }

    /// Adds a pass to the summary. The pass must have found changes.
    mutating func add(_ pass: PassOutput) {
        passCount += 1
        objectCount +=
            pass.records.objectCount + pass.records.placements.count + pass.records.removals.count
        byteCount += pass.records.objects.payloadByteCount
        missedInvalidationCount += pass.missedInvalidationCount
    }

    /// Marks the summary as due because the interval has elapsed.
    mutating func markDue() { isDue = hasPasses }

    /// Returns the summary if it is due, and begins a new summary.
    ///
    /// - Parameter lastPassTime: The time of the newest durable pass, in microseconds since 1970-01-01 UTC, or `nil` if
    ///   some state is not durable.
    /// - Returns: A phrase that states the totals, or `nil` if the summary is not due.
    mutating func consume(durableUpTo lastPassTime: Int64?) -> String? {
        guard isDue, let lastPassTime else { return nil }
        defer { self = SavingSummary() }
        let time = Date(timeIntervalSince1970: Double(lastPassTime) / 1_000_000)
            .formatted(Date.ISO8601FormatStyle())
        let missedPhrase =
            missedInvalidationCount == 0
            ? "" : ", \(missedInvalidationCount) of them not invalidated"
        return "saved: \(countPhrase(passCount, "pass")), "
            + "\(countPhrase(objectCount, "object"))\(missedPhrase), "
            + "\(countPhrase(byteCount, "byte")); durable up to \(time)"
    }
}
