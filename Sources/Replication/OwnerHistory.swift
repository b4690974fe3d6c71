import ExactText
import FoundationEssentials

/// Latest owners of an application, which each owner extends after it has launched the application.
package struct OwnerHistory: Sendable, Equatable, Codable {
    /// Reason why a host became the owner of an application.
    package enum Reason: String, Codable, Sendable {
        /// The application had no earlier owner.
        case started
        /// The host was also the previous owner, for example before it was restarted.
        case returned
        /// The earlier owner moved the application to the host.
        case moved
        /// The earlier owner released the application, for example because it stopped.
        case released
        /// The lease of the earlier owner ended, for example because its host was lost.
        case expired
        /// An operator started the application on the host while it had no owner.
        case taken
        /// An operator made the host take over the application from an owner that had not released it.
        case forced
    }

    /// A period of ownership.
    package struct Entry: Sendable, Equatable, Codable {
        /// Name of the owner's host.
        package var host: String
        /// Epoch of the ownership.
        package var epoch: UInt64
        /// Time at which the application ran on the host, in microseconds since 1970-01-01 UTC, according to the host's
        /// clock.
        package var time: Int64
        /// Name of the previous owner's host, or `nil` if there was none.
        package var previous: String?
        /// Reason why the host became the owner.
        package var reason: Reason
    }

    /// Maximum number of entries. The oldest entries are removed.
    static let maximumCount = 20
    /// Format version that is written, and the newest version that can be read.
    private static let version = 1
    /// Valid times in microseconds since 1970-01-01 UTC, from 1970 to the end of 9999.
    fileprivate static let times: Range<Int64> = 0..<253_402_300_800_000_000

    private var format = OwnerHistory.version
    /// Periods of ownership, from the oldest to the newest.
    package private(set) var entries: [Entry] = []

    /// Creates an empty history.
    init() {}

    /// Parses the value of a key, or returns `nil` if this version cannot read it as a history.
    init?(_ bytes: [UInt8]) {
        do {
            self = try JSONDecoder().decode(Self.self, from: Data(bytes))
        } catch {
            return nil
        }
        // Times outside the years 1970 to 9999 were not written by a host, and cannot be formatted.
        guard format <= Self.version, entries.allSatisfy({ Self.times.contains($0.time) }) else {
            return nil
        }
    }

    var bytes: [UInt8] { encoded(self) }

    /// Appends an entry, and removes the oldest entry if there are too many.
    mutating func append(_ entry: Entry) {
        entries.append(entry)
        entries.removeFirst(max(0, entries.count - Self.maximumCount))
    }
}

/// Pause during which no host takes over an application automatically.
package struct TakeoverPause: Sendable, Equatable, Codable {
    /// Name of the host on which an operator began the pause.
    package var host: String
    /// Start of the pause, in microseconds since 1970-01-01 UTC, according to the host's clock.
    package var time: Int64
    /// Reason that the operator gave, or `nil` if the operator gave no reason.
    package var reason: String?
    /// Operator who began the pause, in words such as `user 1000`, or `nil` if the operator is not known.
    package var user: String?

    package init(host: String, time: Int64, reason: String?, user: String? = nil) {
        (self.host, self.time, self.reason, self.user) = (host, time, reason, user)
    }

    /// Parses the value of a key.
    ///
    /// A value that cannot be parsed also counts as a pause, because takeovers must not begin by mistake.
    init(_ bytes: [UInt8]) {
        do {
            self = try JSONDecoder().decode(Self.self, from: Data(bytes))
            if !OwnerHistory.times.contains(time) { time = 0 }
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
