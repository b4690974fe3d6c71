/// Limits for an application's generations, and the interval at which they are added.
public struct HistorySettings: Sendable, Equatable {
    /// Maximum number of generations, at least 1. If it is exceeded, the oldest generations are deleted.
    public var count: Int
    /// Maximum total size of the generations in bytes. If it is exceeded, the oldest generations are deleted, but never
    /// the newest generation.
    public var bytes: Int
    /// Interval at which a running application adds a generation if its state has changed. Must be greater than zero.
    public var interval: Duration

    /// Creates settings with default values for all omitted arguments.
    public init(count: Int = 16, bytes: Int = 64 << 20, interval: Duration = .seconds(3600)) {
        self.count = count
        self.bytes = bytes
        self.interval = interval
    }
}
