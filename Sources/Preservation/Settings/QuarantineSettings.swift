/// Limits for an application's damaged or refused state in quarantine.
public struct QuarantineSettings: Sendable, Equatable {
    /// Maximum number of entries, at least 1. If it is exceeded, the oldest entries are deleted.
    public var count: Int
    /// Maximum total size of the entries in bytes. If it is exceeded, the oldest entries are deleted, but never the
    /// newest entry.
    public var bytes: Int

    /// Creates settings with default values for all omitted arguments.
    public init(count: Int = 16, bytes: Int = 64 << 20) {
        self.count = count
        self.bytes = bytes
    }
}
