import ExactText
import FoundationEssentials

/// Most recent owners of an application.
///
/// Each owner adds itself after it has launched the application.
package struct OwnerHistory: Sendable, Equatable, Codable {
    /// Reason why a host became the owner of an application.
    package enum Reason: String, Codable, Sendable {
        /// The application had never had an owner before.
        case started
        /// The host was also the previous owner, for example before the host restarted.
        case returned
        /// The previous owner moved the application to the host.
        case moved
        /// The previous owner released the application, for example because the daemon stopped.
        case released
        /// The previous owner's lease ended, for example because its host was lost.
        case expired
        /// An operator started the application on the host while the application had no owner.
        case taken
        /// An operator forced the host to take over the application from an owner that had not released it.
        case forced
    }

    /// Period during which a host owned the application.
    package struct Entry: Sendable, Equatable, Codable {
        /// Name of the owner's host.
        package var host: String
        /// Epoch of the ownership.
        package var epoch: UInt64
        /// Time at which the application began to run on the host, in microseconds since 1970-01-01 UTC, according to
        /// the host's clock.
        package var time: Int64
        /// Name of the previous owner's host, or `nil` if the application had no previous owner.
        package var previous: String?
        /// Reason why the host became the owner.
        package var reason: Reason
    }

    /// Maximum number of entries. If there are more, the oldest entries are removed.
    static let maximumCount = 20
    /// Format version that this program writes, and the newest version that it can read.
    private static let version = 1
    /// Valid times in microseconds since 1970-01-01 UTC, from 1970 to the end of 9999.
    fileprivate static let validTimes: Range<Int64> = 0..<253_402_300_800_000_000

    private var format = OwnerHistory.version
    /// Periods of ownership, from the oldest to the newest.
    package private(set) var entries: [Entry] = []

    /// Creates an empty history.
    init() {}

    /// Parses a key's value, or returns `nil` if this version cannot read the value as a history.
    init?(_ bytes: [UInt8]) {
        do {
            self = try JSONDecoder().decode(Self.self, from: Data(bytes))
        } catch {
            return nil
        }
        // No host writes times outside the years 1970 to 9999, which could not be formatted.
        guard format <= Self.version, entries.allSatisfy({ Self.validTimes.contains($0.time) })
        else {
            return nil
        }
    }

    var bytes: [UInt8] { encoded(self) }

    /// Appends an entry, and removes the oldest entries if there are too many.
    mutating func append(_ entry: Entry) {
        entries.append(entry)
        entries.removeFirst(max(0, entries.count - Self.maximumCount))
    }
}

/// Pause in automatic takeovers. During a pause, no host takes over an application by itself.
package struct TakeoverPause: Sendable, Equatable, Codable {
    /// Name of the host on which an operator started the pause.
    package var host: String
    /// Time at which the pause started, in microseconds since 1970-01-01 UTC, according to the host's clock.
    package var time: Int64
    /// Reason that the operator gave for the pause, or `nil` if none was given.
    package var reason: String?
    /// Operator who started the pause, for example `user 1000`, or `nil` if the operator is not known.
    package var user: String?

    package init(host: String, time: Int64, reason: String?, user: String? = nil) {
        (self.host, self.time, self.reason, self.user) = (host, time, reason, user)
    }

    /// Parses a key's value.
    ///
    /// A value that cannot be parsed still counts as a pause, so that takeovers do not resume by mistake.
    init(_ bytes: [UInt8]) {
        do {
            self = try JSONDecoder().decode(Self.self, from: Data(bytes))
            if !OwnerHistory.validTimes.contains(time) { time = 0 }
        } catch {
            self.init(host: "", time: 0, reason: nil)
        }
    }

    var bytes: [UInt8] { encoded(self) }
}

/// Returns the JSON encoding of a value, with sorted keys.
private func encoded(_ value: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    do { return Array(try encoder.encode(value)) } catch { return [] }
}
