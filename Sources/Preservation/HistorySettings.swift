/// How many generations of an application are kept, and how often one is made.
public struct HistorySettings: Sendable, Equatable {
    /// How many there are at most; the oldest go. At least 1.
    public var count: Int
    /// How many bytes they have together at most; the oldest go, but never the newest one.
    public var bytes: Int
    /// How often one is made while the application runs, if anything changed; above zero.
    public var interval: Duration

    /// Settings; what is left out has its default.
    public init(count: Int = 16, bytes: Int = 64 << 20, interval: Duration = .seconds(3600)) {
        self.count = count
        self.bytes = bytes
        self.interval = interval
    }
}
