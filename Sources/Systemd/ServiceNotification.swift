/// Notification to the service manager about the state of the service (see `sd_notify(3)`).
package enum ServiceNotification: Sendable, Equatable {
    /// Startup or a reload has finished (`READY=1`).
    case ready
    /// The current activity of the service, as one plain sentence (`STATUS=`).
    case status(String)
    /// Shutdown has begun (`STOPPING=1`).
    case stopping
    /// A reload has begun (`RELOADING=1` with `MONOTONIC_USEC=`).
    ///
    /// The next ``ready`` ends the reload.
    case reloading
    /// The error number that explains why the service is about to exit (`ERRNO=`; see `errno(3)`).
    case errno(CInt)
    /// The startup, reload or shutdown may take up to this much longer, counted from now (`EXTEND_TIMEOUT_USEC=`).
    case extendTimeout(Duration)
    /// The essential parts of the service have responded (`WATCHDOG=1`).
    case watchdog
}

extension ServiceNotification {
    /// Maximum length in bytes of the sentence in a ``status(_:)``.
    ///
    /// A longer sentence is truncated, because the manager ignores any datagram above 4,096 bytes.
    package static let maximumStatusBytes = 1_024

    /// Returns the assignments in the format of `sd_notify(3)`, one on each line, in the given order.
    ///
    /// - Parameters:
    ///   - notifications: The notifications to encode.
    ///   - monotonicMicroseconds: The current time of `CLOCK_MONOTONIC`, which is sent with ``reloading``.
    package static func encode(
        _ notifications: [ServiceNotification], monotonicMicroseconds: UInt64
    ) -> String {
        notifications
            .map { $0.assignment(monotonicMicroseconds: monotonicMicroseconds) }
            .joined(separator: "\n")
    }

    private func assignment(monotonicMicroseconds: UInt64) -> String {
        switch self {
        case .ready: "READY=1"
        case .status(let sentence): "STATUS=\(Self.singleLineText(sentence))"
        case .stopping: "STOPPING=1"
        case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(monotonicMicroseconds)"
        case .errno(let number): "ERRNO=\(number)"
        case .extendTimeout(let duration): "EXTEND_TIMEOUT_USEC=\(duration.wholeMicroseconds)"
        case .watchdog: "WATCHDOG=1"
        }
    }

    /// Returns the text on a single line of at most ``maximumStatusBytes`` bytes.
    ///
    /// Spaces replace control characters.
    private static func singleLineText(_ text: String) -> String {
        var line = String.UnicodeScalarView()
        for scalar in text.truncated(toUTF8: maximumStatusBytes).unicodeScalars {
            line.append(scalar.properties.generalCategory == .control ? " " : scalar)
        }
        return String(line)
    }
}

extension Duration {
    /// Duration in microseconds, clamped to the range of `UInt64`.
    fileprivate var wholeMicroseconds: UInt64 {
        let (seconds, attoseconds) = max(self, .zero).components
        let (secondsInMicroseconds, overflow) = UInt64(seconds).multipliedReportingOverflow(
            by: 1_000_000)
        return overflow
            ? .max : secondsInMicroseconds.addingClamped(UInt64(attoseconds / 1_000_000_000_000))
    }
}

extension UInt64 {
    fileprivate func addingClamped(_ addend: UInt64) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(addend)
        return overflow ? .max : sum
    }
}
