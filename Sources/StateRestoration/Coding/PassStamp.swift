/// The reserved values that every coder answers (P4). They belong to a pass and are handed in by
/// whoever asks for it: the engine has no clock.
public struct PassStamp: Sendable, Equatable {
    /// The version of the application that makes, or made, the pass.
    public var bundleVersion: String
    /// When: microseconds since 1970-01-01 UTC.
    public var timestamp: Int64
    /// The operating system's name and release, as `uname` tells them.
    public var systemVersion: String
    /// What the interface is: `headless` in a daemon.
    public var interfaceIdiom: String

    /// A stamp of these values.
    public init(
        bundleVersion: String, timestamp: Int64, systemVersion: String,
        interfaceIdiom: String = "headless"
    ) {
        self.bundleVersion = bundleVersion
        self.timestamp = timestamp
        self.systemVersion = systemVersion
        self.interfaceIdiom = interfaceIdiom
    }
}
