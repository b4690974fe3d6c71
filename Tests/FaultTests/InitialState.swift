import DaemonHost
import Subprocess

/// Saved state before a fault occurs.
enum InitialState: CaseIterable, Sendable {
    /// No state.
    case fresh
    /// A few strings. Some of them are not durable.
    case saved
    /// A state of such a size that one more large string makes compaction worthwhile. The daemon stopped in an orderly
    /// way, so the next one appends to the archive.
    case large
    /// A few strings, and part of another string.
    case torn
    /// A few strings, with a flipped byte in the synced part.
    case damaged

    /// Field into which the tests type.
    static let field = Field(path: Field.child1.path, byteCount: 1_500)

    /// Field for large strings. Four of them are slightly smaller than the minimum for compaction.
    static let bulk = Field(path: Field.child2.path, byteCount: 240_000)

    /// Number of the last string that must be restored.
    var number: Int {
        switch self {
        case .fresh: 0
        case .saved, .large: 5
        case .torn: 4
        case .damaged: 2
        }
    }

    /// Number of the last large string that must be restored.
    var bulkNumber: Int { self == .large ? 4 : 0 }

    /// Whether the archive is damaged.
    var isDamaged: Bool { self == .torn || self == .damaged }

    /// Creates the state on a host.
    func prepare(_ host: Host) async throws {
        guard self != .fresh else { return }
        let ended = try await host.run(endingBy: self == .large ? .terminate : .kill) { _ in
            let client = try ControlClient(host)
            var byteCount = 0
            for number in 0..<bulkNumber { _ = try client.type(number + 1, into: Self.bulk) }
            for number in 1...5 {
                if number == 3 { byteCount = try host.archive.byteCount }
                _ = try client.type(number, into: Self.field)
                if number == 3 { _ = try client.preserve() }
            }
            return byteCount
        }
        guard isDamaged else { return }
        var bytes = try host.archive.read()
        if self == .torn { bytes.removeLast(5) } else { bytes[ended.value + 40] ^= 1 }
        try host.archive.write(bytes)
    }
}
