import DaemonHost
import Subprocess

/// What is saved before a daemon meets a fault.
enum InjectedStart: CaseIterable, Sendable {
    /// Nothing.
    case fresh
    /// A few texts, of which some are not durable.
    case saved
    /// So much that one more large text makes the archive worth compacting; ended in an orderly way, so
    /// that it is appended to.
    case bulky
    /// A few texts, and a part of one more.
    case torn
    /// A few texts, and a flipped byte in what is synced.
    case damaged

    /// What is typed into.
    static let field = Field(path: Field.child1.path, byteCount: 1_500)

    /// Where the large texts stand; four are a little less than what is never compacted.
    static let bulk = Field(path: Field.child2.path, byteCount: 240_000)

    /// The last text that has to come back.
    var number: Int {
        switch self {
        case .fresh: 0
        case .saved, .bulky: 5
        case .torn: 4
        case .damaged: 2
        }
    }

    /// The last large text that has to come back.
    var bulkNumber: Int { self == .bulky ? 4 : 0 }

    /// Whether the archive is not as a daemon left it.
    var isSpoiled: Bool { self == .torn || self == .damaged }

    /// Makes it.
    func prepare(_ host: Host) async throws {
        guard self != .fresh else { return }
        let ended = try await host.run(endingBy: self == .bulky ? .terminate : .kill) { _ in
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
        guard isSpoiled else { return }
        var bytes = try host.archive.read()
        if self == .torn { bytes.removeLast(5) } else { bytes[ended.value + 40] ^= 1 }
        try host.archive.write(bytes)
    }
}
