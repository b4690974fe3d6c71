import ExactText
public import FoundationEssentials

/// The reserved values that every coder answers (P4). They belong to a pass and are handed in by
/// whoever asks for it: the engine has no clock.
public struct PassStamp: Sendable, Equatable {
    /// The version of the application that makes, or made, the pass.
    public var bundleVersion: String
    /// When: microseconds since 1970-01-01 UTC.
    package var microseconds: Int64
    /// The operating system's name and release, as `uname` tells them.
    public var systemVersion: String
    /// The interface idiom: `headless` in a daemon.
    public var interfaceIdiom: String

    /// When the pass is, or was, made.
    public var timestamp: Date { Date(microseconds: microseconds) }

    /// A stamp of these values; the time in microseconds since 1970-01-01 UTC.
    package init(
        bundleVersion: String, timestamp: Int64, systemVersion: String,
        interfaceIdiom: String = "headless"
    ) {
        self.bundleVersion = bundleVersion
        microseconds = timestamp
        self.systemVersion = systemVersion
        self.interfaceIdiom = interfaceIdiom
    }
}

extension Date {
    /// A time in microseconds since 1970-01-01 UTC.
    package init(microseconds: Int64) {
        self.init(timeIntervalSince1970: Double(microseconds) / 1_000_000)
    }
}

/// How many bytes a value of an object's state takes at most (P9).
public struct ValueLimits: Sendable, Equatable {
    /// A larger one is saved and reported.
    public var warning: Int
    /// A larger one is left out and reported.
    public var maximum: Int

    /// Limits of so many bytes. Above the maximum nothing is saved, whatever the warning says.
    public init(warning: Int = 1 << 20, maximum: Int = 16 << 20) {
        self.warning = warning
        self.maximum = maximum
    }
}
