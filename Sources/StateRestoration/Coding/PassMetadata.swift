import ExactText
public import FoundationEssentials

/// Reserved values that every coder provides (P4).
///
/// The values describe a pass. The code that starts the pass supplies them, because the engine has no clock.
public struct PassMetadata: Sendable, Equatable {
    /// Version of the application that runs or ran the pass.
    public var bundleVersion: String
    /// Time of the pass, in microseconds since 1970-01-01 UTC.
    package var timestampMicroseconds: Int64
    /// Name and release of the operating system, as reported by `uname`.
    public var systemVersion: String
    /// Interface idiom, which is `headless` in a daemon.
    public var interfaceIdiom: String

    /// Time of the pass.
    public var timestamp: Date { Date(microseconds: timestampMicroseconds) }

    /// Creates pass metadata.
    ///
    /// - Parameters:
    ///   - bundleVersion: The version of the application.
    ///   - timestamp: The time of the pass, in microseconds since 1970-01-01 UTC.
    ///   - systemVersion: The name and release of the operating system.
    ///   - interfaceIdiom: The interface idiom.
    package init(
        bundleVersion: String, timestamp: Int64, systemVersion: String,
        interfaceIdiom: String = "headless"
    ) {
        self.bundleVersion = bundleVersion
        timestampMicroseconds = timestamp
        self.systemVersion = systemVersion
        self.interfaceIdiom = interfaceIdiom
    }
}

extension Date {
    /// Creates a date from microseconds since 1970-01-01 UTC.
    package init(microseconds: Int64) {
        self.init(timeIntervalSince1970: Double(microseconds) / 1_000_000)
    }
}

/// Limits on the size of a single value in an object's state, in bytes (P9).
public struct ValueLimits: Sendable, Equatable {
    /// Size above which a value is reported but still saved.
    public var warningBytes: Int
    /// Size above which a value is reported and not saved.
    public var maximumBytes: Int

    /// Creates limits in bytes.
    ///
    /// A value above the maximum is never saved, even if it is below the warning size.
    public init(warningBytes: Int = 1 << 20, maximumBytes: Int = 16 << 20) {
        self.warningBytes = warningBytes
        self.maximumBytes = maximumBytes
    }
}
