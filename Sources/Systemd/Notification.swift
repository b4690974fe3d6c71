/// One assignment to the service manager, as in `sd_notify(3)`.
package enum Notification: Sendable, Equatable {
    /// Start-up, or a reload, is finished: `READY=1`.
    case ready
    /// What the service is doing, one plain sentence: `STATUS=`.
    case status(String)
    /// Shutting down has begun: `STOPPING=1`.
    case stopping
    /// Reloading has begun: `RELOADING=1` with `MONOTONIC_USEC=`; ``ready`` ends it.
    case reloading
    /// The error number that the service is about to exit for, as in `errno(3)`: `ERRNO=`.
    case errno(CInt)
    /// Starting, reloading or stopping takes this much longer from now on: `EXTEND_TIMEOUT_USEC=`.
    case extendTimeout(Duration)
    /// The parts that do the work have answered: `WATCHDOG=1`.
    case watchdog
}

extension Notification {
    /// The most bytes of a ``status(_:)`` that are sent.
    ///
    /// The manager ignores a whole datagram above 4,096 bytes, so a long sentence is cut instead.
    package static let textLimit = 1_024

    /// The assignments as `sd_notify(3)` takes them, one line each, in the order given.
    ///
    /// - Parameters:
    ///   - notifications: What to tell.
    ///   - monotonicMicroseconds: `CLOCK_MONOTONIC` now, which ``reloading`` carries.
    package static func encode(
        _ notifications: [Notification], monotonicMicroseconds: UInt64
    ) -> String {
        notifications
            .map { $0.assignment(monotonicMicroseconds: monotonicMicroseconds) }
            .joined(separator: "\n")
    }

    private func assignment(monotonicMicroseconds: UInt64) -> String {
        switch self {
        case .ready: "READY=1"
        case .status(let sentence): "STATUS=\(Self.singleLine(sentence))"
        case .stopping: "STOPPING=1"
        case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(monotonicMicroseconds)"
        case .errno(let number): "ERRNO=\(number)"
        case .extendTimeout(let duration): "EXTEND_TIMEOUT_USEC=\(duration.wholeMicroseconds)"
        case .watchdog: "WATCHDOG=1"
        }
    }

    /// The text on one line, with a space for each control character, cut at ``textLimit`` bytes.
    private static func singleLine(_ text: String) -> String {
        var line = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(textLimit + 1) {
            line.append(scalar.properties.generalCategory == .control ? " " : scalar)
        }
        return String(line).cut(toUTF8: textLimit)
    }
}

extension Duration {
    /// The duration in microseconds, not below zero, and cut to what 64 bits hold.
    fileprivate var wholeMicroseconds: UInt64 {
        guard self > .zero else { return 0 }
        let (seconds, attoseconds) = components
        let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000)
        return overflow ? .max : whole.addingClamped(UInt64(attoseconds / 1_000_000_000_000))
    }
}

extension UInt64 {
    fileprivate func addingClamped(_ other: UInt64) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
