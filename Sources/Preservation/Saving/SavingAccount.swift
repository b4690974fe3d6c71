import FoundationEssentials
import StateRecords
import StateRestoration

/// What passes saved since it was told last, for one line in the journal at each interval.
struct SavingAccount {
    private var passCount = 0
    private var objectCount = 0
    private var byteCount = 0
    private var unmarkedCount = 0
    /// Whether an interval has passed, so that it is told as soon as everything is durable.
    private var isDue = false

    /// Whether something was saved that an interval has to tell.
    var isOpen: Bool { passCount > 0 }

    /// A pass has something to write.
    mutating func add(_ pass: PassOutput) {
        passCount += 1
        objectCount +=
            pass.records.objectCount + pass.records.placements.count + pass.records.removals.count
        byteCount += pass.records.objects.payloadByteCount
        unmarkedCount += pass.unmarkedCount
    }

    /// An interval has passed.
    mutating func noteInterval() { isDue = isOpen }

    /// Tells what was saved, if an interval has passed since, and begins anew.
    ///
    /// - Parameter lastPass: when the newest pass was made that is durable: microseconds since
    ///   1970-01-01 UTC.
    /// - Returns: a clause; nil if there is nothing to tell.
    mutating func take(durableUpTo lastPass: Int64?) -> String? {
        guard isDue, let lastPass else { return nil }
        defer { self = SavingAccount() }
        let time = Date(timeIntervalSince1970: Double(lastPass) / 1_000_000)
            .formatted(Date.ISO8601FormatStyle())
        let forgotten = unmarkedCount == 0 ? "" : ", \(unmarkedCount) of them not invalidated"
        return "saved: \(count(passCount, "pass", "passes")), "
            + "\(count(objectCount, "object", "objects"))\(forgotten), "
            + "\(count(byteCount, "byte", "bytes")); durable up to \(time)"
    }

    private func count(_ number: Int, _ one: String, _ many: String) -> String {
        "\(number) \(number == 1 ? one : many)"
    }
}
