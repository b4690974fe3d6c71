import FoundationEssentials

/// How much time has gone by, in the largest unit of which there is one at least.
struct TimeSpan: CustomStringConvertible {
    let description: String

    /// - Parameter time: RFC 3339, UTC; nil is returned for anything else, and for what is to come.
    init?(since time: String, now: Date = Date()) {
        let date: Date
        do {
            date = try Date.ISO8601FormatStyle().parse(time)
        } catch {
            return nil
        }
        let passed = now.timeIntervalSince(date)
        guard passed >= 0, let seconds = Int(exactly: passed.rounded(.down)) else { return nil }
        let units = [(86_400, "day"), (3600, "hour"), (60, "minute")]
        let unit = units.first { seconds >= $0.0 } ?? (1, "second")
        description = count(seconds / unit.0, unit.1)
    }
}
